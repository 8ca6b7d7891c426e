#pragma once

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/memory/lane_access.hpp"
#include "profiler/execution/simt/warp.hpp"

/// Effect of atomic instructions on a value in memory. `old` is the value, b and c are the operands.
namespace tilescope::simt::atomics {

// Two's complement: the same for both signs.
struct Add {
  template <class T>
  T operator()(T old, T b, T) const {
    return static_cast<T>(old + b);
  }
};
struct Minimum {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::min(old, b);
  }
};
struct Maximum {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::max(old, b);
  }
};
struct Increment {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    return old == 0 || old > b ? b : old - 1;
  }
};
struct And {
  template <class T>
  T operator()(T old, T b, T) const {
    return old & b;
  }
};
struct Or {
  template <class T>
  T operator()(T old, T b, T) const {
    return old | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T old, T b, T) const {
    return old ^ b;
  }
};
struct Exchange {
  template <class T>
  T operator()(T, T b, T) const {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};

inline float sum_or_nan(float a, float b) {
  const float sum = a + b;
  return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffu) : sum;
}
inline float without_denormals(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
// Denormals are kept in shared memory and flushed in global memory (PTX ISA, "atom").
struct AddFloat {
  float operator()(float old, float b, float) const { return sum_or_nan(old, b); }
};
struct AddFlushedFloat {
  float operator()(float old, float b, float) const {
    return without_denormals(sum_or_nan(without_denormals(old), without_denormals(b)));
  }
};
struct AddDouble {
  double operator()(double old, double b, double) const {
    const double sum = old + b;
    return std::isnan(sum) ? std::bit_cast<double>(0x7fff'ffff'ffff'ffffu) : sum;
  }
};

// Halves are added as floats: the sum, rounded twice, is that rounded once, a float having over twice the bits.
inline std::uint16_t add_f16(std::uint16_t a, std::uint16_t b) {
  return HWY_NAMESPACE::f16_of_single(HWY_NAMESPACE::single_of_f16(a) + HWY_NAMESPACE::single_of_f16(b));
}
inline std::uint16_t add_bf16(std::uint16_t a, std::uint16_t b) {
  return HWY_NAMESPACE::bf16_of_single(HWY_NAMESPACE::single_of_bf16(a) + HWY_NAMESPACE::single_of_bf16(b));
}
template <std::uint16_t (*add)(std::uint16_t, std::uint16_t)>
struct AddHalf {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t) const { return add(old, b); }
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    const auto part = [](std::uint32_t pair, int shift) { return static_cast<std::uint16_t>(pair >> shift); };
    return add(part(old, 0), part(b, 0)) | static_cast<std::uint32_t>(add(part(old, 16), part(b, 16))) << 16;
  }
};

/// Updates the value of each lane of `exec`; `result` gets the old ones (nullptr: not needed). Lanes take effect in
/// ascending order, so that results are reproducible; on a GPU the order is undefined.
template <class Operation, class T>
void update_lanes(LaneMask exec, const LanePointers& memory, const T* b, const T* c, T* result) {
  for (LaneMask rest = exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(first_lane(rest));
    T old{};
    if ((memory.lanes >> lane & 1u) != 0) {
      std::memcpy(&old, memory.at[lane], sizeof old);
      const T updated = Operation{}(old, b[lane], c[lane]);
      std::memcpy(memory.at[lane], &updated, sizeof updated);
    }
    if (result != nullptr) result[lane] = old;
  }
}

}  // namespace tilescope::simt::atomics
