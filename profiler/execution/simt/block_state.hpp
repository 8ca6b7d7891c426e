#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/call_stack.hpp"
#include "profiler/execution/simt/memory/async_copies.hpp"

namespace tilescope::simt {

/// Counts of the blocks that one host thread ran: see RunResult.
struct BlockCounts {
  /// By Program::blocks.
  std::vector<std::uint64_t> executions, lanes;
  /// By Program::code: see RunResult.
  std::vector<std::uint64_t> guarded_lanes;
  std::uint64_t barriers = 0;

  bool operator==(const BlockCounts&) const = default;
};

/// The warp whose turn it is, where warps run side by side.
struct Turn {
  std::uint64_t round = 0;
  /// May be one past the last warp: the round is over.
  std::uint32_t next_warp = 0;
  bool any_issued = false;

  bool operator==(const Turn&) const = default;
};

/// A warp without its registers.
struct WarpState {
  LaneMask exec = 0, carry = 0, live = 0;
  std::vector<Fragment> fragments;
  std::optional<AsyncCopies> async_copies;
  std::optional<CallStack> call_stack;

  bool operator==(const WarpState&) const = default;
};

/// State of a block between two instructions, without global memory: a snapshot to come back to.
struct BlockState {
  /// Memory of all warps; with the room that aligns them.
  std::vector<std::byte> registers, shared, local;
  std::vector<WarpState> warps;
  std::array<BlockBarrier, 16> barriers;
  std::uint64_t clock = 0;
  BlockCounts counts;
  Turn turn;
  std::uint32_t patience = 0, others_turn = 0;
  bool barrier_may_be_complete = false;

  /// [B] that it takes.
  std::size_t bytes() const;
  bool operator==(const BlockState&) const = default;
};

}  // namespace tilescope::simt
