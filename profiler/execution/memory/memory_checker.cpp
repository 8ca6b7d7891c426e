#include "profiler/execution/memory/memory_checker.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilescope {

MemoryChecker::MemoryChecker(const simt::Program& program, std::string main_file)
    : log_(program, std::move(main_file)),
      values_(program, [this](const UndefinedValues::Load& load,
                              simt::LaneMask lanes) { shadow_.report_used(load, lanes); }),
      shadow_(program, order_, log_, values_, !uses_mbarriers(program)) {}

bool MemoryChecker::uses_mbarriers(const simt::Program& program) {
  return std::ranges::any_of(program.origins, [](const simt::Origin& origin) {
    return origin.data.use == simt::DataUse::mbarrier || origin.data.use == simt::DataUse::mbarrier_init;
  });
}

void MemoryChecker::begin_block(const simt::Block& block) {
  log_.begin_block(block);
  order_.begin(block.threads());
  shadow_.begin(block.shared.size(), block.warps.size());
  values_.begin(block);
  live_.assign(block.warps.size(), 0);
}

void MemoryChecker::access(const simt::Warp& warp, const simt::MemoryAccess& access) {
  if (access.space == simt::Space::shared) shadow_.access(warp, access);
}

void MemoryChecker::barrier_arrival(const simt::Warp& warp, int barrier, simt::LaneMask lanes) {
  order_.arrive(static_cast<std::size_t>(warp.index()), lanes, static_cast<std::size_t>(barrier));
}

void MemoryChecker::block_barrier(const simt::Block& block, int barrier,
                                  std::span<const simt::LaneMask> arrived,
                                  std::span<const simt::LaneMask> released) {
  for (std::size_t w = 0; w < live_.size(); ++w) live_[w] = block.warps[w].live();
  const auto number = static_cast<std::size_t>(barrier);
  shadow_.block_barrier(released);
  order_.block_barrier(number, block.barriers[number].expected == 0, arrived, released, live_);
}

void MemoryChecker::warp_barrier(const simt::Warp& warp, simt::LaneMask lanes) {
  order_.warp_barrier(static_cast<std::size_t>(warp.index()), lanes, warp.live());
}

void MemoryChecker::divergent_barrier(const simt::Warp& warp, const simt::Instruction& at,
                                      simt::LaneMask lanes) {
  log_.begin_event();
  const std::uint32_t thread = warp.first_thread() + static_cast<std::uint32_t>(std::countr_zero(lanes));
  log_.add({FindingKind::divergent_barrier, simt::no_index, at.origin, 0, thread, 0, 0});
}

void MemoryChecker::end_block(const simt::Block&) {
  values_.end();
  shadow_.end();
}

bool MemoryChecker::fault(const simt::Fault& fault) {
  log_.begin_event();
  log_.add_fault(fault);
  return continues_after(fault.kind);
}

bool MemoryChecker::continues_after(simt::FaultKind kind) {
  return kind == simt::FaultKind::out_of_bounds || kind == simt::FaultKind::misaligned ||
         kind == simt::FaultKind::read_only;
}

}  // namespace tilescope
