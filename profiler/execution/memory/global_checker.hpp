#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "profiler/execution/memory/global_race_log.hpp"
#include "profiler/execution/memory/global_shadow.hpp"
#include "profiler/execution/memory/global_sites.hpp"
#include "profiler/execution/memory/grid_order.hpp"
#include "profiler/execution/memory/happens_before.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// Looks for races on global memory in the blocks of one host thread: between lanes, between threads of a block, and,
/// where blocks order each other (GlobalSites::orders_blocks), between blocks. Races between blocks that nothing orders
/// are found afterwards, in the cells of all host threads (races_between_blocks).
///
/// Atomics, volatile and other strong accesses do not race with each other; two strong stores of different values do. A
/// plain store is compared with all strong writes behind it, such as the reset of a counter with the atomics of all threads. A
/// read before an atomic of the same thread on the same word (a loop with atomicCAS) is not counted. Memory that the
/// kernel cannot write is left out.
class GlobalChecker : public simt::Observer {
 public:
  explicit GlobalChecker(const simt::Program& program);

  void begin_block(const simt::Block& block) override;
  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override;
  void barrier_arrival(const simt::Warp& warp, int barrier, simt::LaneMask lanes) override;
  void block_barrier(const simt::Block& block, int barrier, std::span<const simt::LaneMask> arrived,
                     std::span<const simt::LaneMask> released) override;
  void warp_barrier(const simt::Warp& warp, simt::LaneMask lanes) override;
  /// Lanes come to an instruction of the whole warp, such as a shuffle.
  void member_mask(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes) override;
  void fence(const simt::Warp& warp, const simt::Instruction& at) override;
  void end_block(const simt::Block& block) override;

  const GlobalRaceLog& log() const { return log_; }
  const GlobalShadow& shadow() const { return shadow_; }
  const GlobalSites& sites() const { return sites_; }

 private:
  // The cells that some lanes access at one address.
  struct Part {
    const simt::Warp& warp;
    const simt::MemoryAccess& access;
    std::uint16_t site = 0;
    simt::LaneMask lanes = 0;
    std::uint32_t thread = 0;   // the first of them
    std::uint64_t address = 0;  // of the cell
    std::uint32_t value = 0;
    bool has_value = false;
  };
  // An access to a cell by a thread, before the current one.
  struct Prior {
    std::uint32_t block = 0, thread = 0;
    Moment moment = 0;
    std::uint16_t site = 0;
  };
  bool is_read_only(const simt::Warp& warp, const simt::MemoryAccess& access) const;
  void exchange_messages(const simt::Warp& warp, const simt::MemoryAccess& access, std::uint16_t site);
  void access_lanes(const simt::Warp& warp, const simt::MemoryAccess& access, std::uint16_t site);
  template <class Each>
  void for_cells(Part& part, std::uint64_t address, const Each& each);
  void read(const Part& part, GlobalCell& cell);
  void write(const Part& part, GlobalCell& cell);
  void check_writer(const Part& part, const GlobalCell& cell);
  void check_weak_write(const Part& part, const GlobalCell& cell);
  void check_readers(const Part& part, const GlobalCell& cell);
  simt::LaneMask lanes_that_have_read(const Part& part, const GlobalCell::Read& read) const;
  void note_values(const Part& part, GlobalCell& cell);
  void confirm_reads(const simt::Warp& warp, const simt::MemoryAccess& access, std::uint16_t site);
  bool is_ordered(const Part& part, const Prior& prior, const GlobalCell& cell) const;
  const GlobalCell::Read* own_read(const Part& part, const GlobalCell& cell) const;
  bool stores_with(const Part& part, std::uint32_t thread) const;
  void report(GlobalRaceKind kind, const Part& part, const Prior& prior);

  const simt::Program& program_;
  GlobalSites sites_;
  HappensBefore order_;
  GridOrder grid_;
  GlobalShadow shadow_;
  GlobalRaceLog log_;
  const bool finds_races_in_blocks_;
  const bool has_messages_;
  const bool blocks_are_ordered_;
  std::vector<simt::LaneMask> live_;  // by warp
  // The last time when lanes of a warp came to one instruction of the whole warp, by warp.
  struct Meeting {
    Moment moment = 0;
    simt::LaneMask lanes = 0;
  };
  std::vector<Meeting> meetings_;
  std::uint32_t block_ = 0;
  std::uint32_t event_ = 0;
  // Reads that race with an atomic, until their thread confirms them by an atomic of its own: by cell and thread.
  std::map<std::pair<std::uint64_t, std::uint32_t>, GlobalRace> unconfirmed_;
};

}  // namespace tilescope
