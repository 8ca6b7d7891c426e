// Moves between memory, found by lane_addresses-inl.hpp, and the 32 lanes of registers. Stores go through the lanes in
// ascending order, so that the highest lane wins when several write one address.
//
// Compiled once for each vector target: see ../lane_loops-inl.hpp.
#if defined(TILESCOPE_PROFILER_SIMT_LANE_MOVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_LANE_MOVES_INL
#undef TILESCOPE_PROFILER_SIMT_LANE_MOVES_INL
#else
#define TILESCOPE_PROFILER_SIMT_LANE_MOVES_INL
#endif

#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "profiler/execution/simt/memory/lane_addresses-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// The registers of an instruction's vector, or its only one (`d` of a load, `b` of a store).
template <int count>
HWY_INLINE Slot slot_of(const Warp& warp, const Instruction& i, Slot only, int element) {
  return count == 1 ? only : warp.operands(i)[element];
}

template <class T>
HWY_INLINE T read_memory(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Reads an Element as a load leaves it in a register: sign-extended if it is signed.
template <class Register, class Element>
HWY_INLINE Register read_as(const std::byte* at) {
  return static_cast<Register>(read_memory<Element>(at));
}

HWY_INLINE bool all_at_one_place(const Lanes& lanes) {
  std::uint32_t differing = 0;
  for (int lane = 0; lane < lane_count; ++lane) differing |= lanes.offset[lane] ^ lanes.offset[0];
  return differing == 0;
}

HWY_INLINE bool one_behind_the_other(const Lanes& lanes, std::uint32_t bytes) {
  std::uint32_t differing = 0;
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
    differing |= lanes.offset[lane] ^ (lanes.offset[0] + lane * bytes);
  }
  return differing == 0;
}

template <class T>
HWY_INLINE void set_lanes(T* result, LaneMask exec, T value) {
  if (exec == all_lanes) {
    for (int lane = 0; lane < lane_count; ++lane) result[lane] = value;
  } else {
    for (int lane = 0; lane < lane_count; ++lane)
      result[lane] = (exec >> lane & 1u) != 0 ? value : result[lane];
  }
}

// The compiler's own vectors, since Highway has none of 128 bits for the plainest target.
using FourWords = std::uint32_t __attribute__((vector_size(16)));

