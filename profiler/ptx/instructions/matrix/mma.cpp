#include "profiler/ptx/instructions/families.hpp"

namespace tilescope::ptx {

std::span<const Opcode> mma_opcodes() { return {}; }

}  // namespace tilescope::ptx
