#include "sessions/compare/time_difference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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

}  // namespace

TimeDifference time_difference(const Measurement& a, const Measurement& b, double a_us, double b_us) {
  TimeDifference difference{a_us, b_us, {}, 0, why_without_parts(a, b)};
  double explained = 0;
  if (difference.why_no_parts.empty()) {
    for (const std::string& name : part_names(*a.prediction, *b.prediction)) {
      const double before = time_of(*a.prediction, name), after = time_of(*b.prediction, name);
      if (std::max(before, after) < negligible_us) continue;
      const CountReason reason = count_reason(name, after - before, a, b);
      DifferencePart part{name, after - before, {}, reason.text, reason.lines};
      if (b_us != a_us) part.share = part.microseconds / (b_us - a_us);
      explained += part.microseconds;
      difference.parts.push_back(std::move(part));
    }
  }
  const double residual = b_us - a_us - explained;
  // Two predictions leave nothing but rounding.
  difference.residual_us = std::abs(residual) < rounding * std::max(a_us, b_us) ? 0 : residual;
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
