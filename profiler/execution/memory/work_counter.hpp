#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/block_watch.hpp"
#include "profiler/execution/memory/block_weights.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "sessions/executed_work.hpp"

namespace tilescope {

/// Counts how the instructions in the blocks of one host thread are spread over lanes and warps.
class WorkCounter : public simt::Observer {
 public:
  /// `watched` is the linear index of the block that is looked at more closely.
  WorkCounter(const simt::Program& program, std::shared_ptr<const BlockWeights> weights,
              std::uint64_t watched);

  bool wants_basic_blocks() const override { return true; }
  void begin_block(const simt::Block& block) override;
  void basic_block(const simt::Warp& warp, std::uint32_t number) override;
  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override;
  void block_barrier(const simt::Block& block, int barrier, std::span<const simt::LaneMask> arrived,
                     std::span<const simt::LaneMask> released) override;
  void warp_barrier(const simt::Warp& warp, simt::LaneMask lanes) override;
  void end_block(const simt::Block& block) override;

  /// The sums over the blocks of one weight.
  struct Class {
    std::uint64_t serialised = 0, paced = 0;
  };
  /// By BlockWeights.
  const std::vector<Class>& classes() const { return classes_; }
  /// nullptr where this host thread did not run the watched block.
  const BlockWatch* watch() const { return watch_ && watch_->is_complete() ? watch_.get() : nullptr; }

 private:
  struct WarpCounts {
    std::uint64_t issued = 0;
    /// `issued` at the last barrier of the whole block.
    std::uint64_t at_barrier = 0;
    /// Since all live lanes were together: the instructions, and by lane those in which it took part.
    std::uint64_t apart = 0;
    std::array<std::uint64_t, simt::lane_count> apart_by_lane{};
  };
  /// The lanes of a warp are together again. While they were apart, the lane that took part in the most would have come as
  /// far alone: a branch that some lanes skip costs the others nothing, however often it is others that skip it.
  void join_lanes(WarpCounts& counts);
  /// Ends an interval between barriers; returns what its other warps could have executed beside the busiest one.
  std::uint64_t end_interval();

  const simt::Program& program_;
  std::shared_ptr<const BlockWeights> weights_;
  const std::uint64_t watched_;
  std::unique_ptr<BlockWatch> watch_;
  bool watches_ = false;
  std::vector<WarpCounts> warps_;
  std::vector<Class> classes_;
  Class* current_ = nullptr;
};

/// The work of all host threads, scaled to the grid. `instruction_growth` scales sums over all blocks that ran.
ExecutedWork fold_work(const simt::Program& program, const simt::RunResult& run,
                       std::span<const WorkCounter* const> counters, const BlockWeights& weights,
                       double instruction_growth, std::string_view main_file);

}  // namespace tilescope
