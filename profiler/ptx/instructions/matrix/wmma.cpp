#include "profiler/ptx/instructions/families.hpp"

namespace tilescope::ptx {

std::span<const Opcode> wmma_opcodes() {
  return {};
}

}  // namespace tilescope::ptx
