#include "profiler/measure/files/fill_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/json.hpp"

namespace tilescope {
namespace {

constexpr std::uint64_t most_random_integer = 7;

// SplitMix64 (Steele, Lea and Flood 2014), by the place in its sequence.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t at) {
  std::uint64_t bits = seed * 0xbf58476d1ce4e5b9 + (at + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31U);
}

std::uint64_t random_element(const Element& element, std::uint64_t bits) {
  if (element.kind != Element::Kind::floating) return bits & most_random_integer;
  // Eleven bits, as many as f16 has.
  const double value = static_cast<double>(bits >> 53U) / 1024 - 1;
  if (element.name == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return floating_bits(value, element);
}

std::uint64_t iota_element(const Element& element, std::uint64_t at) {
  constexpr std::uint64_t most_exact = 256;  // of bf16
  if (element.kind == Element::Kind::floating)
    return floating_bits(static_cast<double>(element.bytes > 2 ? at : at % most_exact), element);
  const std::uint64_t sign = element.kind == Element::Kind::signed_integer ? 1 : 0;
  const std::uint64_t bits = 8 * element.bytes - sign;
  return bits >= 64 ? at : at & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

std::optional<FillPattern> fill_pattern(const Json& buffer) {
  const auto fill = buffer.find("fill");
  if (fill == buffer.end() || *fill == 0) return FillPattern::zeros;
  if (*fill == "random") return FillPattern::random;
  if (*fill == "iota") return FillPattern::iota;
  return std::nullopt;
}

void PatternFill::write(std::byte* buffer, std::uint64_t first_byte, std::uint64_t end_byte) const {
  if (pattern == FillPattern::zeros) {
    std::memset(buffer + first_byte, 0, std::min(end_byte, bytes()) - first_byte);
    return;
  }
  const std::uint64_t end = std::min((end_byte + element.bytes - 1) / element.bytes, count);
  for (std::uint64_t i = first_byte / element.bytes; i < end; ++i) {
    const std::uint64_t value = pattern == FillPattern::random ? random_element(element, random_bits(seed, i))
                                                               : iota_element(element, i);
    std::memcpy(buffer + i * element.bytes, &value, element.bytes);
  }
}

}  // namespace tilescope
