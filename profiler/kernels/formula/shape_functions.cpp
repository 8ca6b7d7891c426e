#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiler/kernels/formula/formula_function.hpp"

// Functions that move elements, and rotary embeddings.
namespace tilescope {
namespace {

// Axis i of the result is axis order[i] of x.
NumberArray reordered(const NumberArray& x, const std::vector<std::size_t>& order,
                      const FormulaArguments& arguments) {
  std::vector<std::size_t> steps(x.shape.size(), 1);
  for (std::size_t i = x.shape.size(); i-- > 1;) steps[i - 1] = steps[i] * x.shape[i];
  ArrayShape shape;
  for (const std::size_t axis : order) shape.push_back(x.shape[axis]);
  NumberArray result = zeros(shape);
  arguments.spend(x.size() * 4);
  std::vector<std::uint64_t> index(shape.size());
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.size(); ++to) {
    result.values[to] = x.values[from];
    result.scales[to] = x.scale(from);
    for (std::size_t i = shape.size(); i-- > 0;) {
      from += steps[order[i]];
      if (++index[i] < shape[i]) break;
      from -= steps[order[i]] * shape[i];
      index[i] = 0;
    }
  }
  return result;
}

NumberArray transpose(const FormulaArguments& arguments) {
  arguments.require_axes(0, 2);
  std::vector<std::size_t> order(arguments[0].shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return reordered(arguments[0], order, arguments);
}

NumberArray permute(const FormulaArguments& arguments) {
  std::vector<std::size_t> order;
  for (std::size_t i = 1; i < arguments.count(); ++i) order.push_back(arguments.axis(i));
  std::vector<std::size_t> sorted = order;
  std::ranges::sort(sorted);
  const bool has_each_once =
      sorted.size() == arguments[0].shape.size() && std::ranges::adjacent_find(sorted) == sorted.end();
  if (!has_each_once)
    arguments.fail(fmt::format("name each of the {} axes of {} once", arguments[0].shape.size(),
                               shape_words(arguments[0].shape)));
  return reordered(arguments[0], order, arguments);
}

NumberArray reshape(const FormulaArguments& arguments) {
  NumberArray result = arguments[0];
  result.shape.clear();
  for (std::size_t i = 1; i < arguments.count(); ++i) {
    const std::int64_t size = arguments.whole(i);
    if (size < 1) arguments.fail(fmt::format("{} is not a size", size));
    result.shape.push_back(static_cast<std::uint64_t>(size));
  }
  if (elements_of(result.shape) != result.size())
    arguments.fail(fmt::format("{} has {} elements, and {} would have {}", shape_words(arguments[0].shape),
                               result.size(), shape_words(result.shape), elements_of(result.shape)));
  return result;
}

NumberArray flatten(const FormulaArguments& arguments) {
  return {{arguments[0].size()}, arguments[0].values, arguments[0].scales};
}

// Part [first, end) of an axis.
NumberArray slice(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  const std::size_t axis = arguments.axis(1);
  const std::int64_t first = arguments.whole(2), end = arguments.whole(3);
  const ArrayRows rows = rows_along(x.shape, axis);
  if (first < 0 || end <= first || static_cast<std::uint64_t>(end) > rows.length)
    arguments.fail(fmt::format("[{}, {}) is no part of an axis of {} elements", first, end, rows.length));
  ArrayShape shape = x.shape;
  shape[axis] = static_cast<std::uint64_t>(end - first);
  NumberArray result = zeros(shape);
  std::size_t to = 0;
  for (std::uint64_t outer = 0; outer < rows.outer_count; ++outer) {
    for (std::uint64_t k = 0; k < shape[axis]; ++k) {
      for (std::uint64_t inner = 0; inner < rows.inner_count; ++inner, ++to) {
        const std::size_t from = rows.at(outer, k + static_cast<std::uint64_t>(first), inner);
        result.values[to] = x.values[from];
        result.scales[to] = x.scale(from);
      }
    }
  }
  return result;
}

NumberArray concat(const FormulaArguments& arguments) {
  const NumberArray &x = arguments[0], &y = arguments[1];
  const std::size_t axis = arguments.axis(2);
  ArrayShape shape = x.shape, other = y.shape;
  if (other.size() == shape.size()) other[axis] = shape[axis];
  if (other != shape)
    arguments.fail(fmt::format("{} and {} differ in more than the axis {}", shape_words(x.shape),
                               shape_words(y.shape), axis));
  shape[axis] = x.shape[axis] + y.shape[axis];
  NumberArray result = zeros(shape);
  const ArrayRows rows = rows_along(shape, axis), of_x = rows_along(x.shape, axis),
                  of_y = rows_along(y.shape, axis);
  for (std::uint64_t outer = 0; outer < rows.outer_count; ++outer) {
    for (std::uint64_t k = 0; k < rows.length; ++k) {
      const bool is_first = k < of_x.length;
      for (std::uint64_t inner = 0; inner < rows.inner_count; ++inner) {
        const NumberArray& array = is_first ? x : y;
        const std::size_t from = is_first ? of_x.at(outer, k, inner) : of_y.at(outer, k - of_x.length, inner);
        result.values[rows.at(outer, k, inner)] = array.values[from];
        result.scales[rows.at(outer, k, inner)] = array.scale(from);
      }
    }
  }
  return result;
}

// Each element of an axis `count` times: the keys of a group of query heads.
NumberArray repeat(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  const std::int64_t count = arguments.whole(1);
  if (count < 1 || count > static_cast<std::int64_t>(most_array_elements))
    arguments.fail(fmt::format("an element is repeated once or more, up to {} times", most_array_elements));
  const std::size_t axis = arguments.axis(2);
  ArrayShape shape = x.shape;
  shape[axis] *= static_cast<std::uint64_t>(count);
  NumberArray result = zeros(shape);
  const ArrayRows rows = rows_along(shape, axis), of_x = rows_along(x.shape, axis);
  for (std::uint64_t outer = 0; outer < rows.outer_count; ++outer) {
    for (std::uint64_t k = 0; k < rows.length; ++k) {
      for (std::uint64_t inner = 0; inner < rows.inner_count; ++inner) {
        const std::size_t from = of_x.at(outer, k / static_cast<std::uint64_t>(count), inner);
        result.values[rows.at(outer, k, inner)] = x.values[from];
        result.scales[rows.at(outer, k, inner)] = x.scale(from);
      }
    }
  }
  return result;
}

// Element k of an axis is x[k + by], and 0 where there is none: the neighbours of a stencil.
NumberArray shift(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  const std::int64_t by = arguments.whole(1);
  const ArrayRows rows = rows_along(x.shape, arguments.axis(2));
  NumberArray result = zeros(x.shape);
  arguments.spend(x.size());
  for (std::uint64_t outer = 0; outer < rows.outer_count; ++outer) {
    for (std::uint64_t k = 0; k < rows.length; ++k) {
      const std::int64_t source = static_cast<std::int64_t>(k) + by;
      if (source < 0 || source >= static_cast<std::int64_t>(rows.length)) continue;
      for (std::uint64_t inner = 0; inner < rows.inner_count; ++inner) {
        const std::size_t from = rows.at(outer, static_cast<std::uint64_t>(source), inner),
                          to = rows.at(outer, k, inner);
        result.values[to] = x.values[from];
        result.scales[to] = x.scale(from);
      }
    }
  }
  return result;
}

// 0, 1, 2 ...
NumberArray iota(const FormulaArguments& arguments) {
  const std::int64_t count = arguments.whole(0);
  if (count < 1) arguments.fail("there must be an element");
  NumberArray result = zeros({static_cast<std::uint64_t>(count)});
  for (std::size_t i = 0; i < result.size(); ++i) result.values[i] = static_cast<double>(i);
  return result;
}

// Rotates pairs of the last axis by angles with these cosines and sines, of half its length or, with each pair's value
// twice, of its length. A pair is (x[i], x[i + D/2]), or (x[2i], x[2i+1]) if `is_interleaved`.
template <bool is_interleaved>
NumberArray rotary(const FormulaArguments& arguments) {
  const NumberArray& x = arguments[0];
  const std::uint64_t depth = arguments[0].shape.empty() ? 0 : x.shape.back(), half = depth / 2;
  if (depth == 0 || depth % 2 != 0)
    arguments.fail(fmt::format("the last size of {} must be even", shape_words(x.shape)));
  std::array<SharedArray, 2> angles;
  for (const std::size_t i : {0UL, 1UL}) {
    ArrayShape shape = x.shape;
    const ArrayShape& given = arguments[i + 1].shape;
    if (!given.empty() && given.back() == half) shape.back() = half;
    angles[i] = broadcast(arguments.shared(i + 1), shape);
  }
  NumberArray result = zeros(x.shape);
  arguments.spend(x.size() * 4);
  const std::uint64_t rows = x.size() / depth;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t pair = 0; pair < half; ++pair) {
      const std::size_t first = row * depth + (is_interleaved ? 2 * pair : pair);
      const std::size_t second = first + (is_interleaved ? 1 : half);
      const auto angle = [&](std::size_t which) {
        const NumberArray& of = *angles[which];
        return of.values[of.shape.back() == half ? row * half + pair : first];
      };
      const double cosine = angle(0), sine = angle(1);
      result.values[first] = x.values[first] * cosine - x.values[second] * sine;
      result.values[second] = x.values[second] * cosine + x.values[first] * sine;
      const double scale = x.scale(first) + x.scale(second);
      result.scales[first] = result.scales[second] = scale;
    }
  }
  return result;
}

constexpr std::size_t any_count = 16;

constexpr std::array<FormulaFunction, 11> functions = {{
    {"transpose", "transpose(x)", 1, 1, transpose},
    {"permute", "permute(x, axis, axis ...)", 2, any_count, permute},
    {"reshape", "reshape(x, size, size ...)", 2, any_count, reshape},
    {"flatten", "flatten(x)", 1, 1, flatten},
    {"slice", "slice(x, axis, first, end)", 4, 4, slice},
    {"concat", "concat(x, y, axis)", 2, 3, concat},
    {"repeat", "repeat(x, count, axis)", 2, 3, repeat},
    {"shift", "shift(x, by, axis)", 2, 3, shift},
    {"iota", "iota(count)", 1, 1, iota},
    {"rotary", "rotary(x, cosines, sines)", 3, 3, rotary<false>},
    {"rotary_interleaved", "rotary_interleaved(x, cosines, sines)", 3, 3, rotary<true>},
}};

}  // namespace

std::span<const FormulaFunction> shape_functions() {
  return functions;
}

}  // namespace tilescope
