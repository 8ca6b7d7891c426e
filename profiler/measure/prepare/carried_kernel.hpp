#pragma once

#include <filesystem>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// The kernel of an experiment that carries its source. The source, and the .json file that declares it where there is
/// one, are written to a folder of the cache that is named by their hash, or else to a temporary one, for error messages
/// to point to; files that are there are left as they are. Throws DeclarationError for what is wrong with the declaration, std::runtime_error
/// when the files cannot be written.
KernelDeclaration read_carried_kernel(const SourceFile& source, const std::filesystem::path& cache);

}  // namespace tilescope
