#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/block_state.hpp"
#include "profiler/execution/simt/code_reach.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "profiler/execution/simt/livelock.hpp"
#include "profiler/execution/simt/value_follower.hpp"

namespace tilescope::simt {

/// Generic addresses of __constant__ variables of machine code: constant bank 3.
inline constexpr std::uint64_t constant_memory_base = 0x7100'0000'0000;

/// One instruction that a warp executed.
struct Issue {
  std::uint32_t warp = 0;
  /// Into Program::code.
  std::uint32_t at = 0;
  /// From 0: in a round each warp that does not wait issues one instruction.
  std::uint64_t round = 0;
};

/// Runs thread blocks, one after the other, on one host thread. Within a warp the lanes at the lowest rank run first
/// (Program::rank).
class BlockRunner {
 public:
  BlockRunner(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options,
              Observer* observer);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Runs a block to its end. Returns the fault that ended it, if any.
  std::optional<Fault> run(std::uint64_t linear_index);
  const BlockCounts& counts() const { return counts_; }
  /// Text that its blocks have printed.
  const PrintLog& printed() const { return printed_; }

  /// Begins a block that step() runs, side by side whatever the options say.
  void begin(std::uint64_t linear_index);
  /// Executes one instruction of the warp whose turn it is; none once the block has ended. Throws BlockFault. Only for
  /// PTX.
  std::optional<Issue> step();
  /// The block between two steps, and back to it: without global memory.
  BlockState state() const;
  void set_state(const BlockState& state);
  const Block& block() const { return block_; }

 private:
  enum class Mode : std::uint8_t { free, checked, fuzzing, single };

  void start(std::uint64_t linear_index);
  bool issue_one(Warp& warp);
  void fill_presets(Warp& warp);
  void run_warps();
  bool run_warp(Warp& warp);
  std::size_t next_to_run(Warp& warp) const;
  bool release_warp_wide(Warp& warp) const;
  bool release_warp_barrier(Warp& warp);
  bool release_convergence(Warp& warp, Fragment::State state, bool by_register);
  bool release_waiting(Warp& warp);
  bool release_unreachable_convergence();
  bool convergence_waits(Warp& warp, std::size_t index, LaneMask& exec, const Instruction& at);
  LaneMask part_exclusively(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at);
  bool branches_if_diverged(const Warp& warp, LaneMask lanes, LaneMask exec, const Instruction& at) const;
  void jump(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at);
  std::uint32_t jump_target(const Warp& warp, const Instruction& at, int lane) const;
  LaneMask call_driver(Warp& warp, LaneMask lanes, const Instruction& at);
  bool yields_explicitly(Warp& warp, std::size_t index);
  void fill_constants();
  template <Mode mode>
  void run_fragment(Warp& warp, std::size_t index);
  template <Mode mode>
  void execute(Warp& warp, const Instruction& at);
  template <Mode mode>
  bool follows_values() const {
    return mode != Mode::free && is_following_ != nullptr && *is_following_;
  }
  bool enter_block(Warp& warp, std::size_t index, const Instruction& enter);
  void branch(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at);
  const Instruction* call_or_return(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at);
  void return_from_call(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at);
  void branch_by_table(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at);
  Fragment& stop_at(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) const;
  bool warp_wide_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at);
  bool warp_barrier_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at);
  bool block_barrier_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at);
  LaneMask leaving_lanes(const Warp& warp, const Instruction& barrier);
  void arrive(Warp& warp, LaneMask lanes, const Instruction& at, std::uint32_t number);
  void complete_barriers();
  void release(std::uint32_t number);
  void end_lanes(Warp& warp, LaneMask lanes);
  std::uint32_t address_of(const Instruction& instruction) const;
  void give_turn();
  bool ends_turn(const Warp& warp, const Instruction& at);
  void run_round(const std::vector<std::size_t>& order, bool& any_ran, bool& any_live);
  [[noreturn]] void deadlock();
  [[noreturn]] void livelock(const std::vector<std::size_t>& order);
  [[noreturn]] void spins(const Warp& warp, const Instruction& at);
  void check_cancelled();

  const Program& program_;
  const Launch& launch_;
  const RunOptions& options_;
  const std::byte* constants_end_;
  std::vector<std::byte> registers_, shared_, local_, constants_, constant_bank_;
  Block block_;
  BlockCounts counts_;
  PrintLog printed_;
  CodeReach reach_;
  std::mt19937_64 random_;
  std::uint32_t until_preempted_ = 0;
  LivelockWatch livelock_;
  // By Block::clock: the end of a warp's turn, or the instructions that a block may execute.
  std::uint64_t next_stop_ = 0;
  bool turn_is_over_ = false;
  Turn turn_;
  // In Mode::single: into Program::code, the instruction that was executed; no_index before it is.
  std::uint32_t issued_ = no_index;
  // Basic blocks that a diverged warp's lowest lanes may still run before the others' turn, and the length of that
  // turn.
  std::uint32_t patience_ = 0;
  std::uint32_t others_turn_ = 0;
  bool barrier_may_be_complete_ = false;
  const bool reports_basic_blocks_;
  const bool reports_instructions_;
  // An observer that follows values, or nullptr; and whether it does at present.
  ValueFollower* const follower_;
  const bool* const is_following_;
};

/// Thrown out of a block when the run is cancelled.
struct RunCancelled {};

}  // namespace tilescope::simt
