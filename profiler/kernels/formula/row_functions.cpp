#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "profiler/kernels/formula/formula_function.hpp"

// Functions along an axis: reductions, scans, softmax and normalisations.
namespace tilescope {
namespace {

ArrayShape without_axis(ArrayShape shape, std::size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

// Calls `row(outer, inner)` for each row.
template <class Row>
void for_rows(const ArrayRows& rows, Row row) {
  for (std::uint64_t outer = 0; outer < rows.outer_count; ++outer)
    for (std::uint64_t inner = 0; inner < rows.inner_count; ++inner) row(outer, inner);
}

// A number of each row: `reduce(value, scale)` takes the elements one after the other.
template <class Reduction>
NumberArray reduced(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  const std::size_t axis = arguments.axis(1);
  const ArrayRows rows = rows_along(x.shape, axis);
  NumberArray result = zeros(without_axis(x.shape, axis));
  arguments.spend(x.size() * 2);
  for_rows(rows, [&](std::uint64_t outer, std::uint64_t inner) {
    Reduction reduction;
    for (std::uint64_t k = 0; k < rows.length; ++k) {
      const std::size_t at = rows.at(outer, k, inner);
      reduction.take(x.values[at], x.scale(at), k);
    }
    const std::size_t to = outer * rows.inner_count + inner;
    result.values[to] = reduction.value(rows.length);
    result.scales[to] = reduction.scale(rows.length);
  });
  return result;
}

struct Sum {
  double sum = 0, magnitude = 0;
  void take(double value, double scale, std::uint64_t) {
    sum += value;
    magnitude += scale;
  }
  double value(std::uint64_t) const { return sum; }
  double scale(std::uint64_t) const { return magnitude; }
};
struct Mean {
  Sum sum;
  void take(double value, double scale, std::uint64_t k) { sum.take(value, scale, k); }
  double value(std::uint64_t count) const { return sum.value(count) / static_cast<double>(count); }
  double scale(std::uint64_t count) const { return sum.scale(count) / static_cast<double>(count); }
};
struct Product {
  double product = 1, magnitude = 1;
  void take(double value, double scale, std::uint64_t) {
    product *= value;
    magnitude *= scale;
  }
  double value(std::uint64_t) const { return product; }
  double scale(std::uint64_t) const { return magnitude; }
};
// The first of the largest values, or of the smallest ones. A NaN wins.
template <bool largest>
struct Extreme {
  double best = 0, best_scale = 0;
  std::uint64_t index = 0;
  void take(double value, double scale, std::uint64_t k) {
    const bool is_better = largest ? value > best : value < best;
    if (k > 0 && !is_better && !(std::isnan(value) && !std::isnan(best))) return;
    best = value;
    best_scale = scale;
    index = k;
  }
  double value(std::uint64_t) const { return best; }
  double scale(std::uint64_t) const { return best_scale; }
};
template <bool largest>
struct ExtremeIndex {
  Extreme<largest> extreme;
  void take(double value, double scale, std::uint64_t k) { extreme.take(value, scale, k); }
  double value(std::uint64_t) const { return static_cast<double>(extreme.index); }
  double scale(std::uint64_t) const { return 0; }
};
// Mean of the squares minus the square of the mean would cancel: Welford's update.
struct Variance {
  double mean = 0, squares = 0, magnitude = 0, count = 0;
  void take(double value, double scale, std::uint64_t) {
    ++count;
    const double difference = value - mean;
    mean += difference / count;
    squares += difference * (value - mean);
    magnitude += scale * scale;
  }
  double value(std::uint64_t length) const { return squares / static_cast<double>(length); }
  double scale(std::uint64_t length) const { return magnitude / static_cast<double>(length); }
};

// max(x) is the largest of a row, max(x, y) the larger of two as in C.
template <bool largest>
NumberArray extreme_or_elementwise(const FormulaArguments& arguments) {
  if (arguments.count() == 1) return reduced<Extreme<largest>>(arguments);
  const FormulaFunction* const elementwise = formula_function(largest ? "fmax" : "fmin");
  return elementwise->value(arguments);
}

template <bool includes_own>
NumberArray running_sum(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  const ArrayRows rows = rows_along(x.shape, arguments.axis(1));
  NumberArray result = zeros(x.shape);
  arguments.spend(x.size() * 2);
  for_rows(rows, [&](std::uint64_t outer, std::uint64_t inner) {
    double sum = 0, scale = 0;
    for (std::uint64_t k = 0; k < rows.length; ++k) {
      const std::size_t at = rows.at(outer, k, inner);
      const double before = sum, scale_before = scale;
      sum += x.values[at];
      scale += x.scale(at);
      result.values[at] = includes_own ? sum : before;
      result.scales[at] = includes_own ? scale : scale_before;
    }
  });
  return result;
}

// exp(x - max) / sum, or its logarithm. An error of x changes a result by the error times the result.
template <bool logarithm>
NumberArray softmax(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  const ArrayRows rows = rows_along(x.shape, arguments.axis(1));
  NumberArray result = zeros(x.shape);
  arguments.spend(x.size() * 16);
  for_rows(rows, [&](std::uint64_t outer, std::uint64_t inner) {
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint64_t k = 0; k < rows.length; ++k) most = std::max(most, x.values[rows.at(outer, k, inner)]);
    double sum = 0;
    for (std::uint64_t k = 0; k < rows.length; ++k)
      sum += std::exp(x.values[rows.at(outer, k, inner)] - most);
    for (std::uint64_t k = 0; k < rows.length; ++k) {
      const std::size_t at = rows.at(outer, k, inner);
      const double log_value = x.values[at] - most - std::log(sum);
      const double moved = x.scale(at) + std::fabs(most);
      result.values[at] = logarithm ? log_value : std::exp(log_value);
      result.scales[at] =
          logarithm ? std::max(moved, std::fabs(log_value)) : result.values[at] * std::max(1.0, moved);
    }
  });
  return result;
}

// x - log_softmax(x), at the first element of each row.
NumberArray logsumexp(const FormulaArguments& arguments) {
  const NumberArray logs = softmax<true>(arguments);
  const NumberArray& x = arguments[0];
  const std::size_t axis = arguments.axis(1);
  const ArrayRows rows = rows_along(x.shape, axis);
  NumberArray result = zeros(without_axis(x.shape, axis));
  for_rows(rows, [&](std::uint64_t outer, std::uint64_t inner) {
    const std::size_t first = rows.at(outer, 0, inner), to = outer * rows.inner_count + inner;
    result.values[to] = x.values[first] - logs.values[first];
    result.scales[to] = logs.scales[first] + x.scale(first);
  });
  return result;
}

// (x - mean) / sqrt(variance + eps) * gamma + beta along the last axis; without centre, x / sqrt(mean of squares + eps).
NumberArray normalised(const FormulaArguments& arguments, bool has_centre, const NumberArray* gamma,
                       const NumberArray* beta, double eps) {
  const NumberArray& x = arguments[0];
  const ArrayRows rows = rows_along(x.shape, arguments.axis(arguments.count()));
  for (const NumberArray* factor : {gamma, beta}) {
    if (factor != nullptr && factor->size() != rows.length && factor->size() != 1)
      arguments.fail("a row has " + std::to_string(rows.length) + " elements, and its factors are " +
                     shape_words(factor->shape));
  }
  const auto factor_at = [](const NumberArray& factor, std::uint64_t k) {
    return factor.values[factor.size() == 1 ? 0 : k];
  };
  NumberArray result = zeros(x.shape);
  arguments.spend(x.size() * 8);
  for_rows(rows, [&](std::uint64_t outer, std::uint64_t inner) {
    Mean mean;
    for (std::uint64_t k = 0; has_centre && k < rows.length; ++k)
      mean.take(x.values[rows.at(outer, k, inner)], 0, k);
    const double centre = has_centre ? mean.value(rows.length) : 0;
    double squares = 0;
    for (std::uint64_t k = 0; k < rows.length; ++k)
      squares += std::pow(x.values[rows.at(outer, k, inner)] - centre, 2);
    const double deviation = std::sqrt(squares / static_cast<double>(rows.length) + eps);
    for (std::uint64_t k = 0; k < rows.length; ++k) {
      const std::size_t at = rows.at(outer, k, inner);
      const double factor = gamma != nullptr ? factor_at(*gamma, k) : 1,
                   shift = beta != nullptr ? factor_at(*beta, k) : 0;
      result.values[at] = (x.values[at] - centre) / deviation * factor + shift;
      result.scales[at] =
          (x.scale(at) + std::fabs(centre)) / deviation * std::fabs(factor) + std::fabs(shift);
    }
  });
  return result;
}

NumberArray layernorm(const FormulaArguments& arguments) {
  if (arguments.count() == 2) return normalised(arguments, true, nullptr, nullptr, arguments.number(1));
  if (arguments.count() == 3) arguments.fail("give gamma and beta, or none of them");
  return normalised(arguments, true, &arguments[1], &arguments[2], arguments.number(3));
}

NumberArray rmsnorm(const FormulaArguments& arguments) {
  if (arguments.count() == 2) return normalised(arguments, false, nullptr, nullptr, arguments.number(1));
  return normalised(arguments, false, &arguments[1], nullptr, arguments.number(2));
}

// How often each whole number from 0 to bins - 1 occurs; other values count nowhere.
NumberArray histogram(const FormulaArguments& arguments) {
  const std::int64_t bins = arguments.whole(1);
  if (bins < 1) arguments.fail("there must be a bin");
  NumberArray result = zeros({static_cast<std::uint64_t>(bins)});
  arguments.spend(arguments[0].size());
  for (const double value : arguments[0].values) {
    const double bin = std::floor(value);
    if (bin >= 0 && bin < static_cast<double>(bins)) ++result.values[static_cast<std::size_t>(bin)];
  }
  result.scales = result.values;
  return result;
}

constexpr std::array<FormulaFunction, 18> functions = {{
    {"sum", "sum(x, axis)", 1, 2, reduced<Sum>},
    {"mean", "mean(x, axis)", 1, 2, reduced<Mean>},
    {"prod", "prod(x, axis)", 1, 2, reduced<Product>},
    {"var", "var(x, axis)", 1, 2, reduced<Variance>},
    {"amax", "amax(x, axis)", 1, 2, reduced<Extreme<true>>},
    {"amin", "amin(x, axis)", 1, 2, reduced<Extreme<false>>},
    {"max", "max(x) or max(x, y)", 1, 2, extreme_or_elementwise<true>},
    {"min", "min(x) or min(x, y)", 1, 2, extreme_or_elementwise<false>},
    {"argmax", "argmax(x, axis)", 1, 2, reduced<ExtremeIndex<true>>},
    {"argmin", "argmin(x, axis)", 1, 2, reduced<ExtremeIndex<false>>},
    {"cumsum", "cumsum(x, axis)", 1, 2, running_sum<true>},
    {"exclusive_cumsum", "exclusive_cumsum(x, axis)", 1, 2, running_sum<false>},
    {"softmax", "softmax(x, axis)", 1, 2, softmax<false>},
    {"log_softmax", "log_softmax(x, axis)", 1, 2, softmax<true>},
    {"layernorm", "layernorm(x, eps) or layernorm(x, gamma, beta, eps)", 2, 4, layernorm},
    {"rmsnorm", "rmsnorm(x, eps) or rmsnorm(x, gamma, eps)", 2, 3, rmsnorm},
    {"histogram", "histogram(x, bins)", 2, 2, histogram},
    {"logsumexp", "logsumexp(x, axis)", 1, 2, logsumexp},
}};

}  // namespace

std::span<const FormulaFunction> row_functions() {
  return functions;
}

}  // namespace tilescope
