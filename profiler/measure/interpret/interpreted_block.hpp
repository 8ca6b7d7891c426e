#pragma once

#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

struct AccessSelection;
struct RecordingSummary;

/// Runs one block and sends the selected executions, a few hundred at a time, in the form of
/// profiler/execution/memory/block_recording.hpp. Failures are the summary's status, as in Counted.
RecordingSummary interpret_block(Workbench& bench, const Prepared& kernel, const AccessSelection& selection,
                                 const MeasureControl& control);

}  // namespace tilescope
