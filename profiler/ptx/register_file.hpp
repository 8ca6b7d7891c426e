#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profiler/ptx/decoder.hpp"
#include "profiler/ptx/register_allocation.hpp"

namespace tilescope::ptx {

/// The registers of a kernel while it is decoded: numbered, not yet placed. A Slot is the number of a virtual register,
/// or, when negative, already the final place of a constant.
class Decoder::Registers {
 public:
  explicit Registers(const Function& function);

  Slot of(std::uint32_t declared);  ///< A register of the function. Recorded by read and written.
  Slot fresh(int bytes);            ///< Of a lane; 0 for a predicate.
  Slot constant(std::uint64_t bits, int bytes);
  Slot preset(Special special);
  int bytes_of(std::uint32_t declared) const;

  void read(Slot slot);
  void written(Slot slot);

  /// What the instruction that was just decoded uses; empties the record.
  RegisterUse take_use();
  /// Every slot of an instruction must have come from a call that recorded it, by which the type of the operand is known
  /// to fit its register: a handler that is given another one could write outside of the register file. Throws
  /// std::logic_error. Before take_use.
  void check_layout(const Instruction& instruction) const;
  void add_operands(Instruction& instruction, std::span<const Slot> slots);

  std::vector<std::uint8_t> lane_bytes;  ///< Of each register, as allocate_registers takes them.
  std::vector<Preset> presets;           ///< Slots are virtual registers.
  std::vector<Slot> operands;
  std::vector<std::vector<std::uint32_t>> branch_tables;  ///< Of the function, body indices.
  std::vector<std::byte> constant_pool() const;
  std::uint32_t shared_grain = 4;
  bool has_global_atomics = false;
  Pipe pipe = Pipe::alu;  ///< Of the instruction being decoded.

  /// Where each variable lies, by its index: see variable_layout.hpp.
  std::vector<std::uint64_t> module_addresses;
  std::vector<std::uint64_t> function_addresses;

 private:
  const Function& function_;
  std::vector<Slot> of_declared_;
  std::map<std::pair<std::uint64_t, int>, Slot> constants_;
  Slot next_constant_ = 0;
  RegisterUse use_;
};

}  // namespace tilescope::ptx
