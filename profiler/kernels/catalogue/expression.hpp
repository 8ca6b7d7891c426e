#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// An expression that cannot be evaluated: the message has the expression and what is wrong in it.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The names in expressions that do not come from a kernel: names of the shape, the launch and the device.
const std::vector<std::string>& common_names();

/// ROW, COLUMN, PITCH: the names that only the index of a tile may use besides all others.
const std::vector<std::string>& index_names();

/// Checks the expressions of a declaration without a configuration: their syntax and their names. It begins with the
/// parameters, the shape and the device; `define` adds the names that have expressions of their own, in the order in
/// which Scope computes them: each "let", BLOCK_GROUP, SHARED_BYTES.
class ExpressionCheck {
 public:
  /// Throws ExpressionError for a parameter or a value whose name muParser has for itself, such as "_pi".
  explicit ExpressionCheck(const KernelDeclaration& kernel);
  ~ExpressionCheck();

  /// Error of an expression in every configuration, "" if there is none.
  std::string why_wrong(const std::string& expression) const;
  /// From here on expressions may use `name`. Throws ExpressionError for the name of a constant or a function.
  void define(const std::string& name);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The names that a declaration's expressions may use, with their values:
/// - every parameter; a parameter whose values are names counts from 0 in the order of its declaration, and each of its
///   names is a constant with that number, so that expressions can say `SMEM_LAYOUT == padded`;
/// - the shape: B, Hq, Hkv, Sq, Sk, D, CAUSAL (0 or 1), ELEMENT_BYTES;
/// - the device: MAX_SHARED_BYTES (per block, with the opt-in), MAX_THREADS (per block), SM_COUNT;
/// - the names under "let", in their order: each may use the names above and those before it;
/// - BLOCK_GROUP, the value of the declaration's block_group, 1 without one; it may use all of the above;
/// - SHARED_BYTES, the value of the declaration's dynamic_shared_bytes, 0 where a library launches; it may use all of
///   the above.
class Scope {
 public:
  /// Throws ExpressionError.
  Scope(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
        const DeviceModel& device);

  /// The value of an expression of muParser's syntax (+ - * / < <= == != && || ?:), with `%` (remainder),
  /// ceil_div(a, b), floor_div(a, b), min, max and, of whole numbers >= 0, bit_xor(a, b). Throws ExpressionError.
  double evaluate(const std::string& expression) const;
  /// Like evaluate, for a count: throws ExpressionError when the value is not a non-negative whole number.
  std::int64_t evaluate_count(const std::string& expression) const;
  /// [rows * columns], row by row: the value of a tile's index for each ROW and COLUMN. Throws ExpressionError.
  std::vector<double> evaluate_index(const std::string& expression, std::int64_t rows, std::int64_t columns,
                                     std::int64_t pitch) const;

 private:
  void define(const std::string& name, double value);

  std::map<std::string, double> values_;
  /// All names in one text: what a parsed expression is found by.
  std::string names_key_;
};

}  // namespace tilescope
