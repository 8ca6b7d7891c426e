#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/json_fwd.hpp"
#include "profiler/measure/files/element.hpp"

namespace tilescope {

/// Values of a buffer that differ from element to element.
enum class FillPattern : std::uint8_t {
  /// "fill": 0
  zeros,
  /// "random": floating-point elements in [-1, 1), whole numbers from 0 to 7.
  random,
  /// "iota": 0, 1, 2 ...; whole numbers that do not fit begin again at 0.
  iota,
};

/// The pattern that a buffer's "fill" names; none for a number other than 0.
std::optional<FillPattern> fill_pattern(const Json& buffer);

/// Elements with such values. One `seed` gives the same values on every machine.
struct PatternFill {
  FillPattern pattern = FillPattern::zeros;
  Element element;
  std::uint64_t count = 0;
  std::uint64_t seed = 0;

  std::uint64_t bytes() const { return count * element.bytes; }
  /// Writes the elements that lie in [first_byte, end_byte) to `buffer`, which begins at the first element.
  void write(std::byte* buffer, std::uint64_t first_byte, std::uint64_t end_byte) const;
};

}  // namespace tilescope
