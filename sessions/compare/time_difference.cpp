#include "sessions/compare/time_difference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "sessions/compare/count_reasons.hpp"

namespace tilescope {
namespace {

// [us] A part below it is not shown.
constexpr double negligible_us = 1e-4;

constexpr double rounding = 1e-9;

double time_of(const Prediction& prediction, const std::string& part) {
  const auto found = std::ranges::find(prediction.parts, part, &PredictionPart::name);
  return found == prediction.parts.end() ? 0 : found->microseconds;
}

// A's parts in their order, then parts that only B has.
std::vector<std::string> part_names(const Prediction& a, const Prediction& b) {
  std::vector<std::string> names;
  for (const Prediction* prediction : {&a, &b}) {
    for (const PredictionPart& part : prediction->parts) {
      if (std::ranges::find(names, part.name) == names.end()) names.push_back(part.name);
    }
  }
  return names;
}

std::string why_without_parts(const Measurement& a, const Measurement& b) {
  if (a.prediction && b.prediction) return "";
  const std::string without = a.prediction ? "B has no" : b.prediction ? "A has no" : "Neither has a";
  const std::string changes = count_changes(a, b);
  return without + " prediction, whose parts would explain the difference." +
         (changes.empty() ? "" : " From A to B the counts change most in " + changes + ".");
}

// Parts without their reasons, which belong to a difference that was decided.
void add_parts(const Measurement& a, const Measurement& b, TimeDifference& difference) {
  for (const std::string& name : part_names(*a.prediction, *b.prediction)) {
    const double before = time_of(*a.prediction, name), after = time_of(*b.prediction, name);
    if (std::max(before, after) < negligible_us) continue;
    DifferencePart& part = difference.parts.emplace_back();
    part.name = name;
    part.microseconds = after - before;
  }
}

void add_reason(const Measurement& a, const Measurement& b, double whole_us, DifferencePart& part) {
  CountReason reason = count_reason(part.name, part.microseconds, a, b);
  part.text = std::move(reason.text);
  part.lines = std::move(reason.lines);
  const Prediction& more = part.microseconds < 0 ? *a.prediction : *b.prediction;
  const Prediction& less = part.microseconds < 0 ? *b.prediction : *a.prediction;
  part.is_tested = !more.without.empty();
  part.carrying = carrying_cause_of_part(part.name, more, less, notable_part_share * std::abs(whole_us));
}

// Parts such as 175 % and -143 % explain nothing by their sizes.
bool parts_cancel(const TimeDifference& difference) {
  constexpr double most = 0.5;
  double against_us = 0;
  for (const DifferencePart& part : difference.parts) {
    if ((part.microseconds < 0) != (difference.microseconds() < 0)) against_us += std::abs(part.microseconds);
  }
  return against_us > most * std::abs(difference.microseconds());
}

}  // namespace

bool TimeDifference::is_explained() const {
  constexpr double most_residual = 1.0 / 3;
  return std::abs(residual_us) <= most_residual * std::abs(microseconds());
}

TimeDifference time_difference(const Measurement& a, const Measurement& b, double a_us, double b_us,
                               bool is_decided) {
  TimeDifference difference{a_us, b_us, {}, 0, why_without_parts(a, b), is_decided, false};
  if (difference.why_no_parts.empty()) add_parts(a, b, difference);
  double explained = 0;
  for (const DifferencePart& part : difference.parts) explained += part.microseconds;
  const double residual = b_us - a_us - explained;
  // Two predictions leave nothing but rounding.
  difference.residual_us = std::abs(residual) < rounding * std::max(a_us, b_us) ? 0 : residual;
  if (!is_decided) return difference;
  difference.has_shares = difference.is_explained() && !parts_cancel(difference);
  for (DifferencePart& part : difference.parts) {
    add_reason(a, b, difference.microseconds(), part);
    if (difference.has_shares) part.share = part.microseconds / difference.microseconds();
  }
  return difference;
}

std::vector<std::size_t> parts_by_size(const TimeDifference& difference) {
  std::vector<std::size_t> order(difference.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t i) { return std::abs(difference.parts[i].microseconds); });
  return order;
}

}  // namespace tilescope
