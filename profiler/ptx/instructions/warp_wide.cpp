#include "profiler/ptx/instructions/families.hpp"

namespace tilescope::ptx {

std::span<const Opcode> warp_wide_opcodes() {
  return {};
}

}  // namespace tilescope::ptx
