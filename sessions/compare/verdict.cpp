#include "sessions/compare/verdict.hpp"

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

}  // namespace

std::string to_string(Verdict verdict) {
  return name_of(verdict, verdicts);
}

Verdict verdict_from(const std::string& text) {
  return value_of(text, verdicts, "verdict");
}

double gap_of(const Ratio& ratio) {
  return std::max(ratio.value, 1 / ratio.value) - 1;
}

Judgement judge_measured(const JudgedSeries& a, const JudgedSeries& b, const Ratio& ratio,
                         double noise_floor) {
  const std::string gap = format_percent(gap_of(ratio));
  if (gap_of(ratio) <= noise_floor) {
    return {Verdict::same,
            "The medians are " + gap + " apart, within the noise of " + format_percent(noise_floor) + "."};
  }
  const Verdict in_time = order_of(a.us, b.us);
  if (in_time == Verdict::undecided) {
    return {in_time, "The medians are " + gap + " apart, but the samples overlap: A " + range_words(a.us) +
                         ", B " + range_words(b.us) + " (minimum to upper quartile)."};
  }
  if (!a.cycles || !b.cycles) {
    return {Verdict::undecided, "The medians are " + gap +
                                    " apart, but the SM clock was not sampled: a clock that fell may "
                                    "have made the difference."};
  }
  if (order_of(*a.cycles, *b.cycles) != in_time) {
    return {Verdict::undecided, "The samples are apart in time, but not in cycles: the SM clock was " +
                                    clock_words(a) + " with A and " + clock_words(b) + " with B."};
  }
  return {in_time, "The samples (minimum to upper quartile) are apart, in time and in cycles: A " +
                       range_words(a.us) + ", B " + range_words(b.us) + "."};
}

Judgement judge_predicted(const Ratio& ratio, bool same_machine_code) {
  if (same_machine_code) return {Verdict::same, "Both have the same machine code and launch."};
  const std::string interval = format_number(ratio.low, 2) + " to " + format_number(ratio.high, 2);
  if (ratio.low > 1)
    return {Verdict::faster, "The interval of the predicted ratio, " + interval + ", is above 1."};
  if (ratio.high < 1)
    return {Verdict::slower, "The interval of the predicted ratio, " + interval + ", is below 1."};
  return {Verdict::undecided, "The interval of the predicted ratio, " + interval +
                                  ", contains 1: the model cannot tell them apart."};
}

}  // namespace tilescope
