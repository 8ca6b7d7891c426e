#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/explorer/kernel_file/tried_values.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"
#include "profiler/views/kernel_file/varied_rows.hpp"

namespace tilescope {

/// Tried combinations as rows, in their order or by latency.
class TriedTable {
 public:
  /// The combination of the row that was clicked. `varied`: TriedValues::varied(); `launch`: rows with their present values,
  /// which mark a row. Marks "kernel_file.tried.VALUE,VALUE" and "kernel_file.tried_latency".
  std::optional<ValueCombination> draw(const TriedValues& tried, const std::vector<std::string>& varied,
                                       const std::vector<VariedRow>& launch);

 private:
  bool by_latency_ = false;
};

}  // namespace tilescope
