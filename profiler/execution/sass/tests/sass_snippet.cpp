#include "profiler/execution/sass/tests/sass_snippet.hpp"

#include <algorithm>
#include <cstring>

#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
SassSnippet::SassSnippet(std::span<const Opcode> opcodes, int architecture) : opcodes_(opcodes), state_(64) {
  state_.architecture = architecture;
  launch.block = {32, 1, 1};
  registers_.resize(state_.registers.slots() * simt::slot_bytes);
}

void SassSnippet::run(const std::string& text, std::uint32_t immediate, simt::LaneMask exec) {
  run(text, InstructionWord{std::uint64_t{immediate} << 32, 0}, exec);
}

void SassSnippet::run(const std::string& text, const InstructionWord& word, simt::LaneMask exec) {
  const Instruction line = parse_instruction(text);
  Decoder decoder(line, word, state_);
  const auto opcode = std::ranges::find(opcodes_, decoder.opcode(), &Opcode::name);
  if (opcode == opcodes_.end()) decoder.unsupported("the instruction is not known");
  instruction_ = {};
  opcode->decode(decoder, instruction_);
  decoder.check_all_taken();

  simt::Program program;
  program.operands = state_.operands;
  program.constant_banks = constant_banks_;
  std::vector<std::byte> constants = state_.constants.pool();
  fill_launch_constants(constants);
  simt::GlobalMemory memory;
  simt::Block block;
  block.program = &program;
  block.launch = &launch;
  block.global = &memory;
  block.index = block_index;
  block.constant_bank = constant_banks_[0];
  block.clock = clock;
  simt::Warp warp(block, warp_index, simt::all_lanes, registers_.data(), constants.data() + constants.size());
  warp.exec = exec;
  if (!line.predicate.empty()) {
    const bool is_negated = line.predicate[1] == '!';
    const int index = line.predicate.back() == 'T' ? true_predicate : line.predicate.back() - '0';
    const simt::LaneMask guard = index == true_predicate ? simt::all_lanes : get_predicate(index);
    warp.exec &= is_negated ? ~guard : guard;
  }
  if (warp.exec == 0) return;
  if (instruction_.flow == simt::Flow::uniform) warp.exec = simt::all_lanes;
  instruction_.execute(warp, instruction_);
}

// As BlockRunner does.
void SassSnippet::fill_launch_constants(std::vector<std::byte>& constants) {
  for (const simt::LaunchConstant& constant : state_.constants.of_launch()) {
    if (constant.bank >= constant_banks_.size()) continue;
    const std::vector<std::byte>& bank = constant_banks_[constant.bank];
    std::uint32_t word = 0;
    if (constant.offset + sizeof word <= bank.size())
      std::memcpy(&word, bank.data() + constant.offset, sizeof word);
    std::byte* at =
        constants.data() + constants.size() - static_cast<std::size_t>(-constant.slot) * simt::slot_bytes;
    std::fill_n(reinterpret_cast<std::uint32_t*>(at), simt::lane_count, word);
  }
}

void SassSnippet::set_constants(std::size_t bank, const std::vector<std::byte>& bytes) {
  if (bank >= constant_banks_.size()) constant_banks_.resize(bank + 1);
  constant_banks_[bank] = bytes;
}

void SassSnippet::set_barrier_result(std::uint32_t count, simt::LaneMask predicate) {
  std::fill_n(lanes(state_.registers.barrier_count()), simt::lane_count, count);
  lanes(state_.registers.barrier_predicate())[0] = predicate;
}

void SassSnippet::set_uniform(int uniform, std::uint32_t value) {
  std::fill_n(lanes(state_.registers.uniform(uniform)), simt::lane_count, value);
}

void SassSnippet::set_predicate(int predicate, simt::LaneMask value) {
  lanes(state_.registers.predicate(predicate))[0] = value;
}

}  // namespace tilescope::sass
