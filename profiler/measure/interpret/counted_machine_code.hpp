#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/execution/memory/instruction_counts.hpp"
#include "profiler/execution/sass/issue_model.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/service/requests/counted_code.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Distribution of a launch's warps over SMs. Without an occupancy one block at a time is on an SM.
sass::WarpPlaces warp_places(const LaunchGeometry& geometry, const DeviceModel& device,
                             const std::optional<Occupancy>& occupancy);

/// The machine code of a program, with what each instruction did and what it takes to issue it. `counts` is by index
/// into Program::code. `main_file`, without its folder, is the kernel's own file: lines are reported there. Without SMs
/// in `places` there are no limits of an SM.
CountedCode counted_machine_code(const simt::Program& program, const std::vector<InstructionCounts>& counts,
                                 std::string_view main_file, const sass::WarpPlaces& places);

}  // namespace tilescope
