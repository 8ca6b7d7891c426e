#include <algorithm>

#include "profiler/sass/instructions/families.hpp"

namespace tilescope::sass {

const Opcode* find_opcode(std::string_view name) {
  for (const auto family : {integer_opcodes, logic_opcodes, move_opcodes, float_opcodes, double_opcodes,
                            half_opcodes, convert_opcodes, matrix_opcodes, warp_opcodes, load_store_opcodes,
                            async_copy_opcodes, atomic_opcodes, control_opcodes}) {
    const std::span<const Opcode> opcodes = family();
    const auto found = std::ranges::find(opcodes, name, &Opcode::name);
    if (found != opcodes.end()) return &*found;
  }
  return nullptr;
}

}  // namespace tilescope::sass
