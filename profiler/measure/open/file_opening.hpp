#pragma once

#include "profiler/measure/register_answer.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// Finds the kernels of a file, chooses one, finds out how it is launched and interprets the launch: fills `point`. A
/// result is compared with nothing, so that a point that ran to its end is `unchecked`. Throws what failure_of() takes.
void open_file(Workbench& bench, const OpenFile::Params& params, const MeasureControl& control,
               OpenedPoint& point);

}  // namespace tilescope
