#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiler/memory/finding_log.hpp"
#include "profiler/memory/happens_before.hpp"
#include "profiler/memory/shared_shadow.hpp"
#include "profiler/ptx/block.hpp"
#include "profiler/ptx/observer.hpp"

namespace tilescope {

/// Looks for faults in the blocks of one host thread: races, uninitialised and early reads of shared memory, accesses
/// out of bounds and misaligned (after which the run continues, so that more is found), barriers that not all lanes of
/// a warp reach.
///
/// An mbarrier orders the threads that wait for it, but observers are not notified of that. So races are not looked for
/// in a program with mbarriers.
class MemoryChecker : public ptx::Observer {
 public:
  MemoryChecker(const ptx::Program& program, std::string main_file);

  void begin_block(const ptx::Block& block) override;
  void access(const ptx::Warp& warp, const ptx::MemoryAccess& access) override;
  void barrier_arrival(const ptx::Warp& warp, int barrier, ptx::LaneMask lanes) override;
  void block_barrier(const ptx::Block& block, int barrier, std::span<const ptx::LaneMask> arrived,
                     std::span<const ptx::LaneMask> released) override;
  void warp_barrier(const ptx::Warp& warp, ptx::LaneMask lanes) override;
  void divergent_barrier(const ptx::Warp& warp, const ptx::Instruction& at, ptx::LaneMask lanes) override;
  bool fault(const ptx::Fault& fault) override;

  const FindingLog& log() const { return log_; }
  /// Whether threads of the program wait for each other at mbarriers.
  static bool uses_mbarriers(const ptx::Program& program);

 private:
  FindingLog log_;
  HappensBefore order_;
  SharedShadow shadow_;
  std::vector<ptx::LaneMask> live_;  // by warp
};

}  // namespace tilescope
