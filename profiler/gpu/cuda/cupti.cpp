#include "profiler/gpu/cuda/cupti.hpp"

#include <cupti_result.h>
#include <cupti_version.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/trusted_path.hpp"

namespace tilescope::cuda {
namespace {

void append_libraries(std::vector<std::string>& list, const std::filesystem::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with("libcupti.so.")) found.push_back(entry.path().string());
  }
  std::sort(found.rbegin(), found.rend());
  list.insert(list.end(), found.begin(), found.end());
}

void append_toolkit(std::vector<std::string>& list, const std::filesystem::path& toolkit) {
  for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib"}) {
    append_libraries(list, toolkit / folder);
  }
}

std::vector<std::string> candidates(const CuptiSearch& search) {
  std::vector<std::string> list;
  if (!search.toolkit.empty()) {
    append_toolkit(list, search.toolkit);
    return list;
  }
  append_libraries(list, search.dependencies / "cuda/lib");
  append_libraries(list, search.dependencies / "cuda12/lib");
  list.insert(list.end(), {"libcupti.so.13", "libcupti.so.12"});  // the system's search path
  append_toolkit(list, "/usr/local/cuda");
  return list;
}

std::string too_new_for_driver(const std::string& library, int major, std::pair<int, int> driver) {
  return library + " is for CUDA " + std::to_string(major) + ", but this machine's driver supports CUDA " +
         std::to_string(driver.first) + "." + std::to_string(driver.second);
}

/// Fills in the report and returns "", or returns why this one cannot be used.
std::string try_library(const std::string& library, const CuptiSearch& search, CuptiReport& report) {
  // Never unloaded: CUPTI keeps its memory for as long as the program runs.
  const std::unique_ptr<void, int (*)(void*)> handle(
      dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), dlclose);
  if (!handle) return dlerror();
  const auto get_version =
      reinterpret_cast<decltype(&cuptiGetVersion)>(dlsym(handle.get(), "cuptiGetVersion"));
  std::uint32_t version = 0;
  if (get_version == nullptr || get_version(&version) != CUPTI_SUCCESS)
    return library + " does not report its version";
  const int major = cuda_major_of_cupti(version);
  if (search.driver_cuda && major > search.driver_cuda->first)
    return too_new_for_driver(library, major, *search.driver_cuda);
  report.version = version;
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<void*>(get_version), &info) != 0 && info.dli_fname != nullptr;
  report.library = known ? info.dli_fname : library;
  return "";
}

}  // namespace

// Source: cupti_version.h and the CUPTI documentation, "CUPTI Version". Until CUDA 12 versions were counted up from 1.
int cuda_major_of_cupti(unsigned version) {
  if (version >= 10000) return static_cast<int>(version / 10000);
  return version >= 19 ? 12 : 11;
}

CuptiReport find_cupti(const CuptiSearch& search) {
  CuptiReport report;
  std::string reasons;
  for (const std::string& library : candidates(search)) {
    std::string why = why_refused(library, search.dependencies);
    if (why.empty()) why = try_library(library, search, report);
    if (why.empty()) return report;
    reasons += "; " + why;
  }
  report.why_absent = search.toolkit.empty()
                          ? "no CUPTI, the library of hardware counters, was found in " +
                                (search.dependencies / "cuda/lib").string() +
                                ", on the system's library path, or in /usr/local/cuda" + reasons +
                                ". Run `./tilescope setup` with a network to download the one that fits the "
                                "driver, or set TILESCOPE_CUDA to a CUDA Toolkit 12 or 13"
                          : "no CUPTI in the toolkit that TILESCOPE_CUDA names, " + search.toolkit.string() +
                                reasons +
                                ". Install the toolkit's CUPTI package there, or unset TILESCOPE_CUDA to use "
                                "the downloaded one";
  return report;
}

}  // namespace tilescope::cuda
