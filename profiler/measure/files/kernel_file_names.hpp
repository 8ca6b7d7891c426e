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

/// Whether a folder, or one up to three levels below it, has a .cubin or .ptx file, as the folders of Triton's cache have.
/// Looks at 2,000 files at most.
bool has_machine_code(const std::filesystem::path& folder);

}  // namespace tilescope
