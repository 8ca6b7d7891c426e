#pragma once

#include <cstddef>
#include <vector>

/// The operands of sweeps over scalar functions: pairs (x, y) of special values, then of moderate numbers, then of
/// random bits.
namespace tilescope::hardware {

/// Pairs. The first 16 x 16 or 24 x 24 are the specials.
inline constexpr std::size_t sweep_count = 4096;

std::vector<std::byte> float_values(bool is_second);
std::vector<std::byte> double_values(bool is_second);
std::vector<std::byte> word_values(bool is_second);
/// Pairs of halves (the same bits as bfloat16 are other numbers, and specials again).
std::vector<std::byte> packed_values(bool is_second);

}  // namespace tilescope::hardware
