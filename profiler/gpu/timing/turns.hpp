#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "profiler/gpu/timing/latency_timer.hpp"
#include "sessions/compare/paired_series.hpp"

namespace tilescope {

/// A sample of a launch: the mean over the launches of one run.
struct TurnSample {
  double us = 0;
  /// [MHz] 0 where it could not be sampled.
  double sm_clock_mhz = 0;
};

/// Which side of a comparison a contestant belongs to. A side has several: the same binary, made ready to run each time
/// anew, so that what depends on where memory and code happen to lie differs among them.
enum class TurnSide { a, b };

/// One round: all contestants in their order, and once more in the reverse order. Whatever drifts steadily is the same in
/// the means of all of them. By contestant.
using TurnRound = std::vector<std::array<TurnSample, 2>>;

struct TurnOptions {
  /// [s]
  double budget_s = 0.5;
  /// [s] A round that has begun is finished.
  double time_limit_s = 4.0;
  /// Called before every run.
  std::function<bool()> cancelled = [] { return false; };
  /// 0 to 1, after every round.
  std::function<void(double)> progress = [](double) {};
};

/// The batches into which rounds are divided for the interval of their ratio.
inline constexpr std::size_t turn_batches = 20;

/// Runs what is prepared on the devices, one for each contestant, in turns. `launches`: the launches of a run. At least
/// two rounds a batch, even where the budget is spent, unless the time limit is. Returns nothing when cancelled; throws
/// what a device throws.
template <TimingDevice Device>
std::optional<std::vector<TurnRound>> time_in_turns(std::span<Device* const> devices,
                                                    std::span<const std::int64_t> launches,
                                                    const TurnOptions& options) {
  const auto sample = [&](std::size_t contestant) {
    const TimedRun run = devices[contestant]->run();
    return TurnSample{run.elapsed_us / static_cast<double>(launches[contestant]), run.sm_clock_mhz};
  };
  // The first run of a graph also loads it.
  for (Device* device : devices) device->run();
  const double begin_s = devices[0]->now_s();
  std::vector<TurnRound> rounds;
  while (true) {
    if (options.cancelled()) return std::nullopt;
    TurnRound& round = rounds.emplace_back(devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i) round[i][0] = sample(i);
    for (std::size_t i = devices.size(); i-- > 0;) round[i][1] = sample(i);
    const double spent_s = devices[0]->now_s() - begin_s;
    options.progress(std::min(spent_s / options.budget_s, 1.0));
    const bool enough = rounds.size() >= 2 * turn_batches && spent_s >= options.budget_s;
    if (enough || spent_s >= options.time_limit_s) return rounds;
  }
}

/// [us] Target time of a run's launches together: one tick of the timer (1 us) is then half a percent.
inline constexpr double turn_sample_us = 200;
/// How many launches a run needs, of a kernel that takes `us`.
std::int64_t launches_of_turn(double us);

/// Statistics of the two sides over the rounds. The spreads are computed from samples with the level of their
/// round divided out: the median of its samples, each over the median of its contestant. A clock that wanders
/// during the turns would otherwise make the spread of each side as wide as its own. Rounds with an SM clock
/// under 75 % of the default (`default_clock_mhz`, 0: unknown) do not count, unless most are so. Ratios have
/// intervals by batch means (Law, Simulation Modeling and Analysis, chapter 9): the medians of 20 batches of
/// consecutive rounds each give a ratio, and Student's t the interval of the mean of their logarithms. Slow
/// changes are within the batches' spread, so that they do not make the interval too narrow. Nothing where
/// there are fewer rounds than two a batch. Both sides have two contestants at least; `sides` and `launches`
/// are by contestant.
std::optional<PairedSeries> paired_series(const std::vector<TurnRound>& rounds,
                                          std::span<const TurnSide> sides,
                                          std::span<const std::int64_t> launches, double default_clock_mhz);

}  // namespace tilescope
