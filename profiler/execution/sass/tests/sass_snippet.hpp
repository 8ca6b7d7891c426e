#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/execution/sass/decoder.hpp"
#include "profiler/execution/simt/block.hpp"

namespace tilescope::sass {

/// One instruction of machine code, executed by one warp on registers that the test sets.
///
///   SassSnippet snippet(integer_opcodes());
///   snippet.set(3, [](unsigned lane) { return lane; });
///   snippet.run("IADD3 R2, R3, 0x10, RZ");
///   EXPECT_EQ(snippet.get(2, 5), 21u);
///
/// R0 to R63, UR0 to UR62 and the predicates keep their values from one run to the next.
class SassSnippet {
 public:
  explicit SassSnippet(std::span<const Opcode> opcodes, int architecture = 89);

  /// Decodes "@P0 IADD3 R2, R3, 0x10, RZ" and executes it for the lanes of `exec` whose guard is true. `immediate` are
  /// bits 32 to 63 of its word, for real immediates. Throws Unsupported.
  void run(const std::string& text, std::uint32_t immediate = 0, simt::LaneMask exec = simt::all_lanes);
  void run(const std::string& text, const InstructionWord& word, simt::LaneMask exec = simt::all_lanes);
  /// The instruction as it was decoded by the last run().
  const simt::Instruction& decoded() const { return instruction_; }

  template <class ValueOfLane>
  void set(int reg, ValueOfLane value) {
    for (unsigned lane = 0; lane < 32; ++lane) lanes(state_.registers.reg(reg))[lane] = value(lane);
  }
  /// Sets the bytes of a constant bank.
  void set_constants(std::size_t bank, const std::vector<std::byte>& bytes);
  /// Value of the block's clock.
  static constexpr std::uint64_t clock = 0x5'0000'0123;
  /// The launch and the block's place in it; the warp is the block's `warp_index`th.
  simt::Launch launch;
  simt::Dimensions block_index;
  int warp_index = 0;
  void set_uniform(int uniform, std::uint32_t value);
  void set_predicate(int predicate, simt::LaneMask value);
  std::uint32_t get(int reg, unsigned lane) { return lanes(state_.registers.reg(reg))[lane]; }
  float get_float(int reg, unsigned lane) { return std::bit_cast<float>(get(reg, lane)); }
  /// R`reg` and the register behind it.
  std::uint64_t get64(int reg, unsigned lane) {
    return get(reg, lane) | std::uint64_t{get(reg + 1, lane)} << 32;
  }
  std::uint32_t get_uniform(int uniform) { return lanes(state_.registers.uniform(uniform))[0]; }
  simt::LaneMask get_predicate(int predicate) { return lanes(state_.registers.predicate(predicate))[0]; }
  /// The mask of a convergence barrier, as R`reg` in the lanes that have it.
  std::uint32_t get_barrier(int barrier, unsigned lane) {
    return lanes(state_.registers.barrier(barrier))[lane];
  }
  /// Sets the result of the last BAR.RED.
  void set_barrier_result(std::uint32_t count, simt::LaneMask predicate);
  simt::LaneMask get_uniform_predicate(int predicate) {
    return lanes(state_.registers.uniform_predicate(predicate))[0];
  }

 private:
  void fill_launch_constants(std::vector<std::byte>& constants);
  std::uint32_t* lanes(simt::Slot slot) {
    return reinterpret_cast<std::uint32_t*>(registers_.data() +
                                            static_cast<std::size_t>(slot) * simt::slot_bytes);
  }

  std::span<const Opcode> opcodes_;
  DecodeState state_;
  std::vector<std::byte> registers_;
  std::vector<std::vector<std::byte>> constant_banks_ = {{}};
  simt::Instruction instruction_;
};

}  // namespace tilescope::sass
