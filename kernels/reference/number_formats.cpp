#include "kernels/reference/number_formats.hpp"

#include <bit>

namespace tilescope::reference {
namespace {

// Shifts right by `count` bits, rounding to nearest, ties to even.
std::uint32_t shift_rounding(std::uint32_t value, unsigned count) {
  if (count > 31) return 0;
  const std::uint32_t half = 1u << (count - 1);
  const std::uint32_t kept = value >> count;
  const std::uint32_t rest = value & ((1u << count) - 1);
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

std::uint16_t fp16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7fffu);  // the NaN that cvt gives
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7c00u);
  std::uint32_t rounded = 0;
  if (exponent >= -14) {
    // The carry of the rounding runs into the exponent, which is right up to infinity.
    rounded = shift_rounding(magnitude - ((127 - 15) << 23), 13);
  } else if (magnitude != 0) {
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    rounded = shift_rounding(mantissa, static_cast<unsigned>(-1 - exponent));
  }
  return static_cast<std::uint16_t>(sign | rounded);
}

float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude < 0x400u) {  // subnormal: a multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + ((127 - 15) << 23)));
}

std::uint16_t bf16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
  return static_cast<std::uint16_t>(shift_rounding(bits & 0x7fffffffu, 16) | ((bits >> 16) & 0x8000u));
}

}  // namespace

std::uint16_t from_float(float value, Format format) {
  return format == Format::fp16 ? fp16_from_float(value) : bf16_from_float(value);
}

float to_float(std::uint16_t bits, Format format) {
  return format == Format::fp16 ? fp16_to_float(bits)
                                : std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

double rounding_unit(Format format) {
  return format == Format::fp16 ? 0x1p-11 : 0x1p-8;
}

}  // namespace tilescope::reference
