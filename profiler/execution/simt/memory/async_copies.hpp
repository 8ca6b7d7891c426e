#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope::simt {

/// The cp.async copies of a warp that no thread has waited for yet. A copy reads its source when it is issued and
/// writes when the issuing thread waits for it. That is the latest moment that the ISA allows, so that a read before
/// the wait sees the old bytes. Each thread has its own groups; copies that are never waited for are dropped with the
/// warp.
class AsyncCopies {
 public:
  /// One cp.async of a warp. A lane with fewer source bytes is filled up with zeros.
  struct Copy {
    const Instruction* instruction = nullptr;
    /// Lanes whose data has not been written yet.
    LaneMask lanes = 0;
    /// [B] a lane: 4, 8 or 16
    std::uint32_t bytes = 0;
    /// [B] in the block's shared memory
    std::array<std::uint32_t, lane_count> destination{};
    /// The lane's group, counted from 0.
    std::array<std::uint32_t, lane_count> group{};
    /// 16 B a lane
    alignas(64) std::array<std::byte, lane_count * 16> data{};

    /// Compares the bytes that the lanes will write; the rest is left from an earlier copy.
    bool operator==(const Copy& other) const;
  };

  AsyncCopies() = default;
  AsyncCopies(const AsyncCopies& other);
  AsyncCopies& operator=(const AsyncCopies& other);
  bool operator==(const AsyncCopies& other) const;

  /// Adds a copy to the lanes' open groups, for the caller to fill.
  Copy& issue(Warp& warp, const Instruction& instruction, LaneMask lanes, std::uint32_t bytes);
  /// cp.async.commit_group: closes the open groups.
  void commit(LaneMask lanes);
  /// cp.async.wait_group: writes all closed groups except the newest `pending` ones.
  void wait(Warp& warp, LaneMask lanes, std::uint32_t pending);
  /// cp.async.wait_all: writes everything that was issued.
  void wait_all(Warp& warp, LaneMask lanes);

  /// Copies that are not written yet, oldest first.
  std::size_t pending_count() const { return pending_.size(); }
  const Copy& pending(std::size_t index) const { return *pending_[index]; }
  /// The group that a lane's next copy belongs to: as many are closed.
  std::uint32_t open_group(std::size_t lane) const { return open_group_[lane]; }

 private:
  using Groups = std::array<std::uint32_t, lane_count>;
  void complete(Warp& warp, LaneMask lanes, const Groups& first_pending);

  Groups open_group_{};                         // by lane: closed groups so far
  std::vector<std::unique_ptr<Copy>> pending_;  // oldest first
  std::vector<std::unique_ptr<Copy>> spare_;
};

}  // namespace tilescope::simt
