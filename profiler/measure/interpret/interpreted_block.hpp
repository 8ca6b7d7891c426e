#pragma once

#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/measure/interpret/interpreted_launch.hpp"
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

/// Options of a recording without what depends on the kernel. Throws std::invalid_argument for a line that is none.
RecordingOptions recording_options(const AccessSelection& selection, const MeasureControl& control);

/// Runs the block of a launch and sends the selected executions. Throws what record_block() throws.
RecordingSummary send_block(InterpretedLaunch& launch, const RecordingOptions& options,
                            const MeasureControl& control);

}  // namespace tilescope
