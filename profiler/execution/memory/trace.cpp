#include "profiler/execution/memory/trace.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "profiler/execution/memory/block_weights.hpp"
#include "profiler/execution/memory/composite_observer.hpp"
#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/memory/global_checker.hpp"
#include "profiler/execution/memory/grid_races.hpp"
#include "profiler/execution/memory/lane_checker.hpp"
#include "profiler/execution/memory/memory_checker.hpp"
#include "profiler/execution/memory/memory_counter.hpp"
#include "profiler/execution/memory/scaled_tallies.hpp"
#include "profiler/execution/memory/stored_nan.hpp"
#include "profiler/execution/memory/tile_map.hpp"
#include "profiler/execution/memory/unwritten_output.hpp"
#include "profiler/execution/memory/work_counter.hpp"

namespace tilescope {
namespace {

// The one in the middle: of a causal kernel neither the shortest nor the longest.
std::uint64_t watched_block(const simt::Launch& launch, const TraceOptions& options) {
  if (options.blocks.empty()) return launch.grid.count() / 2;
  return options.blocks[options.blocks.size() / 2].index;
}

// Observers that look beyond shared memory, one of each for each host thread.
struct FurtherCheckers {
  std::vector<const GlobalChecker*> global;
  std::vector<const LaneChecker*> lanes;

  void make(const simt::Program& program, std::vector<std::unique_ptr<simt::Observer>>& observers) {
    auto of_memory = std::make_unique<GlobalChecker>(program);
    global.push_back(of_memory.get());
    observers.push_back(std::move(of_memory));
    auto of_lanes = std::make_unique<LaneChecker>(program);
    lanes.push_back(of_lanes.get());
    observers.push_back(std::move(of_lanes));
  }

