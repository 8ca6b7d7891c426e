#include "profiler/timing/turns.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace tilescope {
namespace {

using Samples = std::array<TurnSample, 2> TurnRound::*;

// Student's t with turn_batches - 1 degrees of freedom, two-sided.
constexpr double t_95_percent = 2.0930;
constexpr double t_997_permille = 3.4007;

constexpr double timer_tick_us = 1;
constexpr double min_clock_share = 0.75;

std::vector<double> samples_of(std::span<const TurnRound> rounds, Samples side) {
  std::vector<double> samples;
  samples.reserve(2 * rounds.size());
  for (const TurnRound& round : rounds) {
    for (const TurnSample& sample : round.*side) samples.push_back(sample.us);
  }
  return samples;
}

double median_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  return percentile_of_sorted(samples, 0.5);
}

Spread spread_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  return {samples.front(), percentile_of_sorted(samples, 0.5), percentile_of_sorted(samples, 0.75)};
}

constexpr std::array<Samples, 3> sides{&TurnRound::a, &TurnRound::b, &TurnRound::again};

// How each round compares with all of them, without its outliers: 1 is the usual level.
std::vector<double> levels_of(const std::vector<TurnRound>& rounds) {
  std::array<double, sides.size()> medians{};
  for (std::size_t side = 0; side < sides.size(); ++side)
    medians[side] = median_of(samples_of(rounds, sides[side]));
  std::vector<double> levels;
  levels.reserve(rounds.size());
  for (const TurnRound& round : rounds) {
    std::vector<double> relative;
    relative.reserve(2 * sides.size());
    for (std::size_t side = 0; side < sides.size(); ++side) {
      for (const TurnSample& sample : round.*sides[side]) relative.push_back(sample.us / medians[side]);
    }
    levels.push_back(median_of(std::move(relative)));
  }
  return levels;
}

Spread levelled_spread(const std::vector<TurnRound>& rounds, Samples side) {
  const std::vector<double> levels = levels_of(rounds);
  std::vector<double> samples = samples_of(rounds, side);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] /= levels[i / 2];
  return spread_of(std::move(samples));
}

bool knows_clocks(const TurnRound& round) {
  return std::ranges::all_of(sides, [&](Samples side) {
    return std::ranges::all_of(round.*side, [](const TurnSample& s) { return s.sm_clock_mhz > 0; });
  });
}

// The same rounds with cycles in the place of microseconds; nothing where a clock is not known.
std::optional<std::vector<TurnRound>> in_cycles(std::vector<TurnRound> rounds) {
  if (!std::ranges::all_of(rounds, knows_clocks)) return std::nullopt;
  for (TurnRound& round : rounds) {
    for (const Samples side : sides) {
      for (TurnSample& sample : round.*side) sample.us *= sample.sm_clock_mhz;
    }
  }
  return rounds;
}

// The mean of the batches' logarithms of a / b, and its standard error.
struct LogRatio {
  double mean = 0, error = 0;
};

LogRatio log_ratio(const std::vector<TurnRound>& rounds, Samples a, Samples b) {
  std::array<double, turn_batches> ratios{};
  for (std::size_t i = 0; i < turn_batches; ++i) {
    const std::size_t begin = i * rounds.size() / turn_batches, end = (i + 1) * rounds.size() / turn_batches;
    const auto batch = std::span(rounds).subspan(begin, end - begin);
    ratios[i] = std::log(median_of(samples_of(batch, a)) / median_of(samples_of(batch, b)));
  }
  const SampleStatistics statistics = statistics_of({ratios.begin(), ratios.end()});
  return {statistics.mean_us, statistics.stddev_us / std::sqrt(static_cast<double>(turn_batches))};
}

// Around the ratio of the medians of all samples, which is what is shown.
Ratio ratio_of(const std::vector<TurnRound>& rounds) {
  const LogRatio log = log_ratio(rounds, &TurnRound::a, &TurnRound::b);
  const double value =
      median_of(samples_of(rounds, &TurnRound::a)) / median_of(samples_of(rounds, &TurnRound::b));
  const double low = std::exp(log.mean - t_95_percent * log.error),
               high = std::exp(log.mean + t_95_percent * log.error);
  return {value, std::min(low, value), std::max(high, value)};
}

double noise_floor(const std::vector<TurnRound>& rounds, const PairedSeries& series,
                   const std::array<std::int64_t, 2>& launches) {
  const LogRatio log = log_ratio(rounds, &TurnRound::a, &TurnRound::again);
  const double far_end = std::exp(std::abs(log.mean) + t_997_permille * log.error) - 1;
  const auto tick = [](const JudgedSeries& side, std::int64_t count) {
    return timer_tick_us / (side.us.median * static_cast<double>(count));
  };
  return std::max({far_end, tick(series.a, launches[0]), tick(series.b, launches[1])});
}

bool has_low_clock(const TurnRound& round, double least_mhz) {
  const auto is_low = [&](const TurnSample& s) { return s.sm_clock_mhz > 0 && s.sm_clock_mhz < least_mhz; };
  return std::ranges::any_of(round.a, is_low) || std::ranges::any_of(round.b, is_low) ||
         std::ranges::any_of(round.again, is_low);
}

std::vector<TurnRound> rounds_that_count(const std::vector<TurnRound>& rounds, double default_clock_mhz) {
  std::vector<TurnRound> kept;
  std::ranges::copy_if(rounds, std::back_inserter(kept), [&](const TurnRound& round) {
    return !has_low_clock(round, min_clock_share * default_clock_mhz);
  });
  return 2 * kept.size() > rounds.size() ? kept : rounds;
}

}  // namespace

std::int64_t launches_of_turn(double us) {
  constexpr std::int64_t most = 4096;
  const double wanted = us > 0 ? std::ceil(turn_sample_us / us) : most;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, most);
}

std::optional<PairedSeries> paired_series(const std::vector<TurnRound>& rounds,
                                          const std::array<std::int64_t, 2>& launches,
                                          double default_clock_mhz) {
  const std::vector<TurnRound> kept = rounds_that_count(rounds, default_clock_mhz);
  if (kept.size() < 2 * turn_batches) return std::nullopt;
  PairedSeries series;
  series.samples_a = samples_of(kept, &TurnRound::a);
  series.samples_b = samples_of(kept, &TurnRound::b);
  series.a.us = levelled_spread(kept, &TurnRound::a);
  series.b.us = levelled_spread(kept, &TurnRound::b);
  if (const auto cycles = in_cycles(kept)) {
    series.a.cycles = levelled_spread(*cycles, &TurnRound::a);
    series.b.cycles = levelled_spread(*cycles, &TurnRound::b);
  }
  series.rounds = static_cast<std::int64_t>(kept.size());
  series.ratio = ratio_of(kept);
  series.noise_floor = noise_floor(kept, series, launches);
  return series;
}

}  // namespace tilescope
