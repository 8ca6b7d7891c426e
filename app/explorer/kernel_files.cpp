#include "app/explorer/kernel_files.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {

namespace {

bool is_named(const std::vector<KernelDeclaration>& kernels, const std::string& name) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const KernelDeclaration& kernel) { return kernel.name == name; });
}

/// A message without the folder that all kernels lie in: a narrow panel shows it.
std::string without(std::string message, const std::string& folder) {
  if (const std::size_t at = message.find(folder); at != std::string::npos) message.erase(at, folder.size());
  return message;
}

/// The declaration of a kernel's file as it is now; the former one, and the error, where that cannot be used. Nothing
/// where the file is gone or declares a kernel of another name.
void keep_or_read_again(const KernelDeclaration& former, const std::filesystem::path& root,
                        KernelFiles& files) {
  std::error_code ignored;
  if (!std::filesystem::exists(former.source_path, ignored)) return;
  try {
    KernelDeclaration now = read_kernel_declaration(former.source_path);
    if (!is_named(files.kernels, now.name)) files.kernels.push_back(std::move(now));
  } catch (const std::exception& error) {
    files.errors[former.name] = without(error.what(), root.string() + "/");
    files.kernels.push_back(former);
  }
}

}  // namespace

KernelFiles read_kernel_files(const Installation& installation,
                              const std::vector<KernelDeclaration>& former) {
  KernelFiles files;
  try {
    const Catalogue catalogue(installation.kernels);
    files.kernels = catalogue.kernels();
    files.broken = catalogue.broken();
  } catch (const std::exception& error) {
    files.problem = error.what();
  }
  for (const KernelDeclaration& kernel : former) {
    if (!is_named(files.kernels, kernel.name))
      keep_or_read_again(kernel, installation.kernels.parent_path(), files);
  }
  std::erase_if(files.broken, [&](const BrokenKernel& one) { return files.errors.contains(one.name); });
  // An error of one kernel is shown with that kernel.
  if (!files.errors.empty()) files.problem.clear();
  for (const KernelDeclaration& kernel : files.kernels) {
    try {
      files.sources[kernel.name] = read_kernel_source(kernel.source_path, installation.kernels).sha256;
    } catch (const std::runtime_error&) {
      // Gone since the catalogue was read: its source is not known, and the next reading knows of it.
    }
  }
  return files;
}

}  // namespace tilescope
