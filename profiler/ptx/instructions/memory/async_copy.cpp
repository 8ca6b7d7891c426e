#include "profiler/ptx/instructions/families.hpp"

namespace tilescope::ptx {

std::span<const Opcode> async_copy_opcodes() {
  return {};
}

}  // namespace tilescope::ptx
