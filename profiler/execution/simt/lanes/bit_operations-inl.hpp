// Operations on the bits of a number as function objects, total. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_BIT_OPERATIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_BIT_OPERATIONS_INL
#undef TILESCOPE_PROFILER_SIMT_BIT_OPERATIONS_INL
#else
#define TILESCOPE_PROFILER_SIMT_BIT_OPERATIONS_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>
#include <type_traits>

#include "profiler/execution/simt/program.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// `count` ones from the lowest bit on; all of them from the width on.
template <class U>
HWY_INLINE U low_ones(std::uint32_t count) {
  constexpr std::uint32_t bits = 8 * sizeof(U);
  const U ones = static_cast<U>((U{1} << (count & (bits - 1))) - 1);
  return count < bits ? ones : static_cast<U>(~U{0});
}

// Byte n of b:a, or its sign in all bits when the selector's top bit is set.
HWY_INLINE std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t choice = selector >> (4 * k) & 0xfu;
    const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (choice & 7u)) & 0xffu);
    const std::uint32_t sign = (byte & 0x80u) != 0 ? 0xffu : 0u;
    result |= ((choice & 8u) != 0 ? sign : byte) << (8 * k);
  }
  return result;
}
struct Permute {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return permuted(a, b, c);
  }
};

// The other modes are selectors that the low two bits of c choose (PTX ISA, "prmt").
enum PermuteMode : std::uint8_t { forward_4, backward_4, replicate_8, edge_left, edge_right, replicate_16 };
HWY_INLINE std::uint32_t selector_of(int mode, std::uint32_t c) {
  const std::uint32_t n = c & 3u;
  switch (mode) {
    case forward_4:
      return 0x3210u + 0x1111u * n;
    case backward_4:
      return n | ((n + 7u) & 7u) << 4 | ((n + 6u) & 7u) << 8 | ((n + 5u) & 7u) << 12;
    case replicate_8:
      return 0x1111u * n;
    case edge_left:
      return n == 0 ? 0x3210u : n == 1 ? 0x3211u : n == 2 ? 0x3222u : 0x3333u;
    case edge_right:
      return n == 0 ? 0x0000u : n == 1 ? 0x1110u : n == 2 ? 0x2210u : 0x3210u;
    default:
      return (n & 1u) != 0 ? 0x3232u : 0x1010u;
  }
}

struct CountOnes {
  template <class U>
  std::uint32_t operator()(U a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};

// The highest bit that differs from the sign, or its distance from the top; all ones when there is none.
template <bool as_shift>
struct FindTop {
  template <class T>
  std::uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(a < 0 ? ~a : a);
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    const std::uint32_t found = as_shift ? zeros : static_cast<std::uint32_t>(8 * sizeof(T) - 1) - zeros;
    return bits == 0 ? 0xffffffffu : found;
  }
};
struct Reverse {
  template <class U>
  U operator()(U a) const {
    constexpr U ones = static_cast<U>(~U{0});
    a = static_cast<U>((a >> 1 & (ones / 3)) | (a & (ones / 3)) << 1);
    a = static_cast<U>((a >> 2 & (ones / 5)) | (a & (ones / 5)) << 2);
    a = static_cast<U>((a >> 4 & (ones / 17)) | (a & (ones / 17)) << 4);
    return sizeof(U) == 4 ? static_cast<U>(__builtin_bswap32(static_cast<std::uint32_t>(a)))
                          : static_cast<U>(__builtin_bswap64(a));
  }
};

// bmsk: b ones from bit a on.
template <bool wrap>
struct BitMask {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t position = wrap ? a & 31u : a;
    const std::uint32_t length = wrap ? b & 31u : b;
    const std::uint32_t mask = low_ones<std::uint32_t>(length < 32u ? length : 32u) << (position & 31u);
    return position < 32u ? mask : 0u;
  }
};
// szext: the low b bits, extended; all of them from 32 on, none (0) for 0.
template <bool wrap>
struct Extend {
  template <class T>
  T operator()(T a, std::uint32_t b) const {
    const std::uint32_t length = wrap ? b & 31u : (b < 32u ? b : 32u);
    const std::uint32_t mask = low_ones<std::uint32_t>(length);
    const auto bits = static_cast<std::uint32_t>(a);
    const bool sign = std::is_signed_v<T> && length != 0 && (bits >> ((length - 1) & 31u) & 1u) != 0;
    return static_cast<T>(sign ? bits | ~mask : bits & mask);
  }
};

// Any function of three bits, from its truth table: bit 4a + 2b + c of the immediate. The eight terms are chosen by
// masks made once, so that the loop has no branch.
struct TruthTable {
  std::uint32_t term[8];
  explicit TruthTable(std::int64_t table) {
    for (int k = 0; k < 8; ++k) term[k] = (table >> k & 1) != 0 ? all_lanes : 0;
  }
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t if_b0 = (c & term[1]) | (~c & term[0]), if_b1 = (c & term[3]) | (~c & term[2]);
    const std::uint32_t if_a0 = (b & if_b1) | (~b & if_b0);
    const std::uint32_t if_ab0 = (c & term[5]) | (~c & term[4]), if_ab1 = (c & term[7]) | (~c & term[6]);
    const std::uint32_t if_a1 = (b & if_ab1) | (~b & if_ab0);
    return (a & if_a1) | (~a & if_a0);
  }
};

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
