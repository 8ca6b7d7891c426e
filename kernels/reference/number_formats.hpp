#pragma once

#include <cstdint>

namespace tilescope::reference {

/// The 16-bit formats of Q, K, V and O.
enum class Format { fp16, bf16 };

/// Rounds to nearest, ties to even, as cvt.rn does on the device; overflow to infinity, NaN stays NaN.
std::uint16_t from_float(float value, Format format);
float to_float(std::uint16_t bits, Format format);

/// The largest relative error of rounding a normal number once: 2^-11 for fp16, 2^-8 for bf16.
double rounding_unit(Format format);

}  // namespace tilescope::reference
