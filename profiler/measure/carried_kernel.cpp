#include "profiler/measure/carried_kernel.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "profiler/compile/kernel_source.hpp"
#include "sessions/atomic_file.hpp"

namespace tilescope {
namespace {

bool has_text(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  if (std::filesystem::file_size(file, error) != text.size() || error) return false;
  std::ifstream stream(file, std::ios::binary);
  return stream && std::equal(text.begin(), text.end(), std::istreambuf_iterator<char>(stream),
                              std::istreambuf_iterator<char>());
}

// Every experiment of a sweep carries the same source, and a write waits for the disk.
void write(const std::filesystem::path& file, const std::string& text) {
  if (has_text(file, text)) return;
  if (!write_cache_file(file, text))
    throw std::runtime_error("the source that came with the request cannot be written to " + file.string());
}

}  // namespace

KernelDeclaration read_carried_kernel(const SourceFile& source, const std::filesystem::path& cache) {
  const std::filesystem::path name = source.name;
  if (name.empty() || name != name.filename()) {
    throw DeclarationError("the source that came with the request is called '" + source.name +
                           "': a file's name without folders is needed");
  }
  const std::filesystem::path folder = cache / "carried" / kernel_source_of(source).sha256;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  write(folder / name, source.text);
  const std::string sidecar = std::filesystem::path(name).replace_extension(".json").string();
  if (const auto found = source.headers.find(sidecar); found != source.headers.end())
    write(folder / sidecar, found->second);
  KernelDeclaration kernel = read_kernel_declaration(folder / name);
  kernel.carried_source = source;
  return kernel;
}

}  // namespace tilescope
