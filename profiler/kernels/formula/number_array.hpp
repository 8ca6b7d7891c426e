#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// A formula that cannot be read or computed: what() says what is wrong with which part.
class FormulaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using ArrayShape = std::vector<std::uint64_t>;

/// Numbers in the order of C: the last index runs fastest. A shape without sizes is one number.
struct NumberArray {
  ArrayShape shape;
  std::vector<double> values;
  /// By element: the sum of the magnitudes of the terms from which it was computed, to which its rounding error in a
  /// shorter format is proportional. A sum that cancels has a small value and a large scale. Empty: |value|.
  std::vector<double> scales;

  std::size_t size() const { return values.size(); }
  double scale(std::size_t i) const { return scales.empty() ? std::fabs(values[i]) : scales[i]; }
};
using SharedArray = std::shared_ptr<const NumberArray>;

/// Elements of an array that a formula computes with, at most: 256 MiB of float64.
inline constexpr std::uint64_t most_array_elements = std::uint64_t{1} << 25U;

/// Product of the sizes. Throws FormulaError for more than most_array_elements.
std::uint64_t elements_of(const ArrayShape& shape);
/// "[64][32]", or "a number".
std::string shape_words(const ArrayShape& shape);
/// An array of zeros, with scales.
NumberArray zeros(ArrayShape shape);
NumberArray one_number(double value);

/// Whether a computation that takes long should end.
class FormulaWork {
 public:
  explicit FormulaWork(std::function<bool()> cancelled) : cancelled_(std::move(cancelled)) {}

  /// Before this many operations. Throws FormulaCancelled.
  void spend(std::uint64_t operations);

 private:
  std::function<bool()> cancelled_;
  std::uint64_t unchecked_ = 0;
};

/// The computation was cancelled: no fault of the formula.
class FormulaCancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// An array as rows along one axis: element k of row (outer, inner) is at (outer * length + k) * inner_count + inner.
struct ArrayRows {
  std::uint64_t outer_count = 1, length = 1, inner_count = 1;

  std::size_t at(std::uint64_t outer, std::uint64_t k, std::uint64_t inner) const {
    return (outer * length + k) * inner_count + inner;
  }
};
ArrayRows rows_along(const ArrayShape& shape, std::size_t axis);

/// The shape that two arrays have together, as in NumPy: sizes are compared from the last one, and 1 fits any. Throws
/// FormulaError.
ArrayShape broadcast_shape(const ArrayShape& a, const ArrayShape& b);
/// The array with that shape: elements are repeated along sizes that are 1 or missing. The array itself where it has it.
SharedArray broadcast(const SharedArray& array, const ArrayShape& shape);

}  // namespace tilescope
