#include "profiler/kernels/compile/cutlass.hpp"

#include <fstream>
#include <map>

#include "base/trusted_path.hpp"

namespace tilescope {
namespace {

// "4.2.0" from the lines "#define CUTLASS_MAJOR 4" and the like; "" where the file has none.
std::string version_in(const std::filesystem::path& header) {
  std::map<std::string, std::string> defined;
  std::ifstream file(header);
  for (std::string directive, name, value; file >> directive;) {
    if (directive == "#define" && file >> name >> value) defined[name] = value;
  }
  std::string version;
  for (const char* part : {"CUTLASS_MAJOR", "CUTLASS_MINOR", "CUTLASS_PATCH"}) {
    if (!defined.contains(part)) return "";
    version += (version.empty() ? "" : ".") + defined[part];
  }
  return version;
}

// Its small constexpr functions without __device__ need `option` to be called from kernels.
Cutlass find_headers(const std::filesystem::path& dependencies, const char* option) {
  const std::filesystem::path include = dependencies / "cutlass/include";
  if (const std::string why = why_refused(include, dependencies); !why.empty())
    throw CutlassUnavailable("this kernel needs CUTLASS, and " + why);
  const std::string version = version_in(include / "cutlass/version.h");
  if (version.empty()) {
    throw CutlassUnavailable("this kernel needs CUTLASS, whose headers are not in " + include.string() +
                             ". Run ./tilescope once with a network to download them");
  }
  return {"CUTLASS " + version, {option, "-I" + include.string()}};
}

}  // namespace

Cutlass find_cutlass(const std::filesystem::path& dependencies,
                     const std::filesystem::path& toolkit_headers) {
  Cutlass cutlass = find_headers(dependencies, "-default-device");
  for (const std::filesystem::path& headers : {toolkit_headers, dependencies / "cuda/include"}) {
    // CUDA 12 has its C++ library among its other headers, which are searched for every kernel.
    if (std::filesystem::exists(headers / "cuda/std/cstdint")) break;
    // CUDA 13 has its C++ library in a separate folder and includes it both with and without that folder's name.
    if (!std::filesystem::exists(headers / "cccl/cuda/std/cstdint")) continue;
    cutlass.options.push_back("-I" + headers.string());
    cutlass.options.push_back("-I" + (headers / "cccl").string());
    break;
  }
  return cutlass;
}

Cutlass find_cutlass_for_nvcc(const std::filesystem::path& dependencies) {
  return find_headers(dependencies, "--expt-relaxed-constexpr");
}

}  // namespace tilescope
