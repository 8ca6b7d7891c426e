// How long it takes to hand out the blocks of a grid of a million to 132 SMs: equal ones, rows of a causal kernel, and
// lengths that are all known.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "profiler/explanation/model/block_schedule.hpp"

namespace tilescope::model {
namespace {

constexpr std::size_t sms = 132;

LaunchPlan plan_of(std::uint64_t x, std::uint64_t y) {
  LaunchPlan plan;
  plan.grid_x = x;
  plan.grid_y = y;
  plan.blocks_per_sm = 8;
  return plan;
}

ExecutedKernel executed(const std::vector<std::uint64_t>& indices) {
  ExecutedKernel kernel;
  for (const std::uint64_t index : indices) kernel.blocks.push_back({index, {}});
  return kernel;
}

void hand_out(benchmark::State& state, const ExecutedKernel& kernel, const LaunchPlan& plan,
              const std::vector<double>& work) {
  for (auto _ : state) {
    const std::vector<SmSchedule> result = schedule(BlockWork(kernel, plan, work), plan, sms, 90);
    benchmark::DoNotOptimize(result.front().balance);
  }
}

void equal_blocks(benchmark::State& state) {
  hand_out(state, executed({0}), plan_of(1'000'000, 1), {1000});
}
BENCHMARK(equal_blocks)->Unit(benchmark::kMillisecond);

void causal_rows(benchmark::State& state) {
  hand_out(state, executed({0, 1, 31, 32, 62, 63}), plan_of(64, 15'625), {100, 200, 3200, 3300, 6300, 6400});
}
BENCHMARK(causal_rows)->Unit(benchmark::kMillisecond);

void known_lengths(benchmark::State& state) {
  ExecutedKernel kernel = executed({0, 500'000, 999'999});
  for (std::uint32_t i = 0; i < 1'000'000; ++i) kernel.lengths.push_back(100 + i * 7919 % 3000);
  hand_out(state, kernel, plan_of(1'000'000, 1), {100, 1500, 3100});
}
BENCHMARK(known_lengths)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilescope::model

BENCHMARK_MAIN();
