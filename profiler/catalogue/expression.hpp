#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// An expression that cannot be evaluated: the message has the expression and what is wrong in it.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The names in expressions that do not come from a kernel: those of the shape, the launch and the device.
const std::vector<std::string>& common_names();

/// Returns a function that checks an expression of a kernel independently of the configuration: its result is the error
/// in syntax or names, or "". Throws ExpressionError for a parameter or a value whose name is reserved by muParser,
/// such as "_pi".
std::function<std::string(const std::string& expression)> expression_check(const KernelDeclaration& kernel);

/// The names that a declaration's expressions may use, with their values:
/// - every parameter; a parameter whose values are names counts from 0 in the order of its declaration, and each of its
///   names is a constant with that number, so that expressions can say `SMEM_LAYOUT == padded`;
/// - the shape: B, Hq, Hkv, Sq, Sk, D, CAUSAL (0 or 1), ELEMENT_BYTES;
/// - BLOCK_GROUP, the value of the declaration's block_group, 1 without one (it may use neither itself nor
///   SHARED_BYTES);
/// - SHARED_BYTES, the value of the declaration's dynamic_shared_bytes (which may not use it), 0 where a library
///   launches;
/// - the device: MAX_SHARED_BYTES (per block, with the opt-in), MAX_THREADS (per block), SM_COUNT.
class Scope {
 public:
  /// Throws ExpressionError.
  Scope(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
        const DeviceModel& device);

  /// The value of an expression of muParser's syntax (+ - * / < <= == != && || ?:), with `%` (remainder),
  /// ceil_div(a, b), min and max. Throws ExpressionError.
  double evaluate(const std::string& expression) const;
  /// Like evaluate, for a count: throws ExpressionError when the value is not a non-negative whole number.
  std::int64_t evaluate_count(const std::string& expression) const;

 private:
  std::map<std::string, double> values_;
};

}  // namespace tilescope
