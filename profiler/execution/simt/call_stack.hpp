#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope::simt {

/// The return addresses and frames of a warp's lanes. Each lane has its own frames: lanes that call from different
/// places run the function in turns or together, and each returns to its own call.
class CallStack {
 public:
  /// Calls nested deeper than this end the block, since an endless recursion would fill the host's memory.
  static constexpr std::size_t most_calls = 1024;

  /// Passes the arguments of a call and opens a frame for each lane. Throws BlockFault when a lane's stack is full.
  void enter(Warp& warp, const Instruction& call, LaneMask lanes);
  /// The `lanes` that return to the same place as the first of them.
  LaneMask returning_together(LaneMask lanes) const;
  /// Closes the frames of lanes that return together and passes their results. Returns the index in Program::code at
  /// which they continue.
  std::uint32_t leave(Warp& warp, LaneMask lanes);

  bool operator==(const CallStack& other) const { return lanes_ == other.lanes_; }

 private:
  struct Frame {
    std::uint32_t call = 0;         // into Program::calls
    std::uint32_t caller_base = 0;  // [B] in local memory
    bool operator==(const Frame&) const = default;
  };
  struct Lane {
    std::vector<Frame> frames;
    std::uint32_t base = 0;        // [B] of its newest frame in local memory
    std::vector<std::byte> saved;  // registers of callers that are called again
    bool operator==(const Lane&) const = default;
  };

  [[noreturn]] static void fail_full(const Warp& warp, const Instruction& call, unsigned lane,
                                     std::size_t depth);

  std::array<Lane, lane_count> lanes_;
  std::vector<std::byte> values_;  // of one call's copies, kept for its memory
};

}  // namespace tilescope::simt
