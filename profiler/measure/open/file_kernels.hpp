#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/measure/caches/disassembly_cache.hpp"
#include "profiler/measure/files/input_file.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A piece of device code of an opened file.
struct OpenedCode {
  /// ptx or cubin.
  InputFile form = InputFile::cubin;
  std::string contents;
  /// As OpenedKernel::origin.
  std::string origin;
};

/// Kernels of all pieces, and the piece of each.
struct FileKernels {
  std::vector<OpenedKernel> kernels;
  /// By kernel: into the pieces.
  std::vector<std::size_t> code;
};

/// A piece that cannot be read gives no kernels, and a note.
FileKernels kernels_of(const std::vector<OpenedCode>& codes, const DeviceModel& device,
                       DisassemblyCache& disassemblies, std::vector<std::string>& notes);

/// The indices that a kernel's code reads.
UsedAxes used_axes(const OpenedCode& code, const std::string& entry, DisassemblyCache& disassemblies);

/// The kernel that `wanted` names, by a part of its name that no other one has; for "" the first of `launched`, names as
/// the source has them, else the first of the file. Throws UnknownEntry with the kernels that there are. `reason`: why it
/// was chosen among several, "" where the user chose it or there is one alone.
/// `has_other_constants`: the source was compiled with other constants than `wanted` is from. Where they are arguments of
/// its template, the kernel has another name: it is the one with the same name without them.
std::size_t choose_kernel(const std::vector<OpenedKernel>& kernels, const std::string& wanted,
                          bool has_other_constants, const std::vector<std::string>& launched,
                          std::string& reason);

}  // namespace tilescope
