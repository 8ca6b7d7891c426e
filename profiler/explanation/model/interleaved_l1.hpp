#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/execution/memory/paged_table.hpp"
#include "profiler/explanation/model/access_lines.hpp"
#include "profiler/explanation/model/block_l1.hpp"
#include "profiler/explanation/model/touched_memory.hpp"

namespace tilescope::model {

/// A block's L1 while its warps run side by side, as on a GPU: the accesses of all warps are kept, and then taken in the
/// order of the instructions that their warps had executed before.
class InterleavedL1 {
 public:
  /// Sums for one instruction, with a part of L1 for the block alone.
  struct Misses {
    double sectors = 0, lines = 0;
    /// Executions that waited for a sector that L1 lacked or that was on its way to it; and the part of them that waited
    /// for a sector that no access of the launch touched before.
    double waiting = 0, waiting_for_dram = 0;
    /// Sectors that no access of the launch touched before.
    double first_sectors = 0;

    void add(const Misses& other);
  };
  /// With the block's share of L1, which others fill with their own data, and with all of it, which holds what the blocks
  /// of an SM have in common.
  struct Accesses {
    Misses in_share, in_whole;
    /// Sectors that a load moves from L2 though they passed between L1 and L2 before, and the bytes that the block moved
    /// meanwhile, summed over them.
    double repeated_sectors = 0, bytes_between = 0;

    void add(const Accesses& other);
  };
  enum class Kind : std::uint8_t {
    load,
    local_store,
    /// Data in global memory: L1 keeps none of them, and a later load finds them behind L1.
    global_store
  };

  /// [B] of L1 for the block, and for all blocks of the SM. `touched`: nullptr where it is not known what a launch
  /// touches.
  InterleavedL1(double share_bytes, double whole_bytes, std::size_t warps, std::uint64_t block,
                TouchedMemory* touched, std::vector<Accesses>& by_instruction)
      : share_(share_bytes),
        whole_(whole_bytes),
        block_(block),
        touched_(touched),
        by_instruction_(by_instruction),
        warps_(warps) {}

  /// `time`: instructions that the warp had executed, counted on from the slowest warp's at each barrier.
  void add(std::size_t warp, std::uint64_t time, std::uint32_t instruction, Kind kind,
           std::span<const TouchedLine> lines);
  /// Takes what was added; once more after the last access.
  void replay();

 private:
  struct Access {
    std::uint64_t time = 0;
    std::uint32_t instruction = 0;
    std::uint32_t lines = 0;  // so many of the warp's
    Kind kind = Kind::load;
  };
  struct WarpStream {
    std::vector<Access> accesses;
    std::vector<std::uint64_t> lines;  // number * 16 + sectors
  };
  struct Waits {
    bool any = false, for_dram = false;
  };
  // The look of one access into an L1.
  struct Lookup {
    BlockL1& l1;
    Misses& misses;
    Waits waits{};
  };
  void move(std::uint64_t line, unsigned sectors, Accesses& accesses);
  void take(const Access& access, std::size_t warp, std::span<const std::uint64_t> lines);
  unsigned first_of(std::uint64_t number, unsigned sectors);
  static void load(std::uint64_t number, unsigned sectors, unsigned first, const Access& access,
                   std::size_t warp, Lookup& lookup);

  BlockL1 share_, whole_;
  const std::uint64_t block_;
  TouchedMemory* const touched_;
  std::vector<Accesses>& by_instruction_;
  std::vector<WarpStream> warps_;
  std::size_t kept_ = 0;
  // [B] between L1 and L2
  double moved_ = 0;
  // By sector: `moved_` when it last passed; below 0 where it never did.
  struct Passed {
    double moved = -1;
  };
  PagedTable<Passed, 4> passed_;
};

}  // namespace tilescope::model
