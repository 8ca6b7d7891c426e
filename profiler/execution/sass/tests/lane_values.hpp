#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "profiler/execution/sass/tests/sass_snippet.hpp"

/// Inputs of instruction tests: numbers at the edges and random ones.
namespace tilescope::sass {

using LaneValues = std::array<std::uint32_t, 32>;

/// A quarter of the lanes has a number at an edge.
inline LaneValues lane_values(std::mt19937_64& random) {
  constexpr std::array<std::uint32_t, 12> edges = {0,  1,  2,          31,         32,         33,
                                                   63, 64, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
  LaneValues values;
  for (std::uint32_t& value : values) {
    value = static_cast<std::uint32_t>(random());
    if (random() % 4 == 0) value = edges[random() % edges.size()];
  }
  return values;
}

inline simt::LaneMask lane_mask(std::mt19937_64& random) {
  return static_cast<simt::LaneMask>(random());
}

inline void set(SassSnippet& snippet, int reg, const LaneValues& values) {
  snippet.set(reg, [&](unsigned lane) { return values[lane]; });
}

inline bool is_set(simt::LaneMask mask, unsigned lane) {
  return (mask >> lane & 1u) != 0;
}

}  // namespace tilescope::sass
