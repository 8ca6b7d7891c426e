#include "profiler/ptx/instructions/families.hpp"

namespace tilescope::ptx {

std::span<const Opcode> load_store_opcodes() { return {}; }

}  // namespace tilescope::ptx
