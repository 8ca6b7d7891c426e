#include "profiler/measure/files/element.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/json.hpp"
#include "kernels/reference/number_formats.hpp"

namespace tilescope {
namespace {

using Kind = Element::Kind;
constexpr std::array elements = {
    Element{"u8", Kind::unsigned_integer, 1},
    Element{"s8", Kind::signed_integer, 1},
    Element{"b8", Kind::bits, 1},
    Element{"u16", Kind::unsigned_integer, 2},
    Element{"s16", Kind::signed_integer, 2},
    Element{"b16", Kind::bits, 2},
    Element{"u32", Kind::unsigned_integer, 4},
    Element{"s32", Kind::signed_integer, 4},
    Element{"b32", Kind::bits, 4},
    Element{"u64", Kind::unsigned_integer, 8},
    Element{"s64", Kind::signed_integer, 8},
    Element{"b64", Kind::bits, 8},
    Element{"f16", Kind::floating, 2},
    Element{"bf16", Kind::floating, 2},
    Element{"f32", Kind::floating, 4},
    Element{"f64", Kind::floating, 8},
};

/// A text or a list may be long.
std::string short_line(const Json& value) {
  constexpr std::size_t longest = 100;
  const std::string text = to_line(value);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

[[noreturn]] void refuse(const Json& value, const Element& element, const std::string& why) {
  throw std::invalid_argument(fmt::format("{} is not a valid {}: {}", short_line(value), element.name, why));
}

std::uint64_t largest(const Element& element) {
  return std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * element.bytes);
}

reference::Format format_of(const Element& element) {
  return element.name == "f16" ? reference::Format::fp16 : reference::Format::bf16;
}

// Overflow gives infinity.
std::uint64_t rounded_bits(double value, const Element& element) {
  if (element.bytes == 8) return std::bit_cast<std::uint64_t>(value);
  const auto single = static_cast<float>(value);
  return element.bytes == 4 ? std::bit_cast<std::uint32_t>(single)
                            : reference::from_float(single, format_of(element));
}

std::uint64_t integer_bits(const Json& value, const Element& element) {
  const std::uint64_t most = largest(element);
  if (value.is_number_unsigned() || value.get<std::int64_t>() >= 0) {
    const auto number = value.get<std::uint64_t>();
    if (number > (element.kind == Kind::signed_integer ? most >> 1 : most))
      refuse(value, element, "it is too large");
    return number;
  }
  const auto number = value.get<std::int64_t>();
  if (element.kind == Kind::unsigned_integer) refuse(value, element, "it is negative");
  if (number < -static_cast<std::int64_t>(most >> 1) - 1) refuse(value, element, "it is too small");
  return static_cast<std::uint64_t>(number) & most;
}

std::uint64_t string_bits(const Json& value, const Element& element) {
  const auto& text = value.get_ref<const std::string&>();
  if (element.kind == Kind::floating) {
    if (text == "nan") return rounded_bits(std::nan(""), element);
    if (text == "inf") return rounded_bits(std::numeric_limits<double>::infinity(), element);
    if (text == "-inf") return rounded_bits(-std::numeric_limits<double>::infinity(), element);
  }
  std::uint64_t bits = 0;
  const char* end = text.data() + text.size();
  if (!text.starts_with("0x")) refuse(value, element, "a string holds bits, such as \"0xff\"");
  const auto read = std::from_chars(text.data() + 2, end, bits, 16);
  if (read.ec == std::errc::result_out_of_range || bits > largest(element))
    refuse(value, element, "it has more bits");
  if (read.ec != std::errc{} || read.ptr != end) refuse(value, element, "\"0x\" needs hexadecimal digits");
  return bits;
}

std::int64_t extended(std::uint64_t bits, const Element& element) {
  const int shift = 64 - 8 * static_cast<int>(element.bytes);
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

// Exact.
double floating_value(std::uint64_t bits, const Element& element) {
  if (element.bytes == 8) return std::bit_cast<double>(bits);
  if (element.bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return reference::to_float(static_cast<std::uint16_t>(bits), format_of(element));
}

// The shortest number that reads as the same value: 0.1 for the float nearest to it.
template <class T>
Json number(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return std::stod(fmt::format("{}", value));
}

}  // namespace

std::optional<Element> element_named(std::string_view name) {
  for (const Element& element : elements) {
    if (element.name == name) return element;
  }
  return std::nullopt;
}

std::string element_names() {
  std::string names;
  for (const Element& element : elements) names += (names.empty() ? "" : ", ") + std::string(element.name);
  return names;
}

std::uint64_t bits_of(const Json& value, const Element& element) {
  if (value.is_string()) return string_bits(value, element);
  if (!value.is_number()) refuse(value, element, "a number is expected");
  if (element.kind == Kind::floating) return floating_bits(value.get<double>(), element);
  if (!value.is_number_integer()) refuse(value, element, "a whole number is expected");
  return integer_bits(value, element);
}

Json value_of(std::uint64_t bits, const Element& element) {
  switch (element.kind) {
    case Kind::unsigned_integer:
      return bits;
    case Kind::signed_integer:
      return extended(bits, element);
    case Kind::bits:
      return fmt::format("0x{:0{}x}", bits, 2 * element.bytes);
    case Kind::floating:
      break;
  }
  if (element.bytes == 8) return number(std::bit_cast<double>(bits));
  if (element.bytes == 4) return number(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return number(reference::to_float(static_cast<std::uint16_t>(bits), format_of(element)));
}

std::uint64_t floating_bits(double value, const Element& element) {
  const std::uint64_t bits = rounded_bits(value, element);
  if (std::isfinite(value) && !std::isfinite(floating_value(bits, element)))
    refuse(value, element, "it is too large");
  return bits;
}

long double number_of(std::uint64_t bits, const Element& element) {
  if (element.kind == Kind::floating) return floating_value(bits, element);
  if (element.kind == Kind::signed_integer) return static_cast<long double>(extended(bits, element));
  return static_cast<long double>(bits);
}

}  // namespace tilescope
