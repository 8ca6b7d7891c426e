#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/measure/files/element.hpp"

namespace tilescope {

/// Values of a buffer that differ from element to element.
enum class FillPattern : std::uint8_t {
  /// "random": floating-point elements in [-1, 1), whole numbers from 0 to 7.
  random,
  /// "iota": 0, 1, 2 ...; whole numbers that do not fit begin again at 0.
  iota,
};

/// The pattern that a buffer's "fill" names; none for a number.
std::optional<FillPattern> fill_pattern(const Json& buffer);

/// The bytes of `count` elements. The same `seed` gives the same values on every machine.
std::vector<std::byte> pattern_bytes(FillPattern pattern, const Element& element, std::uint64_t count,
                                     std::uint64_t seed);

}  // namespace tilescope
