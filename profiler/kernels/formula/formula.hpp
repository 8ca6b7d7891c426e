#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "profiler/kernels/formula/number_array.hpp"

/// The result that a kernel should have, as an expression of C over its arrays:
///   "y[M][N] = softmax(x[M][N])"      "C = alpha * matmul(A[M][K], B[K][N]) + beta * C"
/// Subscripts behind an array give its shape, in which the last index runs fastest; an array without them is one row.
/// Operators work element by element, on shapes that are broadcast as in NumPy, in float64. README.md lists the functions.
namespace tilescope {

/// The value of a name: an array before the launch, or a number. nullptr for an unknown name.
using FormulaNames = std::function<SharedArray(const std::string& name)>;

/// A name as formulas write it: "argument_2" for "argument 2".
std::string formula_name(std::string name);

class Formula {
 public:
  /// Reads "expression" or "name[size]... = expression". Throws FormulaError where it is none.
  explicit Formula(const std::string& text);
  ~Formula();
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;

  const std::string& text() const&;
  /// The name that is given the value; "" where none is.
  const std::string& target() const;
  /// Whether the target has sizes: the formula may then be for the first part of an array.
  bool gives_shape() const;
  /// All names in it, the target's sizes included.
  const std::set<std::string>& names() const&;
  const std::set<std::string>& names() const&& = delete;
  /// Computes it; the shape is the target's where that has one. `cancelled` is asked from time to time. Throws
  /// FormulaError, and FormulaCancelled.
  NumberArray value(const FormulaNames& names, const std::function<bool()>& cancelled) const;

 private:
  struct Implementation;
  std::unique_ptr<const Implementation> implementation_;
};

}  // namespace tilescope
