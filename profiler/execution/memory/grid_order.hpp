#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "profiler/execution/memory/global_sites.hpp"
#include "profiler/execution/memory/happens_before.hpp"

namespace tilescope {

/// Tracks what threads learn of each other without a barrier: one fences its accesses and writes a strong word (an
/// atomic, a volatile flag), another one reads that word. What the first did before its fence then happens before what
/// the second does next, and passes on from there. A fence counts for the accesses that its thread knows of, also for
/// accesses of others before a barrier, and for all threads of its warp; the reader needs none.
///
/// Blocks must run one after the other in this order, and each word must be read after it was written.
class GridOrder {
 public:
  explicit GridOrder(const HappensBefore& order) : order_(order) {}

  void begin_block(std::uint32_t block, std::size_t warps);
  void fence(std::size_t warp, simt::LaneMask lanes, simt::FenceScope scope);
  void block_barrier(std::span<const simt::LaneMask> arrived, std::span<const simt::LaneMask> released);

  struct Thread {
    std::size_t warp = 0;
    int lane = 0;
  };
  /// A strong read of a word by a lane. Words of shared memory have numbers of their own.
  void acquire(std::size_t warp, std::uint64_t word);
  /// A strong write, after acquire() where it reads as well. `releases`: without a fence.
  void release(Thread thread, std::uint64_t word, bool releases);

  /// Whether the access of a thread at a moment, in this block or one before, happens before what the warp does now.
  bool is_before(std::size_t warp, std::uint32_t block, std::uint32_t thread, Moment moment) const;

 private:
  using Known = std::shared_ptr<const std::vector<Moment>>;  // by thread; null: nothing
  // Up to which of its releases the log of a word is known.
  using Reach = std::map<std::uint64_t, std::uint32_t>;
  struct Release {
    Known in_grid, in_block;
  };
  struct Log {
    std::vector<Release> releases;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_block;
    Reach reach;  // of the releasing threads
  };
  struct Warp {
    Known in_grid, in_block;  // up to its fences
    Reach reach;
  };
  static void join(Known& into, const Known& other);
  static void join(Reach& into, const Reach& other);
  Known known_now(std::size_t warp, simt::LaneMask lanes) const;

  const HappensBefore& order_;
  std::uint32_t block_ = 0;
  std::vector<Warp> warps_;
  std::unordered_map<std::uint64_t, Log> logs_;
  bool has_any_ = false;  // in this block
};

/// The number of a word of a block's shared memory for GridOrder.
constexpr std::uint64_t shared_word(std::uint64_t offset) {
  return offset | std::uint64_t{1} << 63;
}

}  // namespace tilescope
