#pragma once

#include <string>
#include <vector>

#include "profiler/views/kernel_file/launch_rows.hpp"

namespace tilescope {

/// A row of a launch that can be varied, and values for it in ascending order, its own among them.
struct VariedRow {
  std::string what, current;
  std::vector<std::string> values;
  /// Its value was computed from another row, or is another row's: "rows * cols with rows = 96".
  bool follows_another = false;
};

/// Constants of the source, then sizes of the launch, each with the values that are proposed for it. Rows of other kinds are
/// left out.
std::vector<VariedRow> varied_rows(const std::vector<LaunchRow>& rows);

/// The row to begin with, none for no rows: the first that follows no other, which is a constant where there is one.
const VariedRow* first_to_vary(const std::vector<VariedRow>& rows);

/// The parts between commas, without the blanks around them, each once; empty ones are left out.
std::vector<std::string> split_values(const std::string& text);

}  // namespace tilescope
