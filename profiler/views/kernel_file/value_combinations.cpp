#include "profiler/views/kernel_file/value_combinations.hpp"

#include <limits>

namespace tilescope {

std::size_t count_combinations(const std::vector<VariedValues>& varied) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  std::size_t count = 1;
  bool is_too_large = false;
  for (const VariedValues& one : varied) {
    if (one.values.empty()) return 0;
    if (count > largest / one.values.size()) is_too_large = true;
    count *= one.values.size();
  }
  return is_too_large ? largest : count;
}

std::vector<ValueCombination> value_combinations(const std::vector<VariedValues>& varied) {
  std::vector<ValueCombination> combinations{{}};
  for (const VariedValues& one : varied) {
    std::vector<ValueCombination> longer;
    longer.reserve(combinations.size() * one.values.size());
    for (const ValueCombination& before : combinations) {
      for (const std::string& value : one.values) {
        longer.push_back(before);
        longer.back().emplace_back(one.what, value);
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

}  // namespace tilescope
