#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// Extensions of files that hold kernels: ".cu", ".ptx", ".cubin" ...
const std::vector<std::string>& kernel_file_extensions();

/// Whether a file holds kernels rather than a session: by its extension, as an ELF file, which an executable is, or as a
/// folder, such as Triton's cache. Reads at most the file's first bytes.
bool holds_kernels(const std::filesystem::path& file);

}  // namespace tilescope
