#pragma once

#include <cstddef>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/elf_file.hpp"

namespace tilescope::sass {

/// Reads the file's records of the kernel whose code is `cubin.functions[function]`. The symbols and the
/// functions of `cubin` must be there; `file_info` is .nv.info. Throws CubinError.
CubinKernel read_kernel(const ElfFile& file, const Cubin& cubin, const std::vector<InfoAttribute>& file_info,
                        std::size_t function);

}  // namespace tilescope::sass
