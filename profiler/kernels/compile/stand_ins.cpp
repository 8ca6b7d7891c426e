#include "profiler/kernels/compile/stand_ins.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "profiler/kernels/compile/device_prelude.hpp"
#include "profiler/kernels/compile/include_names.hpp"
#include "profiler/kernels/compile/torch_stand_in.hpp"

namespace tilescope {
namespace {

constexpr const char *torch_header = "tilescope/torch_stand_in.h",
                     *torch_functions = "tilescope/torch_function_stand_in.h";
constexpr std::array<std::string_view, 5> torch_folders = {"torch/", "ATen/", "c10/", "pybind11/", "THC/"};
// A file that includes neither may have functions of these names itself.
constexpr std::array<std::string_view, 3> headers_with_functions = {
    "ATen/cuda/Atomic.cuh", "ATen/cuda/DeviceUtils.cuh", "THC/THCAtomics.cuh"};
constexpr std::array<std::string_view, 13> with_device_part = {
    "array", "bit",  "complex", "functional",  "limits",  "numeric", "optional",
    "ratio", "span", "tuple",   "type_traits", "utility", "variant"};
constexpr std::array<std::string_view, 74> without_device_part = {"algorithm",
                                                                  "assert.h",
                                                                  "atomic",
                                                                  "cassert",
                                                                  "cfloat",
                                                                  "chrono",
                                                                  "climits",
                                                                  "cmath",
                                                                  "condition_variable",
                                                                  "cstddef",
                                                                  "cstdint",
                                                                  "cstdio",
                                                                  "cstdlib",
                                                                  "cstring",
                                                                  "ctime",
                                                                  "exception",
                                                                  "float.h",
                                                                  "fstream",
                                                                  "initializer_list",
                                                                  "inttypes.h",
                                                                  "cinttypes",
                                                                  "iomanip",
                                                                  "iostream",
                                                                  "iterator",
                                                                  "limits.h",
                                                                  "list",
                                                                  "map",
                                                                  "math.h",
                                                                  "memory",
                                                                  "mutex",
                                                                  "ostream",
                                                                  "random",
                                                                  "set",
                                                                  "sstream",
                                                                  "stdbool.h",
                                                                  "stddef.h",
                                                                  "stdexcept",
                                                                  "stdint.h",
                                                                  "stdio.h",
                                                                  "stdlib.h",
                                                                  "string",
                                                                  "string.h",
                                                                  "string_view",
                                                                  "thread",
                                                                  "time.h",
                                                                  "typeinfo",
                                                                  "unistd.h",
                                                                  "unordered_map",
                                                                  "unordered_set",
                                                                  "vector",
                                                                  "sys/time.h",
                                                                  "sys/stat.h",
                                                                  "getopt.h",
                                                                  "cuda.h",
                                                                  "cuda_runtime.h",
                                                                  "cuda_runtime_api.h",
                                                                  "device_launch_parameters.h",
                                                                  "cuda_profiler_api.h",
                                                                  "cudaProfiler.h",
                                                                  "cublas_v2.h",
                                                                  "cublas.h",
                                                                  "cublasLt.h",
                                                                  "curand.h",
                                                                  "cufft.h",
                                                                  "cusparse.h",
                                                                  "cusolverDn.h",
                                                                  "omp.h",
                                                                  "nvToolsExt.h",
                                                                  "nvtx3/nvToolsExt.h",
                                                                  "nccl.h",
                                                                  "mpi.h",
                                                                  "cudnn.h",
                                                                  "nvrtc.h",
                                                                  "deque"};
constexpr std::array<std::string_view, 62> of_prelude = {"signbit",
                                                         "abs",
                                                         "acos",
                                                         "asin",
                                                         "atan",
                                                         "atan2",
                                                         "cbrt",
                                                         "ceil",
                                                         "copysign",
                                                         "cos",
                                                         "cosh",
                                                         "erf",
                                                         "erfc",
                                                         "exp",
                                                         "exp2",
                                                         "expm1",
                                                         "fabs",
                                                         "floor",
                                                         "fma",
                                                         "fmax",
                                                         "fmin",
                                                         "fmod",
                                                         "hypot",
                                                         "isfinite",
                                                         "isinf",
                                                         "isnan",
                                                         "log",
                                                         "log10",
                                                         "log1p",
                                                         "log2",
                                                         "nearbyint",
                                                         "pow",
                                                         "rint",
                                                         "round",
                                                         "sin",
                                                         "sinh",
                                                         "sqrt",
                                                         "tan",
                                                         "tanh",
                                                         "trunc",
                                                         "min",
                                                         "max",
                                                         "vector",
                                                         "map",
                                                         "unordered_map",
                                                         "set",
                                                         "function",
                                                         "unique_ptr",
                                                         "shared_ptr",
                                                         "string",
                                                         "ostream",
                                                         "numeric_limits",
                                                         "initializer_list",
                                                         "size_t",
                                                         "int8_t",
                                                         "int16_t",
                                                         "int32_t",
                                                         "int64_t",
                                                         "uint8_t",
                                                         "uint16_t",
                                                         "uint32_t",
                                                         "uint64_t"};
// Algorithms and containers of the host; a kernel that uses one of thrust's types is for nvcc.
constexpr std::string_view thrust_folder = "thrust/";

bool is_torchs(std::string_view name) {
  return std::ranges::any_of(torch_folders,
                             [&](std::string_view folder) { return name.starts_with(folder); });
}

// A part of a file of PyTorch's own may include nothing.
bool uses_torch(std::string_view text) {
  constexpr std::array<std::string_view, 6> names = {"C10_DEVICE",      "C10_HOST_DEVICE", "C10_WARP_SIZE",
                                                     "at::opmath_type", "at::acc_type",    "c10::Half"};
  return std::ranges::any_of(
      names, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

bool is_among(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string include_of(std::string_view name) {
  return "#include <" + std::string(name) + ">\n";
}

std::string stand_in_of_torchs(std::string_view name) {
  return include_of(torch_header) +
         (is_among(headers_with_functions, name) ? include_of(torch_functions) : std::string());
}

void add_torch(HeaderTexts& headers) {
  headers.emplace_back(torch_header, torch_stand_in);
  headers.emplace_back(torch_functions, torch_function_stand_in);
}

}  // namespace

bool uses_standard_library(std::string_view text) {
  constexpr std::string_view space = "std::";
  for (std::size_t at = text.find(space); at != std::string_view::npos; at = text.find(space, at + 1)) {
    std::size_t end = at + space.size();
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    const std::string_view name = text.substr(at + space.size(), end - at - space.size());
    if (!is_among(of_prelude, name)) return true;
  }
  return false;
}

HeaderTexts device_headers(const std::vector<std::string>& included, bool uses_library,
                           std::string_view text) {
  HeaderTexts headers = {
      {device_prelude,
       std::string(uses_library ? "#define TILESCOPE_STANDARD_LIBRARY\n" : "") + device_prelude_text}};
  bool has_torch = false;
  for (const std::string& name : included) {
    if (is_torchs(name)) {
      has_torch = true;
      headers.emplace_back(name, stand_in_of_torchs(name));
    } else if (is_among(with_device_part, name)) {
      headers.emplace_back(name, uses_library ? include_of("cuda/std/" + name) : "\n");
    } else if (is_among(without_device_part, name) || name.starts_with(thrust_folder)) {
      headers.emplace_back(name, "\n");
    }
  }
  if (!has_torch && uses_torch(text)) {
    has_torch = true;
    headers.front().second += include_of(torch_header);
  }
  if (has_torch) add_torch(headers);
  return headers;
}

HeaderTexts torch_stand_ins(std::string_view text) {
  HeaderTexts headers;
  const IncludeNames names = find_include_names(text);
  for (const std::vector<std::string>* list : {&names.own, &names.of_toolkits}) {
    for (const std::string& name : *list)
      if (is_torchs(name)) headers.emplace_back(name, stand_in_of_torchs(name));
  }
  if (!headers.empty() || uses_torch(text)) add_torch(headers);
  return headers;
}

}  // namespace tilescope
