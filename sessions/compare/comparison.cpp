#include "sessions/compare/comparison.hpp"

#include <algorithm>
#include <utility>

#include "base/enum_names.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/side_names.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/verdict/ratio_of_points.hpp"
#include "sessions/verdict/verdict_on_points.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<Basis, 4> bases{{{Basis::interleaved, "interleaved"},
                                     {Basis::apart, "apart"},
                                     {Basis::predicted, "predicted"},
                                     {Basis::none, "none"}}};

bool has_latency(const Measurement& point) {
  return point.latency && point.latency->p50_us > 0;
}

// "B has no correct result. Invalid configuration: BLOCK_M must be a multiple of NUM_WARPS."; "" for a correct point.
std::string outcome_text(const char* side, const Measurement& point) {
  if (has_run(point.status)) return "";
  std::string text = std::string(side) + " has no correct result. " + status_words(point);
  if (!point.reason.empty()) text += ": " + point.reason;
  return text.ends_with('.') ? text : text + ".";
}

std::string outcome_text(const Measurement& a, const Measurement& b) {
  const std::string of_a = outcome_text("A", a), of_b = outcome_text("B", b);
  return of_a + (of_a.empty() || of_b.empty() ? "" : " ") + of_b;
}

void take(Judgement judgement, Comparison& comparison) {
  comparison.verdict = judgement.verdict;
  comparison.reason = std::move(judgement.reason);
}

void set_difference(Comparison& comparison, double a_us, double b_us) {
  comparison.difference = time_difference(comparison.a, comparison.b, a_us, b_us, is_decided(comparison));
}

void judge_series(Comparison& comparison) {
  const PairedSeries& series = *comparison.series;
  comparison.basis = Basis::interleaved;
  comparison.ratio = series.ratio;
  comparison.has_interval = true;
  comparison.noise_floor = series.noise_floor;
  take(judge_measured(series.a, series.b, series.ratio.value, series.noise_floor), comparison);
  set_difference(comparison, series.a.us.median, series.b.us.median);
}

void judge_latencies(Comparison& comparison) {
  const Latency &a = *comparison.a.latency, &b = *comparison.b.latency;
  comparison.basis = Basis::apart;
  comparison.ratio = ratio_of(a, b);
  if (!comparison.ratio) {
    const double value = a.p50_us / b.p50_us;
    comparison.ratio = Ratio{value, value, value};
    comparison.reason = "At least one side has a latency without samples: nothing is known of its noise.";
    return set_difference(comparison, a.p50_us, b.p50_us);
  }
  comparison.has_interval = true;
  comparison.noise_floor = noise_of(a, b);
  take(judge_measured(*judged_series(a), *judged_series(b), comparison.ratio->value, *comparison.noise_floor),
       comparison);
  set_difference(comparison, a.p50_us, b.p50_us);
}

void judge_predictions(Comparison& comparison) {
  const Measurement &a = comparison.a, &b = comparison.b;
  comparison.basis = Basis::predicted;
  comparison.ratio = ratio_of(*a.prediction, *b.prediction, a.kernel == b.kernel);
  const bool is_same = is_same_launch(a, b);
  // A program does not differ from itself, however wrong its prediction is.
  comparison.has_interval = !is_same;
  take(judge_predicted(*comparison.ratio, is_same), comparison);
  set_difference(comparison, a.prediction->p50_us, b.prediction->p50_us);
}

std::string why_no_basis(const Measurement& a, const Measurement& b) {
  std::string lacking;
  for (const Measurement* point : {&a, &b}) {
    if (has_latency(*point) || has_prediction(*point)) continue;
    lacking += (lacking.empty() ? "" : " ") + std::string(point == &a ? "A" : "B") +
               " has neither a latency nor a prediction.";
  }
  if (!lacking.empty()) return lacking;
  const std::string timed = has_latency(a) ? "A" : "B", predicted = has_latency(a) ? "B" : "A";
  return timed + " was timed and has no prediction, " + predicted +
         " was only predicted: a measured time is not compared with a prediction.";
}

bool is_of_other_source(const Measurement& a, const Measurement& b) {
  const std::string &hash_a = a.provenance.source_sha256, &hash_b = b.provenance.source_sha256;
  return a.kernel == b.kernel && !hash_a.empty() && !hash_b.empty() && hash_a != hash_b;
}

// Why the two do not compute the same, as far as their shapes or the names of their arguments tell.
std::string why_of_other_problem(const Measurement& a, const Measurement& b) {
  if (a.arguments.has_value() != b.arguments.has_value())
    return std::string(a.arguments ? "B" : "A") + " computes attention, the other one is a kernel of a file.";
  if (!a.arguments) {
    if (a.shape == b.shape) return "";
    return "The shapes differ: A " + to_string(a.shape) + ", B " + to_string(b.shape) + ".";
  }
  std::string differences;
  for (const auto& [name, value] : *a.arguments) {
    const auto found = b.arguments->find(name);
    if (found == b.arguments->end() || found->second == value) continue;
    differences += (differences.empty() ? "" : ", ") + name + " is " + to_string(value) + " in A and " +
                   to_string(found->second) + " in B";
  }
  return differences.empty() ? "" : "The arguments differ: " + differences + ".";
}

