#include <stdexcept>
#include <string>
#include <unordered_map>

#include "profiler/execution/ptx/instructions/families.hpp"

namespace tilescope::ptx {
namespace {

std::unordered_map<std::string_view, const Opcode*> all_opcodes() {
  std::unordered_map<std::string_view, const Opcode*> all;
  for (const auto family :
       {integer_opcodes(), floating_opcodes(), bit_opcodes(), convert_opcodes(), compare_opcodes(),
        move_opcodes(), warp_wide_opcodes(), control_opcodes(), call_opcodes(), load_store_opcodes(),
        atomic_opcodes(), async_copy_opcodes(), mbarrier_opcodes(), matrix_load_opcodes(), mma_opcodes(),
        wmma_opcodes(), video_opcodes(), probe_opcodes()}) {
    for (const Opcode& opcode : family) {
      if (!all.emplace(opcode.name, &opcode).second) {
        throw std::logic_error("two instruction families decode '" + std::string(opcode.name) + "'");
      }
    }
  }
  return all;
}

}  // namespace

const Opcode* find_opcode(std::string_view name) {
  static const auto all = all_opcodes();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace tilescope::ptx
