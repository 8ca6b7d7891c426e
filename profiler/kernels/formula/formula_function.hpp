#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/kernels/formula/number_array.hpp"

namespace tilescope {

/// Arguments of a call in a formula, with what its function may ask of them.
class FormulaArguments {
 public:
  FormulaArguments(std::string_view usage, const std::vector<SharedArray>& arrays, FormulaWork& work)
      : usage_(usage), arrays_(arrays), work_(work) {}

  std::size_t count() const { return arrays_.size(); }
  const SharedArray& shared(std::size_t i) const { return arrays_[i]; }
  const NumberArray& operator[](std::size_t i) const { return *arrays_[i]; }
  /// An argument that is one number. Throws FormulaError, as all below.
  double number(std::size_t i) const;
  std::int64_t whole(std::size_t i) const;
  /// An axis of argument 0; negative ones count from the last, which is taken where there is no argument `i`.
  std::size_t axis(std::size_t i) const;
  /// That argument `i` has at least so many axes.
  void require_axes(std::size_t i, std::size_t fewest) const;
  /// Throws FormulaError with the function's usage.
  [[noreturn]] void fail(const std::string& sentence) const;
  void spend(std::uint64_t operations) const { work_.spend(operations); }
  FormulaWork& work() const { return work_; }

 private:
  std::string_view usage_;
  const std::vector<SharedArray>& arrays_;
  FormulaWork& work_;
};

/// A function that formulas can call.
struct FormulaFunction {
  std::string_view name;
  /// "softmax(x, axis)"
  std::string_view usage;
  std::size_t fewest = 1, most = 1;
  NumberArray (*value)(const FormulaArguments& arguments) = nullptr;
};

/// nullptr for an unknown name.
const FormulaFunction* formula_function(std::string_view name);
/// All names, separated by ", ".
std::string formula_function_names();

/// An operator of C for arrays that are broadcast: "+", "<", "&". Throws FormulaError for an unknown one.
NumberArray combined(std::string_view operation, const SharedArray& left, const SharedArray& right,
                     FormulaWork& work);
/// condition ? yes : no, by element.
NumberArray selected(const SharedArray& condition, const SharedArray& yes, const SharedArray& no,
                     FormulaWork& work);

/// Functions by what they do, each in a file of its own.
std::span<const FormulaFunction> elementwise_functions();
std::span<const FormulaFunction> row_functions();
std::span<const FormulaFunction> product_functions();
std::span<const FormulaFunction> shape_functions();

}  // namespace tilescope
