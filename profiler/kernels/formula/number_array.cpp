#include "profiler/kernels/formula/number_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilescope {

std::uint64_t elements_of(const ArrayShape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) {
    if (size > most_array_elements || count * size > most_array_elements)
      throw FormulaError(fmt::format("an array {} is too large: a formula takes up to {} elements",
                                     shape_words(shape), most_array_elements));
    count *= size;
  }
  return count;
}

std::string shape_words(const ArrayShape& shape) {
  if (shape.empty()) return "a number";
  std::string words;
  for (const std::uint64_t size : shape) words += fmt::format("[{}]", size);
  return words;
}

NumberArray zeros(ArrayShape shape) {
  NumberArray array;
  array.values.resize(elements_of(shape));
  array.scales.resize(array.values.size());
  array.shape = std::move(shape);
  return array;
}

NumberArray one_number(double value) {
  return {{}, {value}, {}};
}

void FormulaWork::spend(std::uint64_t operations) {
  constexpr std::uint64_t between_checks = 1'000'000;
  unchecked_ += operations;
  if (unchecked_ < between_checks) return;
  unchecked_ = 0;
  if (cancelled_ && cancelled_()) throw FormulaCancelled();
}

ArrayRows rows_along(const ArrayShape& shape, std::size_t axis) {
  ArrayRows rows;
  for (std::size_t i = 0; i < axis; ++i) rows.outer_count *= shape[i];
  rows.length = shape[axis];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) rows.inner_count *= shape[i];
  return rows;
}

ArrayShape broadcast_shape(const ArrayShape& a, const ArrayShape& b) {
  ArrayShape shape(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    // From the last size.
    const std::uint64_t of_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::uint64_t of_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1)
      throw FormulaError(fmt::format("{} and {} do not fit: sizes must be equal, or one of them 1",
                                     shape_words(a), shape_words(b)));
    shape[shape.size() - 1 - i] = of_a == 1 ? of_b : of_a;
  }
  return shape;
}

SharedArray broadcast(const SharedArray& array, const ArrayShape& shape) {
  if (array->shape == shape) return array;
  NumberArray wide = zeros(shape);
  // The step in `array` along each axis of `shape`; 0 where its elements are repeated.
  std::vector<std::size_t> steps(shape.size());
  std::size_t step = 1;
  for (std::size_t i = 0; i < array->shape.size(); ++i) {
    const std::uint64_t size = array->shape[array->shape.size() - 1 - i];
    steps[shape.size() - 1 - i] = size == 1 ? 0 : step;
    step *= size;
  }
  std::vector<std::uint64_t> index(shape.size());
  std::size_t from = 0;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    wide.values[i] = array->values[from];
    wide.scales[i] = array->scale(from);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += steps[axis];
      if (++index[axis] < shape[axis]) break;
      from -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return std::make_shared<const NumberArray>(std::move(wide));
}

}  // namespace tilescope
