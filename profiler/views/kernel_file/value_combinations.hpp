#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// A constant of the source or a part of the launch, by LaunchGuess::what, and the values that it goes through.
struct VariedValues {
  std::string what;
  std::vector<std::string> values;

  bool operator==(const VariedValues&) const = default;
};

/// A value for each that is varied, in their order.
using ValueCombination = std::vector<std::pair<std::string, std::string>>;

/// Combinations that are executed at most, by `open --vary` and by the window.
inline constexpr std::size_t max_combinations = 256;

/// How many combinations there are, without listing them; no more than the largest std::size_t.
std::size_t count_combinations(const std::vector<VariedValues>& varied);

/// All combinations, the last of `varied` fastest.
std::vector<ValueCombination> value_combinations(const std::vector<VariedValues>& varied);

}  // namespace tilescope
