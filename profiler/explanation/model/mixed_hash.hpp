#pragma once

#include <cstdint>

namespace tilescope::model {

/// A hash of `value` and of what `hash` was made of.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccd;
  return hash ^ hash >> 33;
}

}  // namespace tilescope::model
