#include "sessions/views/points/ladder_axis.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/format.hpp"

namespace tilescope {

namespace {

constexpr double max_linear_ticks = 5;

std::string tick_label(double value) {
  const int decimals = value == 0 || value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return format_number(value, value == std::floor(value) ? 0 : decimals);
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<LadderAxis::Tick> linear_ticks(double high) {
  std::vector<LadderAxis::Tick> ticks;
  const double step = round_step(high / max_linear_ticks);
  for (int i = 0; i * step <= high; ++i) ticks.push_back({i * step, tick_label(i * step)});
  return ticks;
}

/// Powers of ten, with 2 and 5 between them where there are few.
std::vector<LadderAxis::Tick> log_ticks(double low, double high) {
  std::vector<LadderAxis::Tick> ticks;
  const bool fine = high / low < 200;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * power;
      if (value < low || value > high || (factor > 1 && !fine)) continue;
      ticks.push_back({value, tick_label(value)});
    }
  }
  return ticks;
}

}  // namespace

double LadderAxis::place(double value) const {
  if (!log) return (value - low) / (high - low);
  return std::log(std::max(value, low * 1e-3) / low) / std::log(high / low);
}

LadderExtent extent_of(const LadderBar& bar, LadderQuantity quantity) {
  // Without a spread (NaN) the bar ends at its value.
  const auto known = [&](double us) { return std::isfinite(us) ? us : bar.p50_us; };
  if (quantity == LadderQuantity::latency) return {bar.p50_us, known(bar.low_us), known(bar.high_us)};
  const double work = bar.tflops * bar.p50_us;
  const auto speed_at = [&](double us) { return us > 0 ? work / us : bar.tflops; };
  return {bar.tflops, speed_at(bar.high_us), speed_at(bar.low_us)};
}

LadderAxis make_scaled_axis(double smallest, double largest, bool log) {
  LadderAxis axis;
  axis.log = log;
  if (!(largest > 0)) return axis;
  axis.high = largest * 1.03;
  if (log) {
    // The shortest bar must be seen, too.
    axis.low = smallest / 2;
    axis.ticks = log_ticks(axis.low, axis.high);
  } else {
    axis.ticks = linear_ticks(axis.high);
  }
  return axis;
}

LadderAxis make_ladder_axis(const LadderGroup& group, LadderQuantity quantity, bool log) {
  double smallest = 0;
  double largest = 0;
  for (const std::vector<LadderBar>* bars : {&group.bars, &group.baselines}) {
    for (const LadderBar& bar : *bars) {
      const LadderExtent extent = extent_of(bar, quantity);
      smallest = smallest == 0 ? extent.value : std::min(smallest, extent.value);
      largest = std::max({largest, extent.value, extent.high});
    }
  }
  LadderAxis axis = make_scaled_axis(smallest, largest, log);
  axis.quantity = quantity;
  return axis;
}

}  // namespace tilescope
