#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// The type of a buffer's elements or of a number argument, by its name in PTX: "u32", "f16", "b64".
struct Element {
  enum class Kind : std::uint8_t { unsigned_integer, signed_integer, bits, floating };
  std::string_view name;
  Kind kind = Kind::bits;
  std::size_t bytes = 4;
};

std::optional<Element> element_named(std::string_view name);
/// "u8, s8, ..."
std::string element_names();

/// The bits of a JSON value: a number, "0x..." for the bits themselves, or "nan", "inf" or "-inf" for a floating-point
/// element. Throws std::invalid_argument with what is wrong.
std::uint64_t bits_of(const Json& value, const Element& element);
/// The reverse: numbers, strings of hexadecimal digits for b8 to b64, "nan" and the like for non-finite values.
Json value_of(std::uint64_t bits, const Element& element);

/// The bits of a floating-point element, rounded to nearest. Throws std::invalid_argument for a finite number that is too
/// large for it.
std::uint64_t floating_bits(double value, const Element& element);
/// The value of an element as a number; bits count as a whole number.
long double number_of(std::uint64_t bits, const Element& element);

}  // namespace tilescope
