#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profiler/execution/ptx/call_graph.hpp"
#include "profiler/execution/ptx/decoder.hpp"
#include "profiler/execution/ptx/register_allocation.hpp"
#include "profiler/execution/ptx/variable_layout.hpp"

namespace tilescope::ptx {

/// The registers of a kernel and of the functions that it calls during decoding: numbered, not yet placed. A Slot is
/// the number of a virtual register or, when negative, the final place of a constant.
class Decoder::Registers {
 public:
  Registers(const Module& module, const CallGraph& graph);

  /// Sets the function that is decoded next, by its position in the graph; initially the kernel.
  void enter_function(std::uint32_t position) { current_ = position; }

  /// Recorded by read and written.
  Slot of(std::uint32_t declared) { return of(current_, declared); }
  Slot of(std::uint32_t position, std::uint32_t declared);
  /// A register that holds the address of `offset` in the current function's frame. See CalledFunction::addresses.
  Slot frame_address(std::uint64_t offset, int bytes);
  /// `bytes` of a lane; 0 for a predicate.
  Slot fresh(int bytes);
  Slot constant(std::uint64_t bits, int bytes);
  Slot preset(Special special);
  int bytes_of(std::uint32_t declared) const;

  void read(Slot slot);
  void written(Slot slot);

  /// Returns the registers that the instruction just decoded uses, and clears the record.
  RegisterUse take_use();
  /// Checks that every slot of an instruction came from a call that recorded it, which ensures that the operand's type
  /// fits its register: with any other slot a handler could write outside the register file. Throws std::logic_error.
  /// Call it before take_use.
  void check_layout(const Instruction& instruction) const;
  void add_operands(Instruction& instruction, std::span<const Slot> slots);

  /// Size of each register, as allocate_registers takes it.
  std::vector<std::uint8_t> lane_bytes;
  /// Slots are virtual registers.
  std::vector<Preset> presets;
  std::vector<Slot> operands;
  std::vector<std::byte> constant_pool() const;
  std::uint32_t shared_grain = 4;
  bool has_global_atomics = false;
  bool prints = false;
  /// Pipe and use of data of the instruction being decoded.
  Pipe pipe = Pipe::alu;
  simt::DataFacts data;

  VariableLayout layout;
  const FunctionLayout& function_layout() const { return layout.functions[current_]; }
  const CallGraph& graph() const { return graph_; }
  std::uint32_t current() const { return current_; }

  std::vector<CallSite> calls;
  /// With virtual registers.
  std::vector<Probe> probes;
  /// The virtual register of a declared one; no_slot for one that nothing uses.
  Slot known(std::uint32_t position, std::uint32_t declared) const {
    return of_declared_[position][declared];
  }
  /// Addresses in the frame of each function, with virtual registers.
  std::vector<std::vector<FrameAddress>> frame_addresses;
  /// The function of each virtual register; no_index for a preset.
  std::vector<std::uint32_t> owner;

 private:
  const Function& function_at(std::uint32_t position) const;

  const Module& module_;
  const CallGraph& graph_;
  std::uint32_t current_ = 0;
  std::vector<std::vector<Slot>> of_declared_;
  std::map<std::pair<std::uint64_t, int>, Slot> constants_;
  Slot next_constant_ = 0;
  RegisterUse use_;
};

}  // namespace tilescope::ptx
