#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/memory/happens_before.hpp"
#include "profiler/execution/memory/undefined_values.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope {

/// The state of every grain of a block's shared memory, to find races: which thread wrote it last, and when and where
/// each warp has read it since. Takes 16 B per grain, and 10 B more for each warp of the block.
///
/// A cp.async writes from its issue until its thread has waited for it: any other access in between is a race or an
/// early read. Atomics do not race with each other, but each with the plain write before them. Two lanes that store to one address in the same instruction race,
/// unless they store the same value: two unordered `st` of the same value leave the same memory in any order, which is
/// a finding of its own. For stores by stmatrix, wmma.store, cp.async and atomics the value is not compared: they race.
/// The lane that gives the address of a row of ldmatrix or stmatrix counts as the one that accesses it.
class SharedShadow {
 public:
  /// Without `finds_races` only uninitialised and early reads are looked for.
  SharedShadow(const simt::Program& program, const HappensBefore& order, FindingLog& log,
               UndefinedValues& values, bool finds_races);

  /// `bytes` of shared memory, [B].
  void begin(std::size_t bytes, std::size_t warps);
  /// An access to shared memory, before it happens.
  void access(const simt::Warp& warp, const simt::MemoryAccess& access);
  /// Unwritten bytes that a load took matter in these lanes.
  void report_used(const UndefinedValues::Load& load, simt::LaneMask lanes);
  /// A block barrier releases lanes; masks by warp.
  void block_barrier(std::span<const simt::LaneMask> released);
  /// The end of the block.
  void end();

 private:
  // A place in the program, by the small number that cells store.
  struct Site {
    std::uint32_t origin = simt::no_index;
    /// Into Program::code.
    std::uint32_t code = 0;
    bool is_atomic = false;
    bool is_st = false;
    bool is_async_copy = false;
  };
  // An access: what its parts have in common.
  struct Event {
    const simt::Warp& warp;
    const simt::MemoryAccess& access;
  };
  // A write of a cell by a thread.
  struct Write {
    Moment moment = 0;
    std::uint16_t thread = 0;
    std::uint16_t site = 0;
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
  void keep_plain_write(std::size_t cell);
  Write rival_write(const Part& part, std::size_t cell) const;
  bool stores_what_is_there(const Part& part, std::size_t cell) const;
  bool is_ordered_by_warp(const Part& part, std::uint16_t earlier_site, std::uint32_t earlier,
                          std::size_t cell) const;
  void check_readers(const Part& part, std::size_t cell);
  void report(FindingKind kind, const Part& part, std::size_t cell, std::uint16_t earlier_site,
              std::uint32_t earlier_thread, std::uint32_t later_thread);
  void report_uninitialised(const Part& part, std::size_t cell, std::uint32_t thread);
  void add_uninitialised(std::uint32_t origin, std::size_t cell, std::uint32_t thread, std::uint32_t bytes);
  // Hands the unwritten cells that the lanes of a load have read to `values_`.
  void follow_unwritten(const simt::Warp& warp, const simt::MemoryAccess& access);
  /// Whether the access that the interpreter executes second comes first in the order of the program.
  bool is_second_first(const Part& part, std::uint16_t earlier_site, std::uint32_t earlier_thread) const;
  /// When a warp last executed a site, counted in accesses of the block; 0 for never since its last block barrier.
  std::uint64_t last_execution(std::uint16_t site, std::size_t warp) const;
  /// Whether a loop has both sites, and a block barrier between them.
  bool are_parted_in_loop(std::uint32_t first_code, std::uint32_t second_code) const;

  const simt::Program& program_;
  const HappensBefore& order_;
  FindingLog& log_;
  UndefinedValues& values_;
  bool finds_races_;
  bool orders_warps_;
  std::uint32_t grain_;  // [B]
  std::size_t cells_ = 0;
  std::vector<std::uint16_t> site_numbers_;  // by instruction
  std::vector<Site> sites_;
  std::vector<std::uint32_t> barriers_;  // into Program::code, ascending
  /// First and last instruction of each loop: a branch back, into Program::code.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;
  /// Accesses of the block until now, and until the last block barrier of each warp.
  std::uint64_t accesses_ = 0;
  std::vector<std::uint64_t> interval_;
  /// By site and warp: the last execution.
  std::vector<std::vector<std::uint64_t>> executed_;
  /// Cells that were read before they were written, with the instruction, until the block's end.
  struct UnwrittenCell {
    std::size_t cell = 0;
    std::uint32_t origin = 0;
  };
  std::vector<UnwrittenCell> unwritten_reads_;
  bool has_unwritten_ = false;  // among the cells that the present load reads

  // By cell.
  std::vector<Moment> written_;  // never: 0; while a cp.async is under way: pending
  std::vector<std::uint16_t> writer_, write_site_;
  std::vector<Moment> issued_;          // of the last cp.async; empty before the first one
  std::vector<Write> plain_writes_;     // before the atomics on a cell; empty before the first atomic
  std::vector<Moment> last_read_;       // by any thread
  std::vector<std::uint32_t> readers_;  // a bit for each warp whose entry below holds
  // By warp and cell: the latest reads since the last write.
  std::vector<Moment> read_;
  std::vector<simt::LaneMask> read_lanes_;
  std::vector<std::uint16_t> read_site_;
};

}  // namespace tilescope
