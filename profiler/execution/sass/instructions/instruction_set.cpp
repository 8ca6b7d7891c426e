#include <array>
#include <stdexcept>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"

namespace tilescope::sass {

OpcodesByName opcodes_by_name(std::span<const std::span<const Opcode>> families) {
  OpcodesByName all;
  std::unordered_map<std::string_view, std::string_view> family_of;
  for (const std::span<const Opcode> family : families) {
    for (const Opcode& opcode : family) {
      const auto [known, is_new] = family_of.emplace(opcode.name, family.front().name);
      if (!is_new) {
        throw std::logic_error("the opcode '" + std::string(opcode.name) +
                               "' has two rows, in the families of '" + std::string(known->second) +
                               "' and '" + std::string(family.front().name) + "'");
      }
      all.emplace(opcode.name, &opcode);
    }
  }
  return all;
}

const Opcode* find_opcode(std::string_view name) {
  static const OpcodesByName all = opcodes_by_name(
      std::array{integer_opcodes(), logic_opcodes(), move_opcodes(), float_opcodes(), double_opcodes(),
                 half_opcodes(), convert_opcodes(), matrix_opcodes(), warp_opcodes(), load_store_opcodes(),
                 async_copy_opcodes(), atomic_opcodes(), control_opcodes()});
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace tilescope::sass
