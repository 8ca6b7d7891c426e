#include "profiler/execution/ptx/register_file.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tilescope::ptx {

Decoder::Registers::Registers(const Module& module, const CallGraph& graph)
    : layout(lay_out_variables(module, graph)),
      frame_addresses(graph.functions.size()),
      module_(module),
      graph_(graph) {
  for (const std::uint32_t function : graph.functions) {
    of_declared_.emplace_back(module.functions[function].registers.size(), no_slot);
  }
}

const Function& Decoder::Registers::function_at(std::uint32_t position) const {
  return module_.functions[graph_.functions[position]];
}

Slot Decoder::Registers::of(std::uint32_t position, std::uint32_t declared) {
  Slot& slot = of_declared_[position][declared];
  if (slot == no_slot) {
    slot = fresh(size_of(function_at(position).registers[declared].type));
    owner.back() = position;
  }
  return slot;
}

Slot Decoder::Registers::frame_address(std::uint64_t offset, int bytes) {
  std::vector<FrameAddress>& known = frame_addresses[current_];
  const auto found = std::ranges::find_if(known, [&](const FrameAddress& address) {
    return address.offset == offset && address.place.bytes == bytes;
  });
  if (found != known.end()) return found->place.slot;
  known.push_back({{fresh(bytes), static_cast<std::uint8_t>(bytes)}, offset});
  return known.back().place.slot;
}

Slot Decoder::Registers::fresh(int bytes) {
  lane_bytes.push_back(static_cast<std::uint8_t>(lane_bytes_of(bytes)));
  owner.push_back(current_);
  return static_cast<Slot>(lane_bytes.size() - 1);
}

int Decoder::Registers::bytes_of(std::uint32_t declared) const {
  return size_of(function_at(current_).registers[declared].type);
}

Slot Decoder::Registers::constant(std::uint64_t bits, int bytes) {
  if (bytes < 8) bits &= (std::uint64_t{1} << bytes * 8) - 1;
  const auto [entry, is_new] = constants_.try_emplace({bits, bytes}, no_slot);
  if (is_new) {
    next_constant_ -= slots_for(bytes);
    entry->second = next_constant_;
  }
  return entry->second;
}

Slot Decoder::Registers::preset(Special special) {
  const auto found = std::ranges::find(presets, special, &Preset::special);
  if (found != presets.end()) return found->slot;
  presets.push_back({special, fresh(special == Special::gridid ? 8 : 4)});
  owner.back() = no_index;
  return presets.back().slot;
}

void Decoder::Registers::read(Slot slot) {
  if (slot >= 0) use_.reads.push_back(static_cast<std::uint32_t>(slot));
}
void Decoder::Registers::written(Slot slot) {
  if (slot >= 0) use_.writes.push_back(static_cast<std::uint32_t>(slot));
}

RegisterUse Decoder::Registers::take_use() {
  return std::exchange(use_, {});
}

void Decoder::Registers::check_layout(const Instruction& instruction) const {
  const auto is_used = [&](Slot slot) {
    const auto number = static_cast<std::uint32_t>(slot);
    return std::ranges::find(use_.reads, number) != use_.reads.end() ||
           std::ranges::find(use_.writes, number) != use_.writes.end();
  };
  const auto check = [&](Slot slot) {
    if (slot == no_slot || (slot < 0 ? slot >= next_constant_ : is_used(slot))) return;
    throw std::logic_error("a handler is given a register that its decoder neither reads nor writes");
  };
  for (const Slot slot : {instruction.d, instruction.a, instruction.b, instruction.c}) check(slot);
  for (std::size_t i = 0; i < instruction.operand_count; ++i) check(operands.at(instruction.operands + i));
}

void Decoder::Registers::add_operands(Instruction& instruction, std::span<const Slot> slots) {
  if (instruction.operand_count == 0) instruction.operands = static_cast<std::uint32_t>(operands.size());
  instruction.operand_count = static_cast<std::uint16_t>(instruction.operand_count + slots.size());
  operands.insert(operands.end(), slots.begin(), slots.end());
}

std::vector<std::byte> Decoder::Registers::constant_pool() const {
  std::vector<std::byte> pool(static_cast<std::size_t>(-next_constant_) * slot_bytes);
  for (const auto& [value, slot] : constants_) {
    const auto& [bits, bytes] = value;
    std::byte* lane = pool.data() + pool.size() - static_cast<std::size_t>(-slot) * slot_bytes;
    for (int i = 0; i < lane_count; ++i, lane += bytes) {
      std::memcpy(lane, &bits, static_cast<std::size_t>(bytes));
    }
  }
  return pool;
}

}  // namespace tilescope::ptx