  void add_findings(const simt::Program& program, const simt::Launch& launch,
                    const simt::GlobalMemory& memory, const TileMap& tiles, const TraceOptions& options,
                    Traced& traced) const {
    std::vector<const GlobalRaceLog*> logs;
    logs.reserve(global.size() + 1);
    GlobalRaceLog between_blocks;
    if (!GlobalSites::orders_blocks(program)) add_races_between_blocks(global, between_blocks);
    for (const GlobalChecker* checker : global) logs.push_back(&checker->log());
    logs.push_back(&between_blocks);
    const auto add = [&](std::vector<Finding> found) {
      traced.findings.insert(traced.findings.end(), std::make_move_iterator(found.begin()),
                             std::make_move_iterator(found.end()));
    };
    add(fold_global_races(program, launch, logs, tiles, options.main_file));
    add(fold_lane_findings(program, lanes, options.main_file));
    const bool is_whole = options.blocks.empty() && !traced.run.cancelled && !traced.run.fault;
    if (is_whole) {
      add_unwritten_output(global, options.buffers, traced);
      traced.block_with_nan = block_that_stored_nan(global, options.buffers, memory);
    }
    if (options.output && !traced.block_with_nan) {
      const WatchedTensor& output = *options.output;
      const GivenBuffer written{"", output.address, output.bytes, output.element_bytes, false, output.kind};
      traced.block_with_nan = block_that_stored_nan(global, std::span(&written, 1), memory);
    }
    if (std::ranges::any_of(global,
                            [](const GlobalChecker* checker) { return checker->shadow().is_partial(); })) {
      traced.check_notes.emplace_back(
          "Races on global memory were looked for in a part of it: the kernel accesses more than the checker "
          "keeps track of. Launch it on less data.");
    }
    std::ranges::stable_sort(traced.findings, [](const Finding& a, const Finding& b) {
      return std::tie(a.kind, a.lines) < std::tie(b.kind, b.lines);
    });
  }
};

}  // namespace

Traced trace(const simt::Program& program, const simt::Launch& launch, simt::GlobalMemory& memory,
             const TraceOptions& options) {
  const auto tiles = std::make_shared<const TileMap>(program, options.tiles, memory);
  const auto weights = std::make_shared<const BlockWeights>(options.blocks);
  std::vector<const MemoryCounter*> counters;
  std::vector<const WorkCounter*> work;
  std::vector<const FindingLog*> logs;
  std::vector<const OutputWrites*> writes;
  FurtherCheckers further;

  simt::RunOptions run_options;
  run_options.host_threads = options.host_threads;
  // Blocks that wait for each other's flags are judged in the order in which they run.
  if (options.check && GlobalSites::orders_blocks(program)) run_options.host_threads = 1;
  run_options.instructions_per_block = options.instructions_per_block;
  run_options.schedule_seed = options.schedule_seed;
  run_options.cancelled = options.cancelled;
  if (!options.blocks.empty()) {
    run_options.blocks.emplace();
    for (const SampledBlock& block : options.blocks) run_options.blocks->push_back(block.index);
  }
  if (options.count || options.check || options.output || options.further_observer) {
    run_options.make_observer = [&]() -> std::unique_ptr<simt::Observer> {
      std::vector<std::unique_ptr<simt::Observer>> observers;
      if (options.count) {
        auto counter = std::make_unique<MemoryCounter>(program, tiles, weights);
        counters.push_back(counter.get());
        observers.push_back(std::move(counter));
        auto work_counter = std::make_unique<WorkCounter>(program, weights, watched_block(launch, options));
        work.push_back(work_counter.get());
        observers.push_back(std::move(work_counter));
      }
      if (options.check) {
        auto checker = std::make_unique<MemoryChecker>(program, options.main_file);
        logs.push_back(&checker->log());
        observers.push_back(std::move(checker));
        further.make(program, observers);
      }
      if (options.output) {
        auto recorder = std::make_unique<OutputWrites>(*options.output);
        writes.push_back(recorder.get());
        observers.push_back(std::move(recorder));
      }
      if (options.further_observer) observers.push_back(options.further_observer());
      if (observers.size() == 1) return std::move(observers.front());
      return std::make_unique<CompositeObserver>(std::move(observers));
    };
  }

  Traced traced;
  traced.run = simt::run(program, launch, memory, run_options);
  if (options.count) {
    traced.memory = fold_counts(program, launch, traced.run, counters, *tiles, *weights, options.main_file);
    traced.memory.work =
        fold_work(program, traced.run, work, *weights,
                  growth(counters, *weights, &MemoryCounter::Class::warp_instructions), options.main_file);
    if (options.by_instruction)
      traced.by_instruction = count_instructions(program, traced.run, counters, *weights);
  }
  if (options.check) {
    traced.findings = fold_findings(program, logs, *tiles, options.main_file);
    further.add_findings(program, launch, memory, *tiles, options, traced);
    if (program.is_machine_code) {
      traced.hidden_by_machine_code =
          "Machine code shows no missing __syncwarp(), because lanes of a warp that run together execute it "
          "in order, and may hide a __syncthreads() that threads of a warp reach apart: check the PTX of the "
          "kernel as well.";
    }
    if (MemoryChecker::uses_mbarriers(program)) {
      traced.unchecked =
          "Races were not checked: the kernel synchronises with mbarriers, whose order is not tracked.";
    }
  }
  for (const OutputWrites* recorder : writes) {
    traced.writes.insert(traced.writes.end(), recorder->blocks().begin(), recorder->blocks().end());
  }
  std::ranges::sort(traced.writes, {}, &BlockWrites::block);
  // A fault that was not reported to the observers, which ended its block.
  if (traced.run.fault) {
    Finding fault = finding_of(program, *traced.run.fault, options.main_file);
    bool is_known = false;
    for (const Finding& finding : traced.findings) {
      is_known = is_known || (finding.kind == fault.kind && finding.lines == fault.lines);
    }
    if (!is_known) traced.findings.push_back(std::move(fault));
  }
  traced.run.observers.clear();
  return traced;
}

}  // namespace tilescope
