#pragma once

#include <cstddef>

#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "profiler/measure/open/opened_codes.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/chosen_file.hpp"

namespace tilescope {

/// A kernel of a file, with the code and the sources that it is from.
struct ChosenKernel {
  FileProgram program;
  OpenedCodes opened;
  /// The piece that the program is from, into OpenedCodes::codes.
  std::size_t code = 0;
};
/// As program_of().
ChosenKernel chosen_kernel(Workbench& bench, const ChosenFile& file, CodeForm form,
                           const MeasureControl& control);

/// Compiles and decodes the kernel of a file. Errors of the code are the program's status, a cubin where PTX is wanted
/// among them; throws UnknownEntry and what opened_codes() throws.
FileProgram program_of(Workbench& bench, const ChosenFile& file, CodeForm form,
                       const MeasureControl& control);

/// Gives a launch of the file the buffers that the kernels "before" it leave. Throws what contents_after() and program_of()
/// throw.
void run_earlier_kernels(Workbench& bench, const ChosenFile& file, CodeForm form, const RunLimit& limit,
                         const MeasureControl& control, FileLaunch& launch);

}  // namespace tilescope
