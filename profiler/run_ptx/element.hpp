#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/json.hpp"

namespace tilescope {

/// The type of a buffer's elements, or of an argument that is a number, by its name in PTX: "u32", "f16", "b64".
struct Element {
  enum class Kind : std::uint8_t { unsigned_integer, signed_integer, bits, floating };
  std::string_view name;
  Kind kind = Kind::bits;
  std::size_t bytes = 4;
};

std::optional<Element> element_named(std::string_view name);
/// "u8, s8, ..."
std::string element_names();

/// The bits of a JSON value: a number, "0x..." for the bits themselves, and for a floating-point element "nan", "inf" or
/// "-inf". Throws std::invalid_argument with what is wrong with it.
std::uint64_t bits_of(const Json& value, const Element& element);
/// The other way round: numbers, strings of hexadecimal digits for b8 to b64, "nan" and the like for what is no number.
Json value_of(std::uint64_t bits, const Element& element);

}  // namespace tilescope
