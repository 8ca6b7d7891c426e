#include "profiler/ptx/instructions/families.hpp"

namespace tilescope::ptx {

std::span<const Opcode> matrix_load_opcodes() { return {}; }

}  // namespace tilescope::ptx
