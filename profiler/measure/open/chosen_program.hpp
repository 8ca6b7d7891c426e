#pragma once

#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/open/opened_codes.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/chosen_file.hpp"

namespace tilescope {

/// Compiles and decodes the kernel of a file. Errors of the code are the program's status, a cubin where PTX is wanted
/// among them; throws UnknownEntry and what opened_codes() throws.
FileProgram program_of(Workbench& bench, const ChosenFile& file, CodeForm form,
                       const MeasureControl& control);

}  // namespace tilescope
