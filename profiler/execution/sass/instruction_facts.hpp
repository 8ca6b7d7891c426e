#pragma once

#include <string_view>

#include "profiler/execution/simt/machine_facts.hpp"

namespace tilescope::sass {

/// Reads the facts of an instruction that was kept as text: "@!P0 LDS.128 R4, [R2+0x10]". Throws Unsupported for an
/// opcode or an operand that is not known, DisassemblyError for other text.
simt::MachineFacts facts_of(std::string_view text);

}  // namespace tilescope::sass
