#pragma once

#include <cstdint>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/program.hpp"

/// How ld and st are executed. Instruction::a is the base address, `immediate` the offset, `d` (ld) or `b` (st) the
/// register of one element and Warp::operands a vector's; `width` and `count` are its elements.
namespace tilescope::ptx {

/// Packed into Instruction::flags.
struct LoadStoreForm {
  Space space = Space::generic;
  /// [B] of the address register: 4 or 8
  int base_bytes = 8;
  /// [B] of a lane of each element's register: 2, 4, 8, or 16 for .b128
  int register_bytes = 4;

  /// Throws std::logic_error for bytes that no register has.
  std::uint8_t pack() const;
  static LoadStoreForm unpack(std::uint8_t flags);
};

/// The fastest handlers for a form with `count` elements of `element_bytes`. `sign_extends`: elements are sign-extended
/// into wider registers.
Handler load_handler(const LoadStoreForm& form, int element_bytes, int count, bool sign_extends);
Handler store_handler(const LoadStoreForm& form, int element_bytes, int count);

}  // namespace tilescope::ptx
