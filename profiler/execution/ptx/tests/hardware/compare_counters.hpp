#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_record.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope::hardware {

/// The interpreter's counts under the names of the profiler's counters.
Counters counters_of(const MemoryCounts& memory);

/// One counter of one case.
struct CounterComparison {
  std::string counter;
  std::int64_t gpu = 0, here = 0;
  /// The reason in h200_differences.json for exactly these two numbers; "" for none.
  std::string why;

  /// |here - gpu| / gpu; infinity when only gpu is 0.
  double deviation() const;
};

/// Every counter that both have for this case. For conflicts of ld and st the profiler counts only the data stage,
/// which also counts waits when warps share it. They are left out where more than a few warps run.
std::vector<CounterComparison> compare_counters(const Case& one, const HardwareRecord& record,
                                                const MemoryCounts& memory);

/// Corrects the interpreter's counts of ld.shared for neighbouring loads that ptxas fuses.
struct FusedLoads {
  std::int64_t instructions = 0, wavefronts = 0;
};

/// `fused` is the entry of a difference: for the loads on the line with the text "source", "loads": [in PTX, in SASS]
/// and the wavefronts of each, "wavefronts": [in PTX, in SASS]. Throws std::runtime_error when no line of the kernel or
/// no load has that source, or when its loads took another number of wavefronts.
FusedLoads fuse_loads(const MemoryCounts& memory, const Json& fused,
                      const std::filesystem::path& kernel_file);

}  // namespace tilescope::hardware
