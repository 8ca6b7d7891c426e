#include "profiler/measure/open/device_headers.hpp"

#include <array>
#include <string_view>

namespace tilescope {
namespace {

// Declares what nvcc includes before each file, and macros of <math.h> and <float.h>.
constexpr const char* prelude = R"(#pragma once
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
namespace std {
using namespace cuda::std;
using size_t = cuda::std::size_t;
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
}
using cuda::std::int8_t;
using cuda::std::int16_t;
using cuda::std::int32_t;
using cuda::std::int64_t;
using cuda::std::uint8_t;
using cuda::std::uint16_t;
using cuda::std::uint32_t;
using cuda::std::uint64_t;
using cuda::std::intptr_t;
using cuda::std::uintptr_t;
using cuda::std::ptrdiff_t;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
typedef struct CUstream_st* cudaStream_t;
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LLONG_MAX 9223372036854775807ll
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.12837916709551257390
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef M_LOG2E
#define M_LOG2E 1.44269504088896340736
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef assert
#define assert(condition) ((void)0)
#endif
)";

constexpr const char* torch_header = "tilescope_torch.h";
// Types of PyTorch that device code names.
constexpr const char* torch_types = R"(#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace c10 { using Half = __half; using BFloat16 = __nv_bfloat16; }
namespace at { using Half = c10::Half; using BFloat16 = c10::BFloat16; class Tensor; template <class T> struct opmath_type_of { using type = T; };
template <> struct opmath_type_of<c10::Half> { using type = float; };
template <> struct opmath_type_of<c10::BFloat16> { using type = float; };
template <class T> using opmath_type = typename opmath_type_of<T>::type;
template <class T, bool is_cuda> using acc_type = opmath_type<T>; }
namespace torch { using at::Tensor; }
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define TORCH_CHECK(...)
#define C10_CUDA_CHECK(...)
#define AT_CUDA_CHECK(...)
#define TORCH_LIBRARY(...) namespace { void tilescope_left_out(); } void tilescope_left_out_library
#define PYBIND11_MODULE(name, module) static inline void tilescope_left_out_##name()
)";

// Host headers of which device code uses nothing that the prelude does not have.
constexpr std::array<std::string_view, 62> without_device_part = {"algorithm",
                                                                  "array",
                                                                  "assert.h",
                                                                  "atomic",
                                                                  "cassert",
                                                                  "cfloat",
                                                                  "chrono",
                                                                  "climits",
                                                                  "cmath",
                                                                  "complex",
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
                                                                  "functional",
                                                                  "initializer_list",
                                                                  "iomanip",
                                                                  "iostream",
                                                                  "iterator",
                                                                  "limits",
                                                                  "limits.h",
                                                                  "map",
                                                                  "math.h",
                                                                  "memory",
                                                                  "mutex",
                                                                  "numeric",
                                                                  "optional",
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
                                                                  "thread",
                                                                  "time.h",
                                                                  "tuple",
                                                                  "type_traits",
                                                                  "typeinfo",
                                                                  "unistd.h",
                                                                  "unordered_map",
                                                                  "utility",
                                                                  "vector",
                                                                  "sys/time.h",
                                                                  "cuda.h",
                                                                  "cuda_runtime.h",
                                                                  "cuda_runtime_api.h",
                                                                  "device_launch_parameters.h",
                                                                  "cuda_profiler_api.h",
                                                                  "cublas_v2.h",
                                                                  "getopt.h"};
constexpr std::array<std::string_view, 9> host_libraries = {
    "curand.h", "cufft.h", "cusparse.h", "cublasLt.h", "omp.h", "nvToolsExt.h", "nccl.h", "mpi.h", "cudnn.h"};
constexpr std::array<std::string_view, 20> of_torch = {"torch/extension.h",
                                                       "torch/all.h",
                                                       "torch/torch.h",
                                                       "torch/types.h",
                                                       "torch/library.h",
                                                       "torch/python.h",
                                                       "ATen/ATen.h",
                                                       "c10/util/Half.h",
                                                       "c10/macros/Macros.h",
                                                       "ATen/native/cuda/Loops.cuh",
                                                       "torch/script.h",
                                                       "ATen/AccumulateType.h",
                                                       "ATen/Dispatch.h",
                                                       "ATen/OpMathType.h",
                                                       "ATen/cuda/CUDAContext.h",
                                                       "ATen/cuda/Exceptions.h",
                                                       "c10/cuda/CUDAGuard.h",
                                                       "c10/cuda/CUDAException.h",
                                                       "c10/cuda/CUDAStream.h",
                                                       "c10/util/BFloat16.h"};

std::vector<std::pair<std::string, std::string>> make_headers() {
  std::vector<std::pair<std::string, std::string>> headers = {{device_prelude, prelude}};
  for (const std::string_view name : without_device_part) headers.emplace_back(name, "\n");
  for (const std::string_view name : host_libraries) headers.emplace_back(name, "\n");
  headers.emplace_back(torch_header, torch_types);
  for (const std::string_view name : of_torch)
    headers.emplace_back(name, std::string("#include <") + torch_header + ">\n");
  return headers;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& device_headers() {
  static const std::vector<std::pair<std::string, std::string>> headers = make_headers();
  return headers;
}

}  // namespace tilescope
