#pragma once

#include <filesystem>
#include <functional>

#include "profiler/kernels/containers/cuobjdump.hpp"
#include "profiler/kernels/containers/found_code.hpp"

namespace tilescope {

/// Programs of NVIDIA that a search may need.
struct ContainerTools {
  /// Looked for when the first fat binary is found.
  CuobjdumpSearch cuobjdump{};
};

/// Finds the device code of a file: a cubin, PTX, a fat binary, a program, shared library, object file or static library
/// of the host, a wheel or zip file with such members, or a folder with them, as Triton's and TorchInductor's caches.
/// Code without a kernel and code that is not linked is left out. Takes at most 512 MB of code. Throws CodeNotFound,
/// UnreadableFile, CuobjdumpUnavailable and SearchCancelled; their sentences do not name the file.
FoundIn find_code(const std::filesystem::path& file, const ContainerTools& tools,
                  const std::function<bool()>& cancelled = {});

}  // namespace tilescope
