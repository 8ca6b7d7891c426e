#pragma once

namespace tilescope {

/// Text of a header with what nvcc includes before each file, with macros of <math.h>, <float.h> and <limits.h>, and with
/// containers of the host that have no members: a structure of the host that has one is declared, and not used.
/// TILESCOPE_STANDARD_LIBRARY adds what takes a second to compile.
inline constexpr const char* device_prelude_text = R"prelude(#pragma once
#include <cuda/std/cstddef>
#include <cuda/std/climits>
#include <cuda/std/cstdint>
#include <cuda/std/initializer_list>
#include <cuda/std/limits>
#ifdef TILESCOPE_STANDARD_LIBRARY
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#endif
namespace std {
using namespace cuda::std;
using size_t = cuda::std::size_t;
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr T min(initializer_list<T> values) {
  T least = *values.begin();
  for (const T& value : values) least = value < least ? value : least;
  return least;
}
template <class T> __host__ __device__ constexpr T max(initializer_list<T> values) {
  T greatest = *values.begin();
  for (const T& value : values) greatest = greatest < value ? value : greatest;
  return greatest;
}
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::signbit;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::nearbyint;
using ::pow;
using ::rint;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
template <class...> struct vector {};
template <class...> struct map {};
template <class...> struct unordered_map {};
template <class...> struct set {};
template <class...> struct function {};
template <class...> struct unique_ptr {};
template <class...> struct shared_ptr {};
struct string { template <class... T> __host__ __device__ constexpr string(const T&...) {} };
struct ostream {
  template <class T> __host__ __device__ const ostream& operator<<(const T&) const { return *this; }
};
constexpr ostream cout{}, cerr{};
constexpr char endl = '\n';
}
namespace thrust {}
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
typedef struct CUevent_st* cudaEvent_t;
typedef struct cublasContext* cublasHandle_t;
struct FILE;
struct timeval { long tv_sec, tv_usec; };
struct timespec { long tv_sec, tv_nsec; };
typedef int pid_t;
typedef unsigned long pthread_t;
struct pthread_mutex_t {};
struct pthread_cond_t {};
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
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
#define __asm__ asm
#define __volatile__ volatile
#define __inline__ inline
#ifndef assert
#define assert(condition) ((void)0)
#endif
)prelude";

}  // namespace tilescope
