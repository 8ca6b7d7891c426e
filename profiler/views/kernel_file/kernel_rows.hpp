#pragma once

#include <string>
#include <vector>

#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A kernel of an opened file, as a row of a table. Figures that are unknown, as PTX has no registers, are "".
struct KernelRow {
  /// As FileSubject::entry.
  std::string entry;
  /// The name as C++ writes it.
  std::string name;
  /// "sm_89"
  std::string code;
  std::string registers, shared, spills;
  /// "50.0 % (shared memory)", and for a narrow table "50.0 %".
  std::string occupancy, short_occupancy;
  /// Further facts, a line each: the file's part, the instructions, the next step of the occupancy, spills, loops.
  std::vector<std::string> details;
  bool has_spills = false;
};

std::vector<KernelRow> kernel_rows(const std::vector<OpenedKernel>& kernels);

/// "50.0 % (shared memory)"; "" without an occupancy.
std::string occupancy_cell(const OpenedKernel& kernel);

/// Facts about the machine code of a kernel, a sentence or a list each: instructions by pipe, next step of the occupancy,
/// spills by line, the largest loops, why it cannot be executed.
std::vector<std::string> kernel_details(const OpenedKernel& kernel);

/// "grid (16, 16, 1), block (32, 8, 1), 0 B of dynamic shared memory"
std::string launch_words(const LaunchedPoint& point);

}  // namespace tilescope
