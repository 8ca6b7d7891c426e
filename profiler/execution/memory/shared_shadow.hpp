#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/memory/happens_before.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope {

/// The state of every grain of a block's shared memory, to find races: which thread wrote it last, and when and where
/// each warp has read it since. Takes 16 B per grain, and 10 B more for each warp of the block.
///
/// A cp.async writes from its issue until its thread has waited for it: any other access in between is a race or an
/// early read. Atomics do not race with each other. Two lanes that store to one address in the same instruction race,
/// unless they store the same value: two unordered `st` of the same value leave the same memory in any order, which is
/// a finding of its own. For stores by stmatrix, wmma.store, cp.async and atomics the value is not compared: they race.
/// The lane that gives the address of a row of ldmatrix or stmatrix counts as the one that accesses it.
class SharedShadow {
 public:
  /// Without `finds_races` only uninitialised and early reads are looked for.
  SharedShadow(const simt::Program& program, const HappensBefore& order, FindingLog& log, bool finds_races);

  /// `bytes` of shared memory, [B].
  void begin(std::size_t bytes, std::size_t warps);
  /// An access to shared memory, before it happens.
  void access(const simt::Warp& warp, const simt::MemoryAccess& access);

 private:
  // A place in the program, by the small number that cells store.
  struct Site {
    std::uint32_t origin = simt::no_index;
    bool is_atomic = false;
    bool is_st = false;
  };
  // An access: what its parts have in common.
  struct Event {
    const simt::Warp& warp;
    const simt::MemoryAccess& access;
  };
  // The part of an access of one thread, or of several with one address.
  struct Part {
    std::size_t warp = 0;
    simt::LaneMask lanes = 0;
    std::size_t cell = 0;
    std::uint16_t site = 0;
    std::uint32_t bytes = 0;
    simt::Access access = simt::Access::load;
    const Event* event = nullptr;
  };
  std::uint16_t site_of(const simt::Instruction& instruction, simt::Access access);
  template <std::size_t cells>
  void access_lanes(const Event& event);
  template <std::size_t cells>
  void read(const Part& part);
  template <std::size_t cells>
  void write(const Part& part);
  void check_read(const Part& part, std::size_t cell);
  void check_write(const Part& part, std::size_t cell);
  bool stores_what_is_there(const Part& part, std::size_t cell) const;
  bool is_ordered_by_warp(const Part& part, std::uint16_t earlier_site, std::uint32_t earlier,
                          std::size_t cell) const;
  void check_readers(const Part& part, std::size_t cell);
  void report(FindingKind kind, const Part& part, std::size_t cell, std::uint16_t earlier_site,
              std::uint32_t earlier_thread, std::uint32_t later_thread);

  const simt::Program& program_;
  const HappensBefore& order_;
  FindingLog& log_;
  bool finds_races_;
  bool orders_warps_;
  std::uint32_t grain_;  // [B]
  std::size_t cells_ = 0;
  std::vector<std::uint16_t> site_numbers_;  // by instruction
  std::vector<Site> sites_;

  // By cell.
  std::vector<Moment> written_;  // never: 0; while a cp.async is under way: pending
  std::vector<std::uint16_t> writer_, write_site_;
  std::vector<Moment> last_read_;       // by any thread
  std::vector<std::uint32_t> readers_;  // a bit for each warp whose entry below holds
  // By warp and cell: the latest reads since the last write.
  std::vector<Moment> read_;
  std::vector<simt::LaneMask> read_lanes_;
  std::vector<std::uint16_t> read_site_;
};

}  // namespace tilescope
