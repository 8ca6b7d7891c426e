#pragma once

#include <bit>
#include <cstdint>
#include <iterator>

/// Inputs of the tests of floating-point instructions.
namespace tilescope::sass {

/// Numbers of all kinds, different for each round and seed; the first of them special ones.
inline std::uint32_t float_bits(unsigned lane, unsigned round, unsigned seed) {
  constexpr std::uint32_t special[] = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
      0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
      0x7f800001, 0x3f7fffff, 0x3effffff, 0x4b000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x33800000,
  };
  std::uint32_t mixed = (lane + 1u) * 0x9e3779b9u ^ (round + 7u) * 0x85ebca6bu ^ (seed + 3u) * 0xc2b2ae35u;
  mixed ^= mixed >> 15;
  mixed *= 0x2c1b3c6du;
  mixed ^= mixed >> 13;
  mixed *= 0x297a2d39u;
  mixed ^= mixed >> 16;
  if (round % 3 == 0) return special[mixed % std::size(special)];
  if (round % 3 == 1) return mixed;
  // From 2^-8 to 2^8, where sums neither vanish nor swallow a term.
  return (mixed & 0x807fffffu) | (119u + (mixed >> 23 & 15u)) << 23;
}

inline std::uint64_t double_bits(unsigned lane, unsigned round, unsigned seed) {
  const std::uint64_t low = float_bits(lane, 3 * round + 1, seed + 50);
  const std::uint32_t high = float_bits(lane, round, seed);
  if (round % 3 == 0) return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(high)));
  if (round % 3 == 1) return std::uint64_t{high} << 32 | low;
  return (std::uint64_t{high & 0x800fffffu} | std::uint64_t{1015u + (high >> 20 & 15u)} << 20) << 32 | low;
}

/// Two f16 or bf16 of all kinds.
inline std::uint32_t half_pair_bits(unsigned lane, unsigned round, unsigned seed) {
  constexpr std::uint16_t special[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x007f, 0x0080,
                                       0x3c00, 0xbc00, 0x3f80, 0xbf80, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
                                       0xfe01, 0x7f7f, 0xff80, 0x7f80, 0x7fff, 0x3bff, 0x4000, 0x3555};
  const std::uint32_t mixed = float_bits(lane, 3 * round + 1, seed + 90);
  if (round % 3 != 0) return mixed;
  return static_cast<std::uint32_t>(special[mixed % std::size(special)]) << 16 |
         special[mixed / 32 % std::size(special)];
}

}  // namespace tilescope::sass
