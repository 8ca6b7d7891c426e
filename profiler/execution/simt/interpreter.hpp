#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::simt {

/// How the warps of a block take turns.
enum class WarpOrder : std::uint8_t {
  /// Each warp runs until it must wait.
  in_turn,
  /// Each warp that is not waiting executes one instruction, then the next warp does: as the schedulers of an SM share
  /// its issue slots.
  side_by_side,
};

struct RunOptions {
  /// The blocks to run, by linear index x + grid.x * (y + grid.y * z); none for the whole grid.
  std::optional<std::vector<std::uint64_t>> blocks;
  /// 0: one per core.
  int host_threads = 0;
  /// An endless loop ends after this many warp instructions of a block, with the line where it spins.
  std::uint64_t instructions_per_block = 2'000'000'000;
  /// Makes the observer of each host thread; empty for none. Called from the thread that calls run.
  std::function<std::unique_ptr<Observer>()> make_observer;
  /// Runs the warps in a seeded random order with random preemption, so that a race shows; 0 for the plain order, where
  /// each warp runs to its next barrier.
  std::uint64_t schedule_seed = 0;
  /// Without a schedule seed.
  WarpOrder warp_order = WarpOrder::in_turn;
  std::function<bool()> cancelled;
};

/// Executions of a run. Independent of the number of host threads.
struct RunResult {
  std::uint64_t blocks_run = 0;
  /// Executed by warps, with any lane.
  std::uint64_t warp_instructions = 0;
  /// Instructions counted by the lanes that were active in their basic block.
  std::uint64_t lane_instructions = 0;
  /// By Program::blocks: how often warps entered it.
  std::vector<std::uint64_t> block_executions;
  /// The active lanes of those, summed.
  std::vector<std::uint64_t> block_lanes;
  /// By Program::code: the lanes whose guard was true, summed, for instructions that have a guard. All lanes of the basic
  /// block execute the others.
  std::vector<std::uint64_t> guarded_lanes;
  /// Block barriers that warps waited at.
  std::uint64_t barriers = 0;
  /// Fault of the lowest block that had one.
  std::optional<Fault> fault;
  bool cancelled = false;
  /// [s] of wall time
  double seconds = 0;
  /// One a host thread.
  std::vector<std::unique_ptr<Observer>> observers;
};

/// Runs a grid, or some blocks of it, and leaves global memory as the kernel does. Blocks run in parallel on the
/// machine's cores, except for a kernel with atomics on global memory, whose blocks run one after the other, so that
/// results are reproducible. Throws std::invalid_argument for a launch that no GPU accepts (parameters of another size,
/// no threads, more than 1024) and std::bad_alloc.
RunResult run(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options);

/// Steps of run() before the first block: checks the launch, as run() says, and places the program's
/// variables.
void prepare_launch(const Program& program, const Launch& launch, GlobalMemory& memory);

/// Warp instructions by the pipe that executes them.
std::vector<std::uint64_t> instructions_by_pipe(const Program& program, const RunResult& result);

}  // namespace tilescope::simt
