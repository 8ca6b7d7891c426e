#pragma once

#include <string>
#include <vector>

#include "profiler/views/kernel_file/launch_rows.hpp"

namespace tilescope {

/// A row of a launch that can be varied, and values for it in ascending order, its own among them.
struct VariedRow {
  std::string what, current;
  std::vector<std::string> values;
};

/// Constants of the source with the values that are proposed for them, then whole numbers of the launch, and blocks and
/// grids in one dimension, with powers of two times their value. Rows of other kinds are left out.
std::vector<VariedRow> varied_rows(const std::vector<LaunchRow>& rows);

/// The parts between commas, without the blanks around them; empty ones are left out.
std::vector<std::string> split_values(const std::string& text);

}  // namespace tilescope
