#include "profiler/gpu/timing/turns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope {
namespace {

using Contestants = std::vector<std::size_t>;
using Rounds = std::span<const TurnRound>;

// Student's t with turn_batches - 1 degrees of freedom, two-sided.
constexpr double t_95_percent = 2.0930;
constexpr double t_997_permille = 3.4007;

constexpr double timer_tick_us = 1;
constexpr double min_clock_share = 0.75;

Contestants contestants_of(std::span<const TurnSide> sides, TurnSide side) {
  Contestants found;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] == side) found.push_back(i);
  }
  return found;
}

std::vector<double> samples_of(Rounds rounds, const Contestants& contestants) {
  std::vector<double> samples;
  samples.reserve(2 * contestants.size() * rounds.size());
  for (const TurnRound& round : rounds) {
    for (const std::size_t contestant : contestants) {
      for (const TurnSample& sample : round[contestant]) samples.push_back(sample.us);
    }
  }
  return samples;
}

double median_of(std::vector<double> samples) {
  return percentile_of(samples, 0.5);
}

Spread spread_of(std::vector<double> samples) {
  return {*std::ranges::min_element(samples), percentile_of(samples, 0.5), percentile_of(samples, 0.75)};
}

// How each round compares with all of them, without its outliers: 1 is the usual level.
std::vector<double> levels_of(Rounds rounds) {
  std::vector<double> medians, levels;
  for (std::size_t i = 0; i < rounds.front().size(); ++i)
    medians.push_back(median_of(samples_of(rounds, {i})));
  levels.reserve(rounds.size());
  for (const TurnRound& round : rounds) {
    std::vector<double> relative;
    relative.reserve(2 * round.size());
    for (std::size_t i = 0; i < round.size(); ++i) {
      for (const TurnSample& sample : round[i]) relative.push_back(sample.us / medians[i]);
    }
    levels.push_back(median_of(std::move(relative)));
  }
  return levels;
}

// Divides each round by its level.
std::vector<TurnRound> levelled(std::vector<TurnRound> rounds) {
  const std::vector<double> levels = levels_of(rounds);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (auto& contestant : rounds[i]) {
      for (TurnSample& sample : contestant) sample.us /= levels[i];
    }
  }
  return rounds;
}

template <class Judge>
bool all_samples(const TurnRound& round, const Judge& judge) {
  return std::ranges::all_of(round,
                             [&](const auto& contestant) { return std::ranges::all_of(contestant, judge); });
}

// Converts microseconds to cycles; nothing where a clock is not known.
std::optional<std::vector<TurnRound>> in_cycles(std::vector<TurnRound> rounds) {
  const auto is_known = [](const TurnSample& sample) { return sample.sm_clock_mhz > 0; };
  if (!std::ranges::all_of(rounds, [&](const TurnRound& round) { return all_samples(round, is_known); }))
    return std::nullopt;
  for (TurnRound& round : rounds) {
    for (auto& contestant : round) {
      for (TurnSample& sample : contestant) sample.us *= sample.sm_clock_mhz;
    }
  }
  return rounds;
}

// The mean of the batches' logarithms of a / b, and its standard error.
struct LogRatio {
  double mean = 0, error = 0;
};

LogRatio log_ratio(Rounds rounds, const Contestants& a, const Contestants& b) {
  std::array<double, turn_batches> ratios{};
  for (std::size_t i = 0; i < turn_batches; ++i) {
    const std::size_t begin = i * rounds.size() / turn_batches, end = (i + 1) * rounds.size() / turn_batches;
    const Rounds batch = rounds.subspan(begin, end - begin);
    ratios[i] = std::log(median_of(samples_of(batch, a)) / median_of(samples_of(batch, b)));
  }
  const SampleStatistics statistics = statistics_of({ratios.begin(), ratios.end()});
  return {statistics.mean_us, statistics.stddev_us / std::sqrt(static_cast<double>(turn_batches))};
}

// Around the ratio of the medians of all samples, which is what is shown.
Ratio ratio_of(Rounds rounds, const Contestants& a, const Contestants& b) {
  const LogRatio log = log_ratio(rounds, a, b);
  const double value = median_of(samples_of(rounds, a)) / median_of(samples_of(rounds, b));
  const double low = std::exp(log.mean - t_95_percent * log.error),
               high = std::exp(log.mean + t_95_percent * log.error);
  return {value, std::min(low, value), std::max(high, value)};
}

// How far any two contestants of a side may be apart.
double noise_within(Rounds rounds, const Contestants& side) {
  double noise = 0;
  for (std::size_t i = 0; i < side.size(); ++i) {
    for (std::size_t j = i + 1; j < side.size(); ++j) {
      const LogRatio log = log_ratio(rounds, {side[i]}, {side[j]});
      noise = std::max(noise, std::exp(std::abs(log.mean) + t_997_permille * log.error) - 1);
    }
  }
  return noise;
}

std::vector<TurnRound> rounds_that_count(const std::vector<TurnRound>& rounds, double default_clock_mhz) {
  const double least_mhz = min_clock_share * default_clock_mhz;
  const auto is_fast = [&](const TurnSample& s) {
    return !(s.sm_clock_mhz > 0) || s.sm_clock_mhz >= least_mhz;
  };
  std::vector<TurnRound> kept;
  std::ranges::copy_if(rounds, std::back_inserter(kept),
                       [&](const TurnRound& round) { return all_samples(round, is_fast); });
  return 2 * kept.size() > rounds.size() ? kept : rounds;
}

}  // namespace

std::int64_t launches_of_turn(double us) {
  constexpr std::int64_t most = 4096;
  const double wanted = us > 0 ? std::ceil(turn_sample_us / us) : most;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, most);
}

std::optional<PairedSeries> paired_series(const std::vector<TurnRound>& rounds,
                                          std::span<const TurnSide> sides,
                                          std::span<const std::int64_t> launches, double default_clock_mhz) {
  const std::vector<TurnRound> kept = rounds_that_count(rounds, default_clock_mhz);
  if (kept.size() < 2 * turn_batches) return std::nullopt;
  const Contestants a = contestants_of(sides, TurnSide::a), b = contestants_of(sides, TurnSide::b);
  PairedSeries series;
  series.samples_a = samples_of(kept, a);
  series.samples_b = samples_of(kept, b);
  const std::vector<TurnRound> in_time = levelled(kept);
  series.a.us = spread_of(samples_of(in_time, a));
  series.b.us = spread_of(samples_of(in_time, b));
  if (auto cycles = in_cycles(kept)) {
    const std::vector<TurnRound> in_clocks = levelled(*std::move(cycles));
    series.a.cycles = spread_of(samples_of(in_clocks, a));
    series.b.cycles = spread_of(samples_of(in_clocks, b));
  }
  series.rounds = static_cast<std::int64_t>(kept.size());
  series.ratio = ratio_of(kept, a, b);
  const auto tick = [&](const JudgedSeries& side, std::size_t contestant) {
    return timer_tick_us / (side.us.median * static_cast<double>(launches[contestant]));
  };
  series.noise_floor = std::max(
      {noise_within(kept, a), noise_within(kept, b), tick(series.a, a.front()), tick(series.b, b.front())});
  return series;
}

}  // namespace tilescope
