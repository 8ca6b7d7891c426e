#include "profiler/measure/prepare/carried_kernel.hpp"

#include <stdexcept>

#include "base/cache_folder.hpp"
#include "base/trusted_path.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

// Every experiment of a sweep carries the same source, and a write waits for the disk.
bool write(const CacheFolder& folder, const std::string& name, const std::string& text) {
  return folder.read(name, text.size()) == text || folder.write(name, text);
}

// Writes the source's file, and its declaration's file where it has one of its own.
bool write_files(const CacheFolder& folder, const SourceFile& source) {
  const std::string sidecar = std::filesystem::path(source.name).replace_extension(".json").string();
  const auto declaration = source.headers.find(sidecar);
  return write(folder, source.name, source.text) &&
         (declaration == source.headers.end() || write(folder, sidecar, declaration->second));
}

// Where the cache is not used: for as long as this program runs.
const std::filesystem::path& temporary_sources() {
  static const TemporaryFolder folder;
  return folder.path();
}

std::filesystem::path written_folder(const SourceFile& source, const std::filesystem::path& cache) {
  const std::string sha256 = kernel_source_of(source).sha256;
  std::filesystem::path folder = cache / "carried" / sha256;
  if (why_untrusted(cache).empty() && write_files(CacheFolder(folder), source)) return folder;
  std::filesystem::path instead = temporary_sources() / sha256;
  if (write_files(CacheFolder(instead), source)) return instead;
  throw std::runtime_error("the source that came with the request cannot be written to " + folder.string() +
                           " or " + instead.string());
}

}  // namespace

KernelDeclaration read_carried_kernel(const SourceFile& source, const std::filesystem::path& cache) {
  const std::filesystem::path name = source.name;
  if (name.empty() || name != name.filename()) {
    throw DeclarationError("the source that came with the request is called '" + source.name +
                           "': a file's name without folders is needed");
  }
  KernelDeclaration kernel = read_kernel_declaration(written_folder(source, cache) / name);
  kernel.carried_source = source;
  return kernel;
}

}  // namespace tilescope
