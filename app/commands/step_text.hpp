#pragma once

#include <cstdint>
#include <string>

#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"

/// Output of `tilescope step`.
namespace tilescope {

std::string stop_text(const StepStop& stop, const StepView& view);
std::string timeline_text(const StepTimeline& timeline);
/// The tiles of a row that are done at `slot`.
std::string row_text(const StepRowHistory& row, std::uint64_t slot);

}  // namespace tilescope
