// The libraries that launch the baselines. Nothing else needs them.
#include <dlfcn.h>
#include <fmt/format.h>

#include "profiler/gpu/baselines/baseline_libraries.hpp"
#include "profiler/gpu/baselines/library_attention.hpp"
#include "profiler/gpu/doctor/checks.hpp"

namespace tilescope {
namespace {

constexpr int cublas_major = 0;  // libraryPropertyType_t, of library_types.h
constexpr int cublas_minor = 1;

std::string cublas_version(void* handle) {
  const auto get = reinterpret_cast<int (*)(int, int*)>(dlsym(handle, "cublasGetProperty"));
  int major = 0, minor = 0;
  if (get == nullptr || get(cublas_major, &major) != 0 || get(cublas_minor, &minor) != 0) return "";
  return fmt::format("{}.{}", major, minor);
}

/// The version, and the CUDA version for which it was built: 12090 for 12.9, 0 when unknown.
struct CudnnVersion {
  std::string text;
  int cuda_major = 0;
};
CudnnVersion cudnn_version(void* handle) {
  const auto get = reinterpret_cast<std::size_t (*)()>(dlsym(handle, "cudnnGetVersion"));
  const auto cudart = reinterpret_cast<std::size_t (*)()>(dlsym(handle, "cudnnGetCudartVersion"));
  CudnnVersion version;
  if (get != nullptr) {
    const std::size_t number = get();
    version.text = fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  }
  if (cudart != nullptr) version.cuda_major = static_cast<int>(cudart() / 1000);
  return version;
}

std::string needed_by(const char* baseline) {
  return fmt::format("Only the baseline {} needs it.", baseline);
}

/// A library that opens but is not the expected one.
MachineCheck not_usable(const LibrarySearch& search, const std::filesystem::path& path) {
  return {search.name, CheckState::warning,
          fmt::format("{} does not report its version, so it is not {}", path.string(), search.name),
          fmt::format("Install it with `{}`.", search.install)};
}

MachineCheck missing(const LibrarySearch& search, const char* baseline, const std::string& complaint) {
  MachineCheck check = check_from_complaint(search.name, CheckState::missing, complaint);
  check.advice += " " + needed_by(baseline);
  return check;
}

}  // namespace

MachineCheck check_cublas(const Machine&) {
  const LibrarySearch search = cublas_library();
  try {
    const OpenedLibrary library = open_library(search);
    const std::string version = cublas_version(library.handle);
    if (version.empty()) return not_usable(search, library.path);
    return {search.name, CheckState::ok, fmt::format("{}, {}", version, library.path.string()), ""};
  } catch (const LibraryUnavailable& unavailable) {
    return missing(search, "cublas_unfused", unavailable.what());
  }
}

MachineCheck check_cudnn(const Machine& machine) {
  const LibrarySearch search = cudnn_library();
  try {
    const OpenedLibrary library = open_library(search);
    const CudnnVersion version = cudnn_version(library.handle);
    if (version.text.empty()) return not_usable(search, library.path);
    MachineCheck check{search.name, CheckState::ok,
                       fmt::format("{}, {}", version.text, library.path.string()), ""};
    if (machine.driver_cuda && version.cuda_major > machine.driver_cuda->first) {
      check.state = CheckState::warning;
      check.found += fmt::format(", built for CUDA {}", version.cuda_major);
      check.advice = fmt::format(
          "The driver supports CUDA {}.{}: install cuDNN with `{}`, or set {} to the folder of a matching "
          "one. {}",
          machine.driver_cuda->first, machine.driver_cuda->second, search.install, search.variable,
          needed_by("cudnn_sdpa"));
    }
    return check;
  } catch (const LibraryUnavailable& unavailable) {
    return missing(search, "cudnn_sdpa", unavailable.what());
  }
}

}  // namespace tilescope
