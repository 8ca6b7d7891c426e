#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/measure/open/known_parameters.hpp"

namespace tilescope {

/// A value that a parameter's name suggests.
struct SuggestedNumber {
  double value = 0;
  /// "a batch size by its name"
  std::string reason;
  /// It, or a number that it is computed from, is what a name suggests.
  bool is_guess = false;
};

/// The facts that suggestions go by beside a name.
struct SuggestionBasis {
  /// The usual sizes are divided by it: more than 1 where they make a launch too large.
  double divisor = 1;
  /// Multiprocessors of the device; 0 if unknown.
  int sms = 0;
  /// Values of expressions of the host code, by their text without blanks, that a program passes: see NamedCall. They go before
  /// suggestions.
  std::map<std::string, double> host_values{};
  /// The program, as reasons name it.
  std::string caller{};
};

/// The usual value of numbers with this name: sizes, strides, scales, switches. `is_floating`: the parameter is a
/// floating-point number. Any name has a value; those that say nothing have one that says so.
SuggestedNumber suggested_number(std::string_view name, bool is_floating, const SuggestionBasis& basis = {});

/// Numbers that the compiler put into the machine code in the place of parameters.
struct CompiledIn {
  /// Parameters that the compiler left out since they are 1, as Triton does, so that none that is there is the stride of an
  /// array's last axis; none where it leaves out nothing.
  std::optional<std::vector<std::string>> ones{};
  /// Elements along the last axis of attention's arrays.
  std::optional<double> head_dimension{};
};

/// Fills what strides and leading dimensions are from the sizes beside them: `stride_am` of [M, K] is K, `ldb` is N, and
/// `pitch` is the width.
/// `values`: by parameter, none for pointers. `is_guess`: which of them are suggestions and may be replaced.
void suggest_strides(const std::vector<KnownParameter>& parameters, const std::vector<bool>& is_guess,
                     const CompiledIn& compiled_in, std::vector<std::optional<SuggestedNumber>>& values);

}  // namespace tilescope
