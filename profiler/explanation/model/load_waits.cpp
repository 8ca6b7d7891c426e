#include "profiler/explanation/model/load_waits.hpp"

#include "profiler/execution/sass/instruction_word.hpp"
#include "profiler/execution/sass/opcode.hpp"

namespace tilescope::model {
namespace {

const simt::Origin& origin_of(const simt::Program& program, std::uint32_t at) {
  return program.origins[program.code[at].origin];
}

bool is_load(const simt::MachineFacts& facts) {
  if (facts.opcode == nullptr) return false;
  return facts.opcode->effect == sass::Effect::global_load ||
         facts.opcode->effect == sass::Effect::local_load;
}

// A bit for the scoreboard that a load holds until its result is there; 0 for other instructions.
unsigned loads_into(const simt::Origin& origin) {
  const std::uint8_t scoreboard = sass::scheduling_of_bits(origin.scheduling).write_scoreboard;
  return is_load(origin.facts) && scoreboard != sass::no_scoreboard ? 1u << scoreboard : 0;
}

}  // namespace

std::vector<std::uint32_t> last_load_waits(const simt::Program& program) {
  std::vector<std::uint32_t> waits(program.code.size(), 0);
  unsigned loading = 0;
  for (const simt::BasicBlock& block : program.blocks) {
    const std::uint32_t first = block.first + 1, end = first + block.instructions;
    // A loop comes back with what it loaded.
    for (std::uint32_t at = first; at < end; ++at) loading |= loads_into(origin_of(program, at));
    std::uint32_t last = first;
    for (std::uint32_t at = first; at < end; ++at) {
      const simt::Origin& origin = origin_of(program, at);
      const unsigned waited = sass::scheduling_of_bits(origin.scheduling).wait_mask & loading;
      if (waited != 0) last = at;
      loading = (loading & ~waited) | loads_into(origin);
      waits[at] = last;
    }
  }
  return waits;
}

}  // namespace tilescope::model