HWY_INLINE void transpose(FourWords (&v)[4]) {
  const FourWords a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  const FourWords b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
  const FourWords c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  const FourWords d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// Four elements of four bytes a lane: a transpose of four lanes at a time.
HWY_INLINE void load_four_words(Warp& warp, const Instruction& i, const Lanes& lanes) {
  std::uint32_t* result[4];
  for (int e = 0; e < 4; ++e) result[e] = warp.write<std::uint32_t>(slot_of<4>(warp, i, i.d, e));
  for (int lane = 0; lane < lane_count; lane += 4) {
    const LaneMask four = lanes.exec >> lane & 15u;
    if (four == 0) continue;
    FourWords v[4];
    for (int l = 0; l < 4; ++l) std::memcpy(&v[l], lanes.base + lanes.offset[lane + l], sizeof v[l]);
    transpose(v);
    for (int e = 0; e < 4; ++e) {
      if (four != 15) {
        FourWords old;
        std::memcpy(&old, result[e] + lane, sizeof old);
        const FourWords taken = (FourWords{four, four >> 1, four >> 2, four >> 3} & 1u) * ~std::uint32_t{0};
        v[e] = (v[e] & taken) | (old & ~taken);
      }
      std::memcpy(result[e] + lane, &v[e], sizeof v[e]);
    }
  }
}

HWY_INLINE void store_four_words(const Warp& warp, const Instruction& i, const Lanes& lanes) {
  const std::uint32_t* source[4];
  for (int e = 0; e < 4; ++e) source[e] = warp.read<std::uint32_t>(slot_of<4>(warp, i, i.b, e));
  for (int lane = 0; lane < lane_count; lane += 4) {
    const LaneMask four = lanes.exec >> lane & 15u;
    FourWords v[4];
    for (int e = 0; e < 4; ++e) std::memcpy(&v[e], source[e] + lane, sizeof v[e]);
    transpose(v);
    for (int l = 0; l < 4; ++l) {
      if ((four >> l & 1u) != 0) std::memcpy(lanes.base + lanes.offset[lane + l], &v[l], sizeof v[l]);
    }
  }
}

// Loads `count` elements a lane into registers that may be wider. One function for all state spaces.
template <class Element, class Register, int count>
HWY_NOINLINE void load_lanes(Warp& warp, const Instruction& i, const Lanes& lanes) {
  if (all_at_one_place(lanes)) {
    for (int e = 0; e < count; ++e) {
      const std::byte* at = lanes.base + lanes.offset[0] + static_cast<std::size_t>(e) * sizeof(Element);
      set_lanes(warp.write<Register>(slot_of<count>(warp, i, i.d, e)), lanes.exec,
                read_as<Register, Element>(at));
    }
    return;
  }
  if constexpr (count == 4 && sizeof(Element) == 4 && sizeof(Register) == 4)
    return load_four_words(warp, i, lanes);
  if constexpr (count == 1 && sizeof(Element) == sizeof(Register)) {
    if (lanes.exec == all_lanes && one_behind_the_other(lanes, sizeof(Element))) {
      std::memcpy(warp.write<Register>(i.d), lanes.base + lanes.offset[0], sizeof(Register) * lane_count);
      return;
    }
  }
  for (int e = 0; e < count; ++e) {
    Register* result = warp.write<Register>(slot_of<count>(warp, i, i.d, e));
    const std::byte* base = lanes.base + static_cast<std::size_t>(e) * sizeof(Element);
    if (lanes.exec == all_lanes) {
#pragma GCC unroll 8
      for (int lane = 0; lane < lane_count; ++lane) {
        result[lane] = read_as<Register, Element>(base + lanes.offset[lane]);
      }
    } else {
      for (int lane = 0; lane < lane_count; ++lane) {
        const auto value = read_as<Register, Element>(base + lanes.offset[lane]);
        result[lane] = (lanes.exec >> lane & 1u) != 0 ? value : result[lane];
      }
    }
  }
}

// Stores `count` elements a lane, of registers that may be wider.
template <class Element, class Register, int count>
HWY_NOINLINE void store_lanes(Warp& warp, const Instruction& i, const Lanes& lanes) {
  if constexpr (count == 4 && sizeof(Element) == 4 && sizeof(Register) == 4)
    return store_four_words(warp, i, lanes);
  const Register* source[count];
  for (int e = 0; e < count; ++e) source[e] = warp.read<Register>(slot_of<count>(warp, i, i.b, e));
  if constexpr (count == 1 && sizeof(Element) == sizeof(Register)) {
    if (lanes.exec == all_lanes && one_behind_the_other(lanes, sizeof(Element))) {
      std::memcpy(lanes.base + lanes.offset[0], source[0], sizeof(Register) * lane_count);
      return;
    }
  }
  // All of a lane in one number where it fits.
  using Whole = std::conditional_t<
      sizeof(Element) * count <= 4,
      std::conditional_t<sizeof(Element) * count == 1, std::uint8_t,
                         std::conditional_t<sizeof(Element) * count == 2, std::uint16_t, std::uint32_t>>,
      std::uint64_t>;
  constexpr int parts = sizeof(Element) * count > 8 ? 2 : 1;
  constexpr int in_part = count / parts;
  alignas(64) Whole values[parts][lane_count];
  for (int part = 0; part < parts; ++part) {
    for (int lane = 0; lane < lane_count; ++lane) {
      Whole whole = 0;
      for (int e = 0; e < in_part; ++e) {
        const auto element = static_cast<Whole>(static_cast<Element>(source[part * in_part + e][lane]));
        whole = static_cast<Whole>(whole | element << (8 * static_cast<int>(sizeof(Element)) * e));
      }
      values[part][lane] = whole;
    }
  }
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((lanes.exec >> lane & 1u) == 0) continue;
    std::byte* to = lanes.base + lanes.offset[lane];
    for (int part = 0; part < parts; ++part) {
      std::memcpy(to + static_cast<std::size_t>(part) * sizeof(Whole), &values[part][lane], sizeof(Whole));
    }
  }
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
