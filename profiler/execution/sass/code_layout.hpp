#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/sass/code_sections.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {

/// The decoded instructions of all sections, in order.
struct DecodedCode {
  std::vector<simt::Instruction> instructions;
  /// [B] The joined address of each.
  std::vector<std::uint32_t> addresses;
  /// [B] Numbers in the code that may be addresses to which a jump returns.
  std::vector<std::uint32_t> possible_targets;
  bool has_jumps = false;
};

/// Whether the instruction's target is a label, by its joined address until lay_out().
bool goes_to_label(simt::Flow flow);

/// Divides the code into basic blocks: fills the program's code and blocks, and where the code of an address is. The
/// program has the origins of the instructions. Throws Unsupported for a target where no instruction begins.
void lay_out(const DecodedCode& decoded, const CodeSections& sections, simt::Program& program);

}  // namespace tilescope::sass
