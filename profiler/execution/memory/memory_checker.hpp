#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/memory/happens_before.hpp"
#include "profiler/execution/memory/shared_shadow.hpp"
#include "profiler/execution/memory/undefined_values.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/value_follower.hpp"

namespace tilescope {

/// Looks for faults in the blocks of one host thread: races, uninitialised and early reads of shared memory, accesses
/// out of bounds and misaligned (after which the run continues, so that more is found), barriers that not all lanes of
/// a warp reach.
///
/// An mbarrier orders the threads that wait for it, but observers are not notified of that. So races are not looked for
/// in a program with mbarriers.
class MemoryChecker : public simt::Observer, public simt::ValueFollower {
 public:
  MemoryChecker(const simt::Program& program, std::string main_file);

  void begin_block(const simt::Block& block) override;
  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override;
  void barrier_arrival(const simt::Warp& warp, int barrier, simt::LaneMask lanes) override;
  void block_barrier(const simt::Block& block, int barrier, std::span<const simt::LaneMask> arrived,
                     std::span<const simt::LaneMask> released) override;
  void warp_barrier(const simt::Warp& warp, simt::LaneMask lanes) override;
  void divergent_barrier(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes) override;
  bool fault(const simt::Fault& fault) override;
  const bool* is_following() const override { return values_.is_following(); }
  void come_to(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes) override {
    values_.before(warp, at, lanes);
  }
  void execute(simt::Warp& warp, const simt::Instruction& at) override { values_.execute(warp, at); }
  void end_block(const simt::Block& block) override;

  const FindingLog& log() const { return log_; }
  /// Whether threads of the program wait for each other at mbarriers.
  static bool uses_mbarriers(const simt::Program& program);
  /// Whether the run continues after such a fault.
  static bool continues_after(simt::FaultKind kind);

 private:
  FindingLog log_;
  HappensBefore order_;
  UndefinedValues values_;
  SharedShadow shadow_;
  std::vector<simt::LaneMask> live_;  // by warp
};

}  // namespace tilescope
