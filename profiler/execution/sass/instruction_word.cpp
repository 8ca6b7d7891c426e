#include "profiler/execution/sass/instruction_word.hpp"

namespace tilescope::sass {

namespace {

constexpr unsigned first_bit = 105, bit_count = 21;

}  // namespace

std::uint32_t scheduling_bits(const InstructionWord& word) {
  return static_cast<std::uint32_t>(word.high >> (first_bit - 64)) & ((1u << bit_count) - 1);
}

Scheduling scheduling_of_bits(std::uint32_t bits) {
  const auto field = [&](unsigned first, unsigned count) {
    return static_cast<std::uint8_t>(bits >> (first - first_bit) & ((1u << count) - 1));
  };
  Scheduling fields;
  fields.stall_cycles = field(105, 4);
  fields.yields = field(109, 1) == 0;
  fields.write_scoreboard = field(110, 3);
  fields.read_scoreboard = field(113, 3);
  fields.wait_mask = field(116, 6);
  fields.reuse_mask = field(122, 4);
  return fields;
}

Scheduling scheduling(const InstructionWord& word) {
  return scheduling_of_bits(scheduling_bits(word));
}

}  // namespace tilescope::sass
