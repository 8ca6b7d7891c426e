#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope {

/// Looks at the lanes of the instructions across a warp: a shuffle that reads a lane which does not take part, whose
/// value is undefined, and a thread that is not in its own mask, or lanes of one mask with different ones. Lanes that
/// have exited may be in a mask (CUDA C++ Programming Guide, "Warp Shuffle Functions"), but not be read.
///
/// Machine code has no masks at shuffles, votes and matches, only at WARPSYNC before them.
class LaneChecker : public simt::Observer {
 public:
  explicit LaneChecker(const simt::Program& program) : program_(program) {}

  void shuffle(const simt::Warp& warp, const simt::Instruction& at,
               std::span<const std::int32_t, simt::lane_count> sources) override;
  void member_mask(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes) override;

  enum class Kind : std::uint8_t {
    absent_lane,
    inactive_lane,
    unnamed_lane,
    outside_own_mask,
    different_masks
  };
  struct Entry {
    Kind kind = Kind::absent_lane;
    /// Into Program::origins.
    std::uint32_t origin = simt::no_index;
    /// The first occurrence, in the lowest block.
    std::uint64_t block = 0;
    std::array<std::uint32_t, 3> block_index{};
    std::uint32_t thread = 0, block_threads = 0;
    int lane = 0, other = 0;
    simt::LaneMask mask = simt::all_lanes;
    bool has_mask = false;
    /// All lanes that were read so.
    simt::LaneMask sources = 0;
    std::uint64_t occurrences = 0;
  };
  using Key = std::pair<Kind, std::uint32_t>;
  const std::map<Key, Entry>& entries() const { return entries_; }

 private:
  void add(const simt::Warp& warp, Entry found);

  const simt::Program& program_;
  std::map<Key, Entry> entries_;
};

/// The findings of all host threads, one for each kind and line.
std::vector<Finding> fold_lane_findings(const simt::Program& program,
                                        std::span<const LaneChecker* const> checkers,
                                        std::string_view main_file);

}  // namespace tilescope
