#include "profiler/memory/memory_checker.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/memory/site_text.hpp"

namespace tilescope {

MemoryChecker::MemoryChecker(const ptx::Program& program, std::string main_file)
    : log_(program, std::move(main_file)), shadow_(program, order_, log_, !uses_mbarriers(program)) {}

bool MemoryChecker::uses_mbarriers(const ptx::Program& program) {
  return std::ranges::any_of(program.origins,
                             [](const ptx::Origin& origin) { return opcode_of(origin.text) == "mbarrier"; });
}

void MemoryChecker::begin_block(const ptx::Block& block) {
  log_.begin_block(block);
  order_.begin(block.threads());
  shadow_.begin(block.shared.size(), block.warps.size());
  live_.assign(block.warps.size(), 0);
}

void MemoryChecker::access(const ptx::Warp& warp, const ptx::MemoryAccess& access) {
  if (access.space == ptx::Space::shared) shadow_.access(warp, access);
}

void MemoryChecker::barrier_arrival(const ptx::Warp& warp, int barrier, ptx::LaneMask lanes) {
  order_.arrive(static_cast<std::size_t>(warp.index()), lanes, static_cast<std::size_t>(barrier));
}

void MemoryChecker::block_barrier(const ptx::Block& block, int barrier,
                                  std::span<const ptx::LaneMask> arrived,
                                  std::span<const ptx::LaneMask> released) {
  for (std::size_t w = 0; w < live_.size(); ++w) live_[w] = block.warps[w].live();
  const auto number = static_cast<std::size_t>(barrier);
  order_.block_barrier(number, block.barriers[number].expected == 0, arrived, released, live_);
}

void MemoryChecker::warp_barrier(const ptx::Warp& warp, ptx::LaneMask lanes) {
  order_.warp_barrier(static_cast<std::size_t>(warp.index()), lanes, warp.live());
}

void MemoryChecker::divergent_barrier(const ptx::Warp& warp, const ptx::Instruction& at,
                                      ptx::LaneMask lanes) {
  log_.begin_event();
  const std::uint32_t thread = warp.first_thread() + static_cast<std::uint32_t>(std::countr_zero(lanes));
  log_.add({FindingKind::divergent_barrier, ptx::no_index, at.origin, 0, thread, 0, 0});
}

bool MemoryChecker::fault(const ptx::Fault& fault) {
  log_.begin_event();
  log_.add_fault(fault);
  return fault.kind == ptx::FaultKind::out_of_bounds || fault.kind == ptx::FaultKind::misaligned ||
         fault.kind == ptx::FaultKind::read_only;
}

}  // namespace tilescope
