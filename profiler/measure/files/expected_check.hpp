#pragma once

#include "profiler/execution/memory/trace.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/service/requests/run_file.hpp"

namespace tilescope {

/// Whether the launch file has "expected" values of any buffer.
bool has_expected_values(const FileLaunch& launch);

/// Compares the buffers, as a whole run left them, with the expected values: fills LaunchedPoint::compared and adds a
/// finding for each buffer with wrong values. Where there are any, the launch is run again, to see which instructions
/// wrote them last. `options`: the first run's.
void compare_with_expected(FileLaunch& launch, const TraceOptions& options, LaunchedPoint& point);

}  // namespace tilescope
