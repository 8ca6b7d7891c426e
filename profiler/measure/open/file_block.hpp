#pragma once

#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// Runs one block of a file's kernel and sends the selected executions, as interpret_block() does. Failures are the
/// summary's status.
RecordingSummary record_file_block(Workbench& bench, const ChosenFile& file, const AccessSelection& selection,
                                   const MeasureControl& control);

}  // namespace tilescope
