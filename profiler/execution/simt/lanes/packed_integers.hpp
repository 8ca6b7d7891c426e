#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace tilescope::simt {

/// The types to which integers are saturated when they are packed.
struct Packed {
  std::string_view name;
  int bits;
  bool with_sign;
};
/// In the names of PTX; machine code writes them in capitals.
inline constexpr std::array packed_types = {
    Packed{"u2", 2, false}, Packed{"s2", 2, true}, Packed{"u4", 4, false},   Packed{"s4", 4, true},
    Packed{"u8", 8, false}, Packed{"s8", 8, true}, Packed{"u16", 16, false}, Packed{"s16", 16, true}};

inline std::uint32_t saturated(std::int32_t value, const Packed& type) {
  const std::int32_t highest = (1 << (type.with_sign ? type.bits - 1 : type.bits)) - 1;
  const std::int32_t lowest = type.with_sign ? -highest - 1 : 0;
  return static_cast<std::uint32_t>(std::clamp(value, lowest, highest)) & ((1u << type.bits) - 1);
}

}  // namespace tilescope::simt
