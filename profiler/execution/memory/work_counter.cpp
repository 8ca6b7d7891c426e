#include "profiler/execution/memory/work_counter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_places = 3;

std::int64_t rounded(double value) {
  return std::llround(value);
}

// Where the most lanes were missing: by source line, since the compiler cuts a line into several basic blocks.
std::vector<PartialLanes> partial_lanes(const simt::Program& program, const simt::RunResult& run,
                                        double growth, std::string_view main_file) {
  struct Sums {
    double instructions = 0, lanes = 0;
  };
  std::map<std::uint32_t, Sums> by_location;  // Program::locations
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    if (run.block_lanes[b] >= run.block_executions[b] * simt::lane_count) continue;
    const simt::BasicBlock& block = program.blocks[b];
    for (std::uint32_t at = block.first + 1; at <= block.first + block.instructions; ++at) {
      Sums& sums = by_location[program.origins[program.code[at].origin].location];
      sums.instructions += growth * static_cast<double>(run.block_executions[b]);
      sums.lanes += growth * static_cast<double>(run.block_lanes[b]);
    }
  }
  std::map<InstructionPlace, Sums> by_place;
  for (const simt::Origin& origin : program.origins) {
    const auto found = by_location.find(origin.location);
    if (found == by_location.end()) continue;
    const auto index = static_cast<std::uint32_t>(&origin - program.origins.data());
    SitePlace place = place_of(program, index, main_file);
    Sums& sums = by_place[{place.line, std::move(place.file), std::move(place.inlined)}];
    sums.instructions += found->second.instructions;
    sums.lanes += found->second.lanes;
    by_location.erase(found);
  }
  std::vector<PartialLanes> list;
  list.reserve(by_place.size());
  for (const auto& [place, sums] : by_place)
    list.push_back({place, rounded(sums.instructions), rounded(sums.lanes)});
  const auto missing = [](const PartialLanes& at) { return at.instructions * simt::lane_count - at.lanes; };
  std::ranges::stable_sort(list, std::greater{}, missing);
  if (list.size() > most_places) list.resize(most_places);
  return list;
}

}  // namespace

WorkCounter::WorkCounter(const simt::Program& program, std::shared_ptr<const BlockWeights> weights,
                         std::uint64_t watched)
    : program_(program),
      weights_(std::move(weights)),
      watched_(watched),
      classes_(weights_->weights().size()) {}

void WorkCounter::begin_block(const simt::Block& block) {
  current_ = &classes_[weights_->class_of(block.linear_index)];
  warps_.assign(block.warps.size(), {});
  watches_ = block.linear_index == watched_;
  if (!watches_) return;
  watch_ = std::make_unique<BlockWatch>(program_);
  watch_->begin(block);
}

void WorkCounter::basic_block(const simt::Warp& warp, std::uint32_t number) {
  WarpCounts& counts = warps_[static_cast<std::size_t>(warp.index())];
  const std::uint64_t instructions = program_.blocks[number].instructions;
  counts.issued += instructions;
  // Only the lanes in exec enter the block.
  if (warp.exec == warp.live()) return join_lanes(counts);
  counts.apart += instructions;
  for (simt::LaneMask rest = warp.exec; rest != 0; rest &= rest - 1)
    counts.apart_by_lane[static_cast<std::size_t>(std::countr_zero(rest))] += instructions;
}

void WorkCounter::join_lanes(WarpCounts& counts) {
  if (counts.apart == 0) return;
  current_->serialised += counts.apart - std::ranges::max(counts.apart_by_lane);
  counts.apart = 0;
  counts.apart_by_lane.fill(0);
}

void WorkCounter::access(const simt::Warp& warp, const simt::MemoryAccess& access) {
  if (watches_) watch_->access(warp, access);
}

std::uint64_t WorkCounter::end_interval() {
  std::uint64_t busiest = 0, sum = 0;
  for (WarpCounts& warp : warps_) {
    const std::uint64_t since = warp.issued - warp.at_barrier;
    busiest = std::max(busiest, since);
    sum += since;
    warp.at_barrier = warp.issued;
  }
  current_->paced += busiest * warps_.size();
  return busiest * warps_.size() - sum;
}

void WorkCounter::block_barrier(const simt::Block& block, int, std::span<const simt::LaneMask>,
                                std::span<const simt::LaneMask> released) {
  // A barrier of some warps alone lets the others go on.
  for (const simt::Warp& warp : block.warps) {
    if (warp.live() != 0 && released[static_cast<std::size_t>(warp.index())] == 0) return;
  }
  const std::uint64_t idle = end_interval();
  if (watches_) watch_->passes(block, released, idle);
}

void WorkCounter::warp_barrier(const simt::Warp& warp, simt::LaneMask lanes) {
  if (watches_) watch_->warp_barrier(warp, lanes);
}

void WorkCounter::end_block(const simt::Block&) {
  end_interval();
  for (WarpCounts& warp : warps_) join_lanes(warp);
  if (watches_) watch_->end();
}

ExecutedWork fold_work(const simt::Program& program, const simt::RunResult& run,
                       std::span<const WorkCounter* const> counters, const BlockWeights& weights,
                       double instruction_growth, std::string_view main_file) {
  ExecutedWork work;
  double serialised = 0, paced = 0;
  for (std::size_t c = 0; c < weights.weights().size(); ++c) {
    WorkCounter::Class sum;
    for (const WorkCounter* counter : counters) {
      sum.serialised += counter->classes()[c].serialised;
      sum.paced += counter->classes()[c].paced;
    }
    serialised += weights.weights()[c] * static_cast<double>(sum.serialised);
    paced += weights.weights()[c] * static_cast<double>(sum.paced);
  }
  work.lane_instructions = rounded(instruction_growth * static_cast<double>(run.lane_instructions));
  work.serialised_instructions = rounded(serialised);
  work.paced_instructions = rounded(paced);
  work.partial_lanes = partial_lanes(program, run, instruction_growth, main_file);
  for (const WorkCounter* counter : counters) {
    if (counter->watch() != nullptr) work.watched = counter->watch()->result(main_file);
  }
  return work;
}

}  // namespace tilescope
