#pragma once

namespace tilescope {

/// Text of a header with what device code uses of PyTorch's, for NVRTC and nvcc. A packed accessor has the layout of
/// PyTorch's: a pointer, sizes and strides.
inline constexpr const char* torch_stand_in = R"stand_in(#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <tuple>
#include <type_traits>
#endif

#define C10_HOST_DEVICE __host__ __device__
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_RESTRICT __restrict__
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_WARP_SIZE 32
#define C10_CUDA_CHECK(call)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define AT_CUDA_CHECK(call)
#define AT_ASSERTM(...)
#define DEFINE_DISPATCH(...)
#define REGISTER_DISPATCH(...)
#define REGISTER_CUDA_DISPATCH(...)
#define TORCH_CHECK(...)
#define TORCH_INTERNAL_ASSERT(...)
#define CUDA_KERNEL_ASSERT(condition)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type) \
  for (type i = (type)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (type)blockDim.x * gridDim.x)

namespace c10 {

/// A number of 16 bits that is computed with as float. `Cuda` is CUDA's type with the same bits.
#define TILESCOPE_NUMBER(Name, Cuda)                                                                     \
  struct Name {                                                                                          \
    unsigned short x;                                                                                    \
    Name() = default;                                                                                    \
    __host__ __device__ Name(float value) { *this = Name(Cuda(value)); }                                 \
    __host__ __device__ Name(Cuda value) { *reinterpret_cast<Cuda*>(&x) = value; }                       \
    __host__ __device__ operator float() const { return float(*reinterpret_cast<const Cuda*>(&x)); }     \
    __host__ __device__ explicit operator Cuda() const { return *reinterpret_cast<const Cuda*>(&x); }    \
    __host__ __device__ Name& operator+=(float other) { return *this = Name(float(*this) + other); }     \
    __host__ __device__ Name& operator-=(float other) { return *this = Name(float(*this) - other); }     \
    __host__ __device__ Name& operator*=(float other) { return *this = Name(float(*this) * other); }     \
    __host__ __device__ Name& operator/=(float other) { return *this = Name(float(*this) / other); }     \
  };
TILESCOPE_NUMBER(Half, __half)
TILESCOPE_NUMBER(BFloat16, __nv_bfloat16)

template <class T>
class ArrayRef;

}  // namespace c10

namespace at {

using c10::BFloat16;
using c10::Half;
class Tensor;
using TensorList = c10::ArrayRef<Tensor>;
using IntArrayRef = c10::ArrayRef<long long>;

/// Seed and offset of random numbers: values, or addresses where a graph was captured.
struct PhiloxCudaState {
  union Payload {
    unsigned long long val;
    long long* ptr;
  };
  Payload seed_, offset_;
  unsigned offset_intragraph_ = 0;
  bool captured_ = false;
};
#ifndef __CUDACC_RTC__
namespace cuda {
namespace philox {
__host__ __device__ inline std::tuple<unsigned long, unsigned long> unpack(PhiloxCudaState state) {
  if (!state.captured_) return {state.seed_.val, state.offset_.val};
  return {(unsigned long)*state.seed_.ptr, (unsigned long)(*state.offset_.ptr + state.offset_intragraph_)};
}
}  // namespace philox
}  // namespace cuda
#endif

enum class ScalarType : signed char { Byte, Char, Short, Int, Long, Half, Float, Double, Bool = 11, BFloat16 = 15 };
constexpr ScalarType kByte = ScalarType::Byte, kInt = ScalarType::Int, kLong = ScalarType::Long,
                     kHalf = ScalarType::Half, kFloat16 = ScalarType::Half, kFloat = ScalarType::Float,
                     kFloat32 = ScalarType::Float, kDouble = ScalarType::Double,
                     kBFloat16 = ScalarType::BFloat16;

template <class T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<Half> {
  using type = float;
};
template <>
struct OpMathType<BFloat16> {
  using type = float;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;
template <class T, bool is_cuda>
using acc_type = typename OpMathType<T>::type;

/// Bounds of a type; those of fractions are infinite.
template <class T>
struct numeric_limits;
#define TILESCOPE_LIMITS(Type, least, greatest, below, above)      \
  template <>                                                      \
  struct numeric_limits<Type> {                                    \
    static __device__ Type lowest() { return (Type)(least); }      \
    static __device__ Type max() { return (Type)(greatest); }      \
    static __device__ Type lower_bound() { return (Type)(below); } \
    static __device__ Type upper_bound() { return (Type)(above); } \
  };
#define TILESCOPE_LIMITS_OF_WHOLE(Type, least, greatest) TILESCOPE_LIMITS(Type, least, greatest, least, greatest)
#define TILESCOPE_LIMITS_OF_FRACTION(Type, greatest) \
  TILESCOPE_LIMITS(Type, -greatest, greatest, -__int_as_float(0x7f800000), __int_as_float(0x7f800000))
TILESCOPE_LIMITS_OF_WHOLE(bool, false, true)
TILESCOPE_LIMITS_OF_WHOLE(unsigned char, 0, 255)
TILESCOPE_LIMITS_OF_WHOLE(signed char, -128, 127)
TILESCOPE_LIMITS_OF_WHOLE(short, -32768, 32767)
TILESCOPE_LIMITS_OF_WHOLE(int, -2147483647 - 1, 2147483647)
TILESCOPE_LIMITS_OF_WHOLE(long, -9223372036854775807L - 1, 9223372036854775807L)
TILESCOPE_LIMITS_OF_WHOLE(long long, -9223372036854775807LL - 1, 9223372036854775807LL)
TILESCOPE_LIMITS_OF_FRACTION(Half, 65504.f)
TILESCOPE_LIMITS_OF_FRACTION(BFloat16, 3.38953139e38f)
TILESCOPE_LIMITS_OF_FRACTION(float, 3.402823466e38f)
TILESCOPE_LIMITS_OF_FRACTION(double, 1.7976931348623157e308)

template <class T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};

/// A tensor of N dimensions by its strides.
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = long long>
struct TensorAccessor {
  typename Traits<T>::PtrType data_;
  const Index* sizes_;
  const Index* strides_;
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __host__ __device__ typename Traits<T>::PtrType data() const { return data_; }
  __host__ __device__ TensorAccessor<T, N - 1, Traits, Index> operator[](Index i) const {
    return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
  }
};
template <class T, template <class> class Traits, class Index>
struct TensorAccessor<T, 1, Traits, Index> {
  typename Traits<T>::PtrType data_;
  const Index* sizes_;
  const Index* strides_;
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __host__ __device__ typename Traits<T>::PtrType data() const { return data_; }
  __host__ __device__ T& operator[](Index i) const { return data_[strides_[0] * i]; }
};

/// The form in which an accessor is a kernel's parameter.
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = long long>
struct GenericPackedTensorAccessor {
  typename Traits<T>::PtrType data_;
  Index sizes_[N];
  Index strides_[N];
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __host__ __device__ typename Traits<T>::PtrType data() const { return data_; }
  __host__ __device__ decltype(auto) operator[](Index i) const {
    return TensorAccessor<T, N, Traits, Index>{data_, sizes_, strides_}[i];
  }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, long long>;

namespace cuda {
namespace detail {
/// A tensor of up to 25 dimensions, of which `dims` are there, by its strides.
template <class T, class Index>
struct TensorInfo {
  T* data;
  Index sizes[25];
  Index strides[25];
  int dims;
  __host__ __device__ bool isContiguous() const { return dims == 1 && strides[0] == 1; }
};

/// Elements from the first one to the one with a number in the order of the indices; Dims is -1 where info.dims counts.
template <class T, class Index, int Dims>
struct IndexToOffset {
  __host__ __device__ static Index get(Index number, const TensorInfo<T, Index>& info) {
    Index offset = 0;
    for (int i = (Dims == -1 ? info.dims : Dims) - 1; i > 0; --i) {
      offset += number % info.sizes[i] * info.strides[i];
      number /= info.sizes[i];
    }
    return offset + number * info.strides[0];
  }
};
}  // namespace detail
}  // namespace cuda

}  // namespace at

namespace torch {
using namespace at;
}  // namespace torch
namespace pybind11 {}
)stand_in";

/// Text of a header with the functions of ATen/cuda/Atomic.cuh and ATen/cuda/DeviceUtils.cuh that kernels call, which needs
/// torch_stand_in.
inline constexpr const char* torch_function_stand_in = R"stand_in(#pragma once
template <class T>
__device__ inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
#define TILESCOPE_ATOMIC_ADD(Name, Cuda)                                              \
  __device__ inline Name gpuAtomicAdd(Name* address, Name value) {                    \
    return atomicAdd(reinterpret_cast<Cuda*>(address), static_cast<Cuda>(value));     \
  }
TILESCOPE_ATOMIC_ADD(at::Half, __half)
TILESCOPE_ATOMIC_ADD(at::BFloat16, __nv_bfloat16)
TILESCOPE_ATOMIC_ADD(long, unsigned long long)
TILESCOPE_ATOMIC_ADD(long long, unsigned long long)
template <class T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}
template <class T>
__device__ inline T WARP_SHFL(T value, int lane, int width = 32, unsigned mask = 0xffffffffu) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
__device__ inline T WARP_SHFL_XOR(T value, int lanes, int width = 32, unsigned mask = 0xffffffffu) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T>
__device__ inline T WARP_SHFL_UP(T value, unsigned distance, int width = 32, unsigned mask = 0xffffffffu) {
  return __shfl_up_sync(mask, value, distance, width);
}
template <class T>
__device__ inline T WARP_SHFL_DOWN(T value, unsigned distance, int width = 32, unsigned mask = 0xffffffffu) {
  return __shfl_down_sync(mask, value, distance, width);
}
__device__ inline unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffffu) {
  return __ballot_sync(mask, predicate);
}
__device__ inline unsigned WARP_ACTIVE_MASK() { return __activemask(); }
)stand_in";

}  // namespace tilescope
