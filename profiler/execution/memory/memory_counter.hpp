#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/access_pattern.hpp"
#include "profiler/execution/memory/bank_conflicts.hpp"
#include "profiler/execution/memory/block_weights.hpp"
#include "profiler/execution/memory/sectors.hpp"
#include "profiler/execution/memory/tile_map.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// Counts the cost of the memory instructions in the blocks of one host thread.
///
/// The shared side of a cp.async is counted when it is issued. An access to two tiles is counted for the tile of its
/// lowest active lane.
class MemoryCounter : public simt::Observer {
 public:
  MemoryCounter(const simt::Program& program, std::shared_ptr<const TileMap> tiles,
                std::shared_ptr<const BlockWeights> weights);

  void begin_block(const simt::Block& block) override;
  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override;
  void block_barrier(const simt::Block& block, int barrier, std::span<const simt::LaneMask> arrived,
                     std::span<const simt::LaneMask> released) override;
  void end_block(const simt::Block& block) override;

  /// The sums over the executions of one instruction on one tile.
  struct Tally {
    std::uint64_t executions = 0, lanes = 0;
    /// Sectors for global and local memory.
    std::uint64_t wavefronts = 0, minimum = 0;
    /// Executions by degree of an access to shared memory.
    std::array<std::uint64_t, simt::lane_count + 1> degrees{};
  };
  /// Accesses that a tally counts.
  struct Subject {
    /// Index into Program::code.
    std::uint32_t instruction = 0;
    simt::Space space = simt::Space::shared;
    simt::Access access = simt::Access::load;
    /// [B]
    std::uint8_t lane_bytes = 0;
    /// For TileMap::name.
    std::uint32_t tile = 0;
    auto operator<=>(const Subject&) const = default;
  };
  /// The sums over the blocks of one weight.
  struct Class {
    /// By subjects().
    std::vector<Tally> tallies;
    std::uint64_t warp_instructions = 0, barriers = 0;
  };

  const std::vector<Subject>& subjects() const { return subjects_; }
  /// By BlockWeights.
  const std::vector<Class>& classes() const { return classes_; }

 private:
  // The cost of a copy past L1 depends on two addresses per lane. The cache of patterns has both in one number: the
  // address in shared memory in this many low bits, the global one above. Either may move by whole lines.
  static constexpr int shared_bits = 20;
  static constexpr std::uint64_t past_l1_phase = std::uint64_t{128} << shared_bits;

  // An instruction with one of its sides: a cp.async has two, and a generic load may access several state spaces.
  struct Site {
    simt::Space space;
    simt::Access access;
    std::uint32_t next;  // of the same instruction, into sites_
    std::uint32_t tally = simt::no_index;
    TileMap::Range tile;
    PatternCache<SharedCost, 4> shared;
    PatternCache<SharedCost, past_l1_phase> past_l1;
    PatternCache<SectorCost, sector_bytes> global;
    // A word is the unit by which all lanes of local memory can move together.
    PatternCache<SectorCost, 4> local;
  };
  Site& site_of(const simt::MemoryAccess& access);
  static const SharedCost& shared_cost_at(Site& site, const simt::MemoryAccess& access);
  void choose_tally(Site& site, const simt::MemoryAccess& access, std::uint64_t address);

  const simt::Program& program_;
  std::shared_ptr<const TileMap> tiles_;
  std::shared_ptr<const BlockWeights> weights_;
  std::vector<std::uint32_t> first_site_;  // by instruction
  std::deque<Site> sites_;
  std::vector<Subject> subjects_;
  std::vector<Class> classes_;
  Class* current_ = nullptr;
};

/// The counts of all host threads, scaled to the grid, with one site for each line, operation, width and tile. Does not
/// depend on the number of host threads.
MemoryCounts fold_counts(const simt::Program& program, const simt::Launch& launch, const simt::RunResult& run,
                         std::span<const MemoryCounter* const> counters, const TileMap& tiles,
                         const BlockWeights& weights, std::string_view main_file);

}  // namespace tilescope
