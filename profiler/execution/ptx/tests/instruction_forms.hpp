#pragma once

#include <string>
#include <vector>

/// The forms of every supported instruction, as text: each combination of opcode, modifiers and types that has its own
/// handler. Registers are %b (8 bits), %h (16), %r (32), %d (64), %q (128) and %p with a number; %global, %generic and
/// %shared64 hold addresses of 64, %shared and %local of 32 bits.
namespace tilescope::ptx {

std::vector<std::string> instruction_forms();

}  // namespace tilescope::ptx
