// The statistics of 10,000 samples a side, without a GPU: the figures of one series, what turns say of two sides, and the
// verdict on them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "profiler/gpu/timing/turns.hpp"
#include "sessions/compare/comparison.hpp"
#include "sessions/compare/distributions.hpp"
#include "sessions/sample_statistics.hpp"

namespace {

using namespace tilescope;

constexpr std::size_t samples_of_side = 10000;
constexpr const char* goal = "goal: 5 ms";
constexpr int repetitions = 9;

constexpr std::array<TurnSide, 4> sides{TurnSide::a, TurnSide::b, TurnSide::a, TurnSide::b};
constexpr std::array<std::int64_t, 4> launches{4, 4, 4, 4};

/// B takes 3 % longer than A, with a clock that wanders and a noise of 0.5 %. Deterministic.
std::vector<TurnRound> make_rounds() {
  constexpr double a_us = 50, b_us = 51.5, noise = 0.005, default_mhz = 1980;
  std::mt19937 generator(1);
  std::normal_distribution<double> error(0, noise), step(0, 1e-3);
  std::vector<TurnRound> rounds(samples_of_side / 4, TurnRound(sides.size()));
  double clock = 1;
  for (TurnRound& round : rounds) {
    clock = std::clamp(clock + step(generator), 0.95, 1.0);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const double us = sides[i] == TurnSide::a ? a_us : b_us;
      for (TurnSample& sample : round[i])
        sample = {us / clock * (1 + std::abs(error(generator))), default_mhz * clock};
    }
  }
  return rounds;
}

std::optional<PairedSeries> series_of(const std::vector<TurnRound>& rounds) {
  return paired_series(rounds, sides, launches, 1980);
}

Measurement point_of(const std::vector<double>& samples_us) {
  Measurement point;
  point.kernel = "flash_scalar";
  Latency latency;
  latency.l2_warm = statistics_of(samples_us);
  latency.p10_us = latency.l2_warm->p10_us;
  latency.p50_us = latency.l2_warm->p50_us;
  latency.p90_us = latency.l2_warm->p90_us;
  point.latency = latency;
  return point;
}

void statistics_of_a_side(benchmark::State& state) {
  const std::vector<double> samples = series_of(make_rounds())->samples_a;
  for (auto _ : state) benchmark::DoNotOptimize(statistics_of(samples));
  state.SetLabel(goal);
}

/// Spreads, the ratio with its interval, and the noise floor.
void series_of_turns(benchmark::State& state) {
  const std::vector<TurnRound> rounds = make_rounds();
  for (auto _ : state) benchmark::DoNotOptimize(series_of(rounds));
  state.SetLabel(goal);
}

void verdict_of_two_latencies(benchmark::State& state) {
  const PairedSeries series = *series_of(make_rounds());
  for (auto _ : state)
    benchmark::DoNotOptimize(compare(point_of(series.samples_a), point_of(series.samples_b)));
  state.SetLabel(goal);
}

/// All of it, from the turns to the verdict and its histogram.
void verdict_of_turns(benchmark::State& state) {
  const std::vector<TurnRound> rounds = make_rounds();
  for (auto _ : state) {
    std::optional<PairedSeries> series = series_of(rounds);
    Measurement a = point_of(series->samples_a), b = point_of(series->samples_b);
    const Comparison comparison = compare(std::move(a), std::move(b), std::move(series));
    benchmark::DoNotOptimize(distributions_of(comparison));
    if (comparison.verdict != Verdict::slower) state.SkipWithError("B is not found to be slower");
  }
  state.SetLabel(goal);
}

BENCHMARK(statistics_of_a_side)
    ->Unit(benchmark::kMillisecond)
    ->Repetitions(repetitions)
    ->ReportAggregatesOnly();
BENCHMARK(series_of_turns)->Unit(benchmark::kMillisecond)->Repetitions(repetitions)->ReportAggregatesOnly();
BENCHMARK(verdict_of_two_latencies)
    ->Unit(benchmark::kMillisecond)
    ->Repetitions(repetitions)
    ->ReportAggregatesOnly();
BENCHMARK(verdict_of_turns)->Unit(benchmark::kMillisecond)->Repetitions(repetitions)->ReportAggregatesOnly();

}  // namespace

BENCHMARK_MAIN();
