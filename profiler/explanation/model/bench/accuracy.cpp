#include "profiler/explanation/model/bench/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace tilescope::model {
namespace {

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

// The smallest value that this part of them does not exceed; 0 without values.
double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size()))) - 1];
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2) return 1;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean_x = mean_of(x), mean_y = mean_of(y);
  double product = 0, square_x = 0, square_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    product += (x[i] - mean_x) * (y[i] - mean_y);
    square_x += (x[i] - mean_x) * (x[i] - mean_x);
    square_y += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return square_x > 0 && square_y > 0 ? product / std::sqrt(square_x * square_y) : 1;
}

ErrorSummary summarise(const std::vector<JudgedPoint>& points, double JudgedPoint::*prediction) {
  if (points.empty()) return {};
  std::vector<double> errors;
  errors.reserve(points.size());
  for (const JudgedPoint& point : points) errors.push_back(std::abs(point.*prediction / point.measured - 1));
  const double mean = mean_of(errors);
  return {mean, percentile(std::move(errors), 0.9)};
}

RatioSummary summarise_ratios(const std::vector<JudgedPoint>& points, double JudgedPoint::*prediction) {
  std::vector<double> same_kernel, kernels;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const JudgedPoint &a = points[i], &b = points[j];
      if (a.shape != b.shape) continue;
      const double error =
          std::abs(std::log(a.*prediction / (b.*prediction)) - std::log(a.measured / b.measured));
      (a.kernel == b.kernel ? same_kernel : kernels).push_back(error);
    }
  }
  return {percentile(std::move(same_kernel), 0.95), percentile(std::move(kernels), 0.95)};
}

double share_inside(const std::vector<JudgedPoint>& points) {
  if (points.empty()) return 0;
  const auto inside = std::ranges::count_if(points, [](const JudgedPoint& point) {
    return point.low <= point.measured && point.measured <= point.high;
  });
  return static_cast<double>(inside) / static_cast<double>(points.size());
}

RankSummary rank(const std::vector<JudgedPoint>& points) {
  std::map<std::pair<std::string, std::string>, std::vector<const JudgedPoint*>> cells;
  for (const JudgedPoint& point : points) cells[{point.kernel, point.shape}].push_back(&point);
  std::vector<double> correlations, regrets;
  for (const auto& [name, cell] : cells) {
    std::vector<double> measured, predicted;
    for (const JudgedPoint* point : cell) {
      measured.push_back(point->measured);
      predicted.push_back(point->predicted);
    }
    correlations.push_back(rank_correlation(measured, predicted));
    const auto chosen = static_cast<std::size_t>(std::ranges::min_element(predicted) - predicted.begin());
    regrets.push_back(measured[chosen] / *std::ranges::min_element(measured) - 1);
  }
  if (cells.empty()) return {};
  return {mean_of(correlations), *std::ranges::min_element(correlations), mean_of(regrets),
          *std::ranges::max_element(regrets)};
}

}  // namespace tilescope::model
