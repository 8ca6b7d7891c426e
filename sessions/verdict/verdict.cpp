#include "sessions/verdict/verdict.hpp"

#include <algorithm>
#include <utility>

#include "base/enum_names.hpp"
#include "base/text/format.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<Verdict, 4> verdicts{{{Verdict::faster, "FASTER"},
                                          {Verdict::slower, "SLOWER"},
                                          {Verdict::same, "SAME"},
                                          {Verdict::undecided, "UNDECIDED"}}};

// Which side is wholly below the other; `undecided` where they meet.
Verdict order_of(const Spread& a, const Spread& b) {
  if (b.upper_quartile < a.least) return Verdict::faster;
  if (a.upper_quartile < b.least) return Verdict::slower;
  return Verdict::undecided;
}

std::string range_words(const Spread& spread) {
  return format_latency(spread.least) + " to " + format_latency(spread.upper_quartile);
}

std::string clock_words(const JudgedSeries& series) {
  return format_number(series.cycles->median / series.us.median, 0) + " MHz";
}

// Why verdict_of() says so of two series.
std::string reason_of(const JudgedSeries& a, const JudgedSeries& b, double ratio, double noise_floor) {
  const std::string gap = format_percent(gap_of(ratio));
  if (gap_of(ratio) <= noise_floor)
    return "The medians are " + gap + " apart, within the noise of " + format_percent(noise_floor) + ".";
  if (order_of(a.us, b.us) == Verdict::undecided) {
    return "The medians are " + gap + " apart, but the samples overlap: A " + range_words(a.us) + ", B " +
           range_words(b.us) + " (minimum to upper quartile).";
  }
  if (!a.cycles || !b.cycles) {
    return "The medians are " + gap +
           " apart, but the SM clock was not sampled: a clock that fell may have made the difference.";
  }
  if (order_of(*a.cycles, *b.cycles) != order_of(a.us, b.us)) {
    return "The samples are apart in time, but not in cycles: the SM clock was " + clock_words(a) +
           " with A and " + clock_words(b) + " with B.";
  }
  return "The samples (minimum to upper quartile) are apart, in time and in cycles: A " + range_words(a.us) +
         ", B " + range_words(b.us) + ".";
}

}  // namespace

std::string to_string(Verdict verdict) {
  return name_of(verdict, verdicts);
}

Verdict verdict_from(const std::string& text) {
  return value_of(text, verdicts, "verdict");
}

bool is_decided(Verdict verdict) {
  return verdict == Verdict::faster || verdict == Verdict::slower;
}

double gap_of(double ratio) {
  return std::max(ratio, 1 / ratio) - 1;
}

Verdict verdict_of(const JudgedSeries& a, const JudgedSeries& b, double ratio, double noise_floor) {
  if (gap_of(ratio) <= noise_floor) return Verdict::same;
  if (!a.cycles || !b.cycles) return Verdict::undecided;
  const Verdict in_time = order_of(a.us, b.us);
  return order_of(*a.cycles, *b.cycles) == in_time ? in_time : Verdict::undecided;
}

Verdict verdict_of(const Ratio& predicted, bool same_machine_code) {
  if (same_machine_code) return Verdict::same;
  if (predicted.low > 1) return Verdict::faster;
  return predicted.high < 1 ? Verdict::slower : Verdict::undecided;
}

Judgement judge_measured(const JudgedSeries& a, const JudgedSeries& b, double ratio, double noise_floor) {
  return {verdict_of(a, b, ratio, noise_floor), reason_of(a, b, ratio, noise_floor)};
}

Judgement judge_predicted(const Ratio& ratio, bool same_machine_code) {
  const Verdict verdict = verdict_of(ratio, same_machine_code);
  if (verdict == Verdict::same) return {verdict, "Both have the same machine code and launch."};
  // The interval stands beside the ratio, in its direction.
  if (is_decided(verdict)) return {verdict, "The interval of the predicted ratio does not contain 1."};
  return {verdict, "The interval of the predicted ratio contains 1: the model cannot tell them apart."};
}

}  // namespace tilescope
