#include "profiler/explanation/model/launch_recording.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "profiler/execution/memory/bank_conflicts.hpp"
#include "profiler/execution/memory/sectors.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/instruction_word.hpp"
#include "profiler/execution/simt/block.hpp"

namespace tilescope::model {

std::set<std::uint64_t> recorded_blocks(std::uint64_t blocks) {
  constexpr std::uint64_t most_recorded_blocks = 32;
  const std::uint64_t most = std::min(most_recorded_blocks, blocks);
  std::set<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < most; ++i) chosen.insert(most == 1 ? 0 : i * (blocks - 1) / (most - 1));
  return chosen;
}

class LaunchObserver : public simt::Observer {
 public:
  explicit LaunchObserver(LaunchRecording& recording) : recording_(recording) {}

  bool wants_basic_blocks() const override { return true; }

  void begin_block(const simt::Block& block) override {
    records_ = recording_.wanted_.contains(block.linear_index);
    const auto& compared = recording_.compared_blocks_;
    const auto found = std::ranges::find(compared, block.linear_index);
    compares_ = found != compared.end();
    compared_as_ = static_cast<std::size_t>(found - compared.begin());
    memory_ = block.global;
    reads_ = {};
    current_ = {};
    current_.index = block.linear_index;
    if (!records_) return;
    current_.warps.resize(block.warps.size());
    l1_.emplace(recording_.plan_.l1_bytes / static_cast<double>(recording_.plan_.blocks_per_sm));
    sectors_.assign(recording_.program_.code.size(), {});
  }

  void basic_block(const simt::Warp& warp, std::uint32_t number) override {
    if (records_) current_.warps[static_cast<std::size_t>(warp.index())].push_back(number);
  }

  void access(const simt::Warp&, const simt::MemoryAccess& access) override {
    if (!records_ && !compares_) return;
    if (access.space != simt::Space::global) return;
    if (access.access != simt::Access::load && access.access != simt::Access::async_copy_read) return;
    const auto at = static_cast<std::uint32_t>(access.instruction - recording_.program_.code.data());
    if (compares_) reads_.add(at, access);
    if (!records_) return;
    sectors_[at].all += sector_cost(access.addresses, access.lanes, access.lane_bytes).sectors;
    const std::uint32_t missed = l1_->missed(access);
    sectors_[at].missed += missed;
    sectors_[at].executions += 1;
    sectors_[at].missing += missed > 0 ? 1 : 0;
    sectors_[at].wavefronts +=
        shared_cost(simt::Access::load, access.addresses, access.lanes, access.lane_bytes).wavefronts;
    const simt::Allocation* allocation =
        memory_->find(access.addresses[std::countr_zero(access.lanes)], access.lane_bytes);
    if (allocation != nullptr) sectors_[at].allocation = allocation->address;
  }

  void end_block(const simt::Block&) override {
    if (!records_ && !compares_) return;
    const std::lock_guard lock(recording_.mutex_);
    if (compares_) recording_.compared_[compared_as_] = std::move(reads_);
    if (!records_) return;
    recording_.blocks_.push_back(std::move(current_));
    for (std::size_t i = 0; i < sectors_.size(); ++i) {
      recording_.sectors_[i].all += sectors_[i].all;
      recording_.sectors_[i].missed += sectors_[i].missed;
      recording_.sectors_[i].executions += sectors_[i].executions;
      recording_.sectors_[i].missing += sectors_[i].missing;
      recording_.sectors_[i].wavefronts += sectors_[i].wavefronts;
      if (sectors_[i].allocation != 0) recording_.sectors_[i].allocation = sectors_[i].allocation;
    }
  }

 private:
  LaunchRecording& recording_;
  ExecutedBlock current_;
  bool records_ = false, compares_ = false;
  std::size_t compared_as_ = 0;
  const simt::GlobalMemory* memory_ = nullptr;
  ReadSectors reads_;
  std::optional<BlockL1> l1_;
  std::vector<LaunchRecording::Sectors> sectors_;
};

LaunchRecording::LaunchRecording(const simt::Program& program, const LaunchPlan& plan,
                                 std::set<std::uint64_t> wanted)
    : program_(program), plan_(plan), wanted_(std::move(wanted)), sectors_(program.code.size()) {
  if (plan.grid_x > 1) compared_blocks_[1] = plan.block_group < plan.grid_x ? plan.block_group : 0;
  if (plan.grid_y > 1) compared_blocks_[2] = plan.grid_x;
  if (plan.grid_z > 1) compared_blocks_[3] = plan.grid_x * plan.grid_y;
}

std::unique_ptr<simt::Observer> LaunchRecording::make_observer() {
  return std::make_unique<LaunchObserver>(*this);
}

ExecutedInstruction LaunchRecording::instruction(std::uint32_t at, const InstructionCounts& counts) const {
  const simt::Origin& origin = program_.origins[program_.code[at].origin];
  ExecutedInstruction executed;
  executed.text = origin.text;
  executed.facts = origin.facts;
  executed.scheduling = sass::scheduling_of_bits(origin.scheduling);
  executed.executions = counts.executions;
  if (counts.executions > 0) {
    executed.wavefronts = counts.shared_wavefronts / counts.executions;
    executed.wavefronts_minimum = counts.shared_wavefronts_minimum / counts.executions;
    executed.sectors = counts.global_sectors / counts.executions;
  }
  const Sectors& sectors = sectors_[at];
  executed.missed_sectors = executed.sectors * (sectors.all > 0 ? sectors.missed / sectors.all : 1);
  executed.missing_share = sectors.executions > 0 ? sectors.missing / sectors.executions : 1;
  executed.l1_wavefronts = executed.sectors * (sectors.all > 0 ? sectors.wavefronts / sectors.all : 0);
  for (std::size_t axis = 0; axis < 3; ++axis) executed.is_shared_along[axis] = is_shared_along(axis, at);
  return executed;
}

// The compared blocks may not reach an instruction, as a causal kernel's first blocks do not reach its main loop. Then those
// count that read the same tensor.
bool LaunchRecording::is_shared_along(std::size_t axis, std::uint32_t at) const {
  const ReadSectors &mine = compared_[0], &others = compared_[axis + 1];
  if (mine.reads(at)) return mine.are_shared(at, others);
  if (sectors_[at].allocation == 0) return false;
  bool any = false;
  for (std::uint32_t other = 0; other < sectors_.size(); ++other) {
    if (sectors_[other].allocation != sectors_[at].allocation || !mine.reads(other)) continue;
    if (!mine.are_shared(other, others)) return false;
    any = true;
  }
  return any;
}

ExecutedKernel LaunchRecording::take(const std::vector<InstructionCounts>& counts) {
  ExecutedKernel kernel;
  kernel.architecture = sass::architecture_number(program_.target);
  for (const simt::BasicBlock& block : program_.blocks) {
    InstructionRange range{static_cast<std::uint32_t>(kernel.code.size()), 0};
    for (std::uint32_t at = block.first + 1; at <= block.first + block.instructions; ++at) {
      if (program_.origins[program_.code[at].origin].scheduling == 0)
        continue;  // the code's end, no instruction
      kernel.code.push_back(instruction(at, counts[at]));
      ++range.count;
    }
    kernel.basic_blocks.push_back(range);
  }
  std::ranges::sort(blocks_, {}, &ExecutedBlock::index);
  kernel.blocks = std::move(blocks_);
  return kernel;
}

}  // namespace tilescope::model
