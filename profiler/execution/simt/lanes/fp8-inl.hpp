// 8-bit floats. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_FP8_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_FP8_INL
#undef TILESCOPE_PROFILER_SIMT_FP8_INL
#else
#define TILESCOPE_PROFILER_SIMT_FP8_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// Without the sign bit a code counts the numbers upward: exponent, then mantissa.
struct Fp8 {
  /// bits
  int mantissa;
  /// The exponent field that a float of its smallest normal has.
  std::uint32_t lowest;
  /// The code of its greatest finite number.
  std::uint32_t greatest;
};
inline constexpr Fp8 e4m3 = {3, 127 - 6, 0x7e};   // 448; no infinities, one NaN
inline constexpr Fp8 e5m2 = {2, 127 - 14, 0x7b};  // 57344
inline constexpr std::uint32_t fp8_nan = 0x7f;
inline constexpr std::uint16_t f16_nan = 0x7fff;

// Rounds to nearest, ties to even. A value beyond the greatest number becomes that number, with its sign.
HWY_INLINE std::uint32_t encode_fp8(float value, const Fp8& format, bool relu) {
  const std::uint32_t bits = bits_of(relu ? relu_of(value) : value);
  const std::uint32_t size = bits & 0x7fffffffu, exponent = size >> 23;
  if (size > 0x7f800000u) return fp8_nan;
  const std::uint32_t below = exponent < format.lowest ? format.lowest - exponent : 0;
  const std::uint32_t shift = std::min(23 - static_cast<std::uint32_t>(format.mantissa) + below, 31u);
  const std::uint32_t digits = (size & 0x7fffffu) | 0x800000u;
  const std::uint32_t kept = digits >> shift, rest = digits & ((1u << shift) - 1), tie = 1u << (shift - 1);
  const std::uint32_t up = rest > tie || (rest == tie && (kept & 1u) != 0) ? 1 : 0;
  // The hidden bit of a normal number is among `kept` and adds one exponent.
  const std::uint32_t steps = below > 0 ? 0 : (exponent - format.lowest) << format.mantissa;
  return std::min(steps + kept + up, format.greatest) | (bits >> 24 & 0x80u);
}

// Every fp8 is an f16.
HWY_INLINE std::uint16_t fp8_to_f16(std::uint32_t code, const Fp8& format, bool relu) {
  const std::uint32_t size = code & 0x7fu;
  const bool is_e4m3 = format.mantissa == 3;
  if (size > (is_e4m3 ? 0x7eu : 0x7cu)) return f16_nan;
  if (relu && (code & 0x80u) != 0) return 0;
  const auto sign = static_cast<std::uint16_t>((code & 0x80u) << 8);
  if (!is_e4m3) return static_cast<std::uint16_t>(size << 8 | sign);
  // Moved to an f16's place the exponent is short of 8, for denormals too.
  const float value = single_of_f16(static_cast<std::uint16_t>(size << 7)) * 256.0f;
  return static_cast<std::uint16_t>(f16_of_single(value) | sign);
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
