#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope {

using simt::FloatKind;
/// Whether the bits are a NaN; for a pair of halves, whether one of them is.
bool is_nan(std::uint64_t bits, FloatKind kind);
/// [B] in a register; f64_pair is two registers of 4 B.
int bytes_of(FloatKind kind);
/// "-inf", "0", "1.5"; both halves of a pair.
std::string number_text(std::uint64_t bits, FloatKind kind);

/// Role of an instruction with floating-point values.
struct FloatForm {
  enum class Role : std::uint8_t {
    /// Neither computes nor moves such values.
    none,
    arithmetic,
    /// A product of matrices: the results depend on all lanes.
    matrix,
    /// Values of other lanes.
    shuffle,
    move,
    load,
    store,
  };
  Role role = Role::none;
  FloatKind result = FloatKind::none, factor = FloatKind::none;
  std::vector<simt::Slot> results, sources;
  /// [B] of a lane of a result that is moved.
  int result_bytes = 4;
  /// A matrix product's sum that is added to, among the sources, from this one on; it has the kind of the result.
  std::size_t first_sum = SIZE_MAX;
};
FloatForm float_form_of(const simt::Program& program, const simt::Instruction& instruction);

}  // namespace tilescope
