#include "profiler/ptx/instructions/families.hpp"

namespace tilescope::ptx {

std::span<const Opcode> atomic_opcodes() {
  return {};
}

}  // namespace tilescope::ptx