// A kernel that computes something else, or may do so, is not ranked beside another one. "" where both are ranked.
std::string why_not_ranked(const Measurement& a, const Measurement& b) {
  const bool a_is_wrong = has_wrong_values(a), b_is_wrong = has_wrong_values(b);
  if (a_is_wrong && b_is_wrong) return "The results of both are wrong: neither is ranked.";
  if (a_is_wrong) return "A's result is wrong: it is not ranked beside B, however long it takes.";
  if (b_is_wrong) return "B's result is wrong: it is not ranked beside A, however long it takes.";
  const bool a_was_checked = a.status == Status::ok, b_was_checked = b.status == Status::ok;
  if (a_was_checked == b_was_checked) return "";
  const char* const other = a_was_checked ? "B" : "A";
  return std::string("Only ") + (a_was_checked ? "A" : "B") + "'s result was checked: " + other +
         " may compute something else, and is not ranked beside it before it is checked, too.";
}

void withhold_verdict(Comparison& comparison) {
  if (!comparison.ratio) return;
  std::string why = why_not_ranked(comparison.a, comparison.b);
  if (why.empty()) return;
  comparison.verdict = Verdict::undecided;
  comparison.reason = std::move(why);
}

// Names what the checkers found: a kernel with a race may be fast because of it. "" for no fault.
std::string fault_remark(const char* side, const Measurement& point) {
  const auto first = std::ranges::find_if(point.findings, is_fault);
  if (first == point.findings.end()) return "";
  const auto faults = std::ranges::count_if(point.findings, is_fault);
  const std::string count = faults == 1 ? "a fault: " : std::to_string(faults) + " faults. The first: ";
  return std::string(side) + " has " + count + first->text;
}

void add_remarks(Comparison& comparison) {
  const Measurement &a = comparison.a, &b = comparison.b;
  for (std::string remark : {fault_remark("A", a), fault_remark("B", b)})
    if (!remark.empty()) comparison.remarks.push_back(std::move(remark));
  if (a.status == Status::unchecked && b.status == Status::unchecked)
    comparison.remarks.push_back("Neither result was checked: there was nothing to compare them with.");
  if (std::string why = why_not_comparable(a, b); !why.empty()) comparison.remarks.push_back(std::move(why));
  for (std::string& remark : unlike_builds(a, b)) comparison.remarks.push_back(std::move(remark));
  if (is_of_other_source(a, b)) {
    comparison.remarks.push_back("The two were compiled from different versions of the source of " +
                                 a.kernel + ": more than the parameters may differ.");
  }
  if (comparison.basis == Basis::predicted && has_latency(a) != has_latency(b)) {
    comparison.remarks.push_back(
        std::string("Only ") + (has_latency(a) ? "A" : "B") +
        " was timed: the two predictions are compared, and its latency is left aside.");
  }
  if (comparison.basis == Basis::apart) {
    comparison.remarks.push_back(
        "The two were timed apart, not in turns: what changed between them is in the difference.");
  }
}

}  // namespace

std::string to_string(Basis basis) {
  return name_of(basis, bases);
}

bool is_decided(const Comparison& comparison) {
  if (!is_decided(comparison.verdict)) return false;
  return !comparison.has_interval || comparison.ratio->low > 1 || comparison.ratio->high < 1;
}

std::string why_not_comparable(const Measurement& a, const Measurement& b) {
  if (std::string why = why_of_other_problem(a, b); !why.empty()) return why;
  if (a.device.name != b.device.name)
    return "The devices differ: A " + a.device.name + ", B " + b.device.name + ".";
  if (times_part_of_attention(a) != times_part_of_attention(b))
    return std::string(times_part_of_attention(a) ? "A" : "B") +
           " computes the scores alone, the other one all of attention.";
  return "";
}

Comparison compare(Measurement a, Measurement b, std::optional<PairedSeries> series) {
  Comparison comparison;
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  comparison.series = std::move(series);
  if (!has_run(comparison.a.status) || !has_run(comparison.b.status)) {
    comparison.reason = outcome_text(comparison.a, comparison.b);
  } else if (comparison.series) {
    judge_series(comparison);
  } else if (has_latency(comparison.a) && has_latency(comparison.b)) {
    judge_latencies(comparison);
  } else if (has_prediction(comparison.a) && has_prediction(comparison.b)) {
    judge_predictions(comparison);
  } else {
    comparison.reason = why_no_basis(comparison.a, comparison.b);
  }
  withhold_verdict(comparison);
  add_remarks(comparison);
  return comparison;
}

}  // namespace tilescope
