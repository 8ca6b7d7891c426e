#include "profiler/explanation/model/work_steps.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace tilescope::model {
namespace {

struct Difference {
  std::uint64_t x = 0;  // of the second block
  double work = 0;
};

// Between neighbours.
std::vector<Difference> differences(std::span<const KnownWork> known) {
  std::vector<Difference> found;
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (known[i].x == known[i - 1].x + 1) found.push_back({known[i].x, known[i].work - known[i - 1].work});
  }
  return found;
}

double mean_of(const std::vector<Difference>& all, bool upper, double middle) {
  double sum = 0, count = 0;
  for (const Difference& one : all) {
    if ((one.work > middle) != upper) continue;
    sum += one.work;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

std::optional<WorkSteps> find_steps(const std::vector<KnownWork>& known) {
  constexpr std::size_t fewest_known = 6;
  // A step is at least so much of the mean rise, and its period so near to a whole number.
  constexpr double least_step = 0.5, most_of_period = 0.2;
  if (known.size() < fewest_known) return std::nullopt;
  const std::span<const KnownWork> inner(known.begin() + 1, known.end() - 1);
  const double slope =
      (inner.back().work - inner.front().work) / static_cast<double>(inner.back().x - inner.front().x);
  const std::vector<Difference> all = differences(inner);
  if (all.size() < 2 || slope <= 0) return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(all, {}, &Difference::work);
  const double middle = (least->work + most->work) / 2;
  WorkSteps steps;
  steps.rise = mean_of(all, false, middle);
  steps.step = mean_of(all, true, middle) - steps.rise;
  if (steps.step < least_step * slope || slope <= steps.rise) return std::nullopt;
  const double period = steps.step / (slope - steps.rise), whole = std::round(period);
  if (whole < 2 || std::abs(period - whole) > most_of_period * whole) return std::nullopt;
  steps.period = static_cast<std::uint64_t>(whole);
  steps.phase = most->x % steps.period;
  const bool agree = std::ranges::all_of(all, [&](const Difference& one) {
    return (one.work > middle) == (one.x % steps.period == steps.phase);
  });
  return agree ? std::optional(steps) : std::nullopt;
}

std::vector<float> work_by_x(const std::vector<KnownWork>& known, std::uint64_t size,
                             const std::optional<WorkSteps>& steps) {
  std::vector<float> work(size, static_cast<float>(known.front().work));
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto& [begin, own] = known[i];
    const std::uint64_t end = i + 1 < known.size() ? known[i + 1].x : size;
    std::fill(work.begin() + static_cast<std::ptrdiff_t>(begin),
              work.begin() + static_cast<std::ptrdiff_t>(end), static_cast<float>(own));
    if (end == size || end == begin + 1) continue;
    double risen = 0;  // in the steps, until the next known one
    for (std::uint64_t x = begin; steps && x < end; ++x) risen += steps->from(x);
    // The rest is spread over the blocks between.
    const double rest = (known[i + 1].work - own - risen) / static_cast<double>(end - begin);
    double reached = own;
    for (std::uint64_t x = begin + 1; x < end; ++x) {
      reached += rest + (steps ? steps->from(x - 1) : 0);
      work[x] = static_cast<float>(reached);
    }
  }
  return work;
}

}  // namespace tilescope::model
