#include "profiler/service/client/carried_source.hpp"

#include <stdexcept>

#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {
namespace {

/// Empty where there is none.
std::filesystem::path source_path(const Installation& installation, const std::string& name_or_path) {
  if (std::filesystem::path(name_or_path).extension() == ".cu") return name_or_path;
  const Catalogue catalogue(installation.kernels);
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (kernel.name == name_or_path) return kernel.source_path;
  }
  for (const BrokenKernel& kernel : catalogue.broken()) {
    if (kernel.name == name_or_path) return kernel.source_path;
  }
  return {};
}

}  // namespace

std::optional<SourceFile> find_kernel_source(const Installation& installation,
                                             const std::string& name_or_path) {
  try {
    const std::filesystem::path file = source_path(installation, name_or_path);
    if (file.empty()) return std::nullopt;
    return read_kernel_source(file, installation.kernels).file;
  } catch (const std::exception&) {
    return std::nullopt;  // Gone or unreadable: the worker looks for a kernel of that name of its own.
  }
}

}  // namespace tilescope
