#include "profiler/service/client/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "profiler/kernels/catalogue/configuration_grid.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

/// A configuration as its choices in the grid, and the shapes at which it is valid.
struct Candidate {
  std::vector<std::size_t> choices;
  /// Into the shapes of the sweep.
  std::vector<std::size_t> shapes;
};

// Keeps a random choice, in the old order. Shuffled by hand: std::shuffle may draw differently in another library.
void keep_sample(std::vector<Candidate>& candidates, const SweepSample& sample) {
  if (sample.count >= candidates.size()) return;
  std::vector<std::size_t> chosen(candidates.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::mt19937_64 random(sample.seed);
  for (std::size_t i = 0; i < sample.count; ++i)
    std::swap(chosen[i], chosen[i + random() % (chosen.size() - i)]);
  chosen.resize(sample.count);
  std::ranges::sort(chosen);
  std::vector<Candidate> kept;
  kept.reserve(chosen.size());
  for (const std::size_t at : chosen) kept.push_back(std::move(candidates[at]));
  candidates = std::move(kept);
}

std::vector<Shape> shapes_of(const SweepGrid& grid) {
  return grid.shapes.empty() ? std::vector<Shape>{grid.base.shape} : grid.shapes;
}

/// The shapes at which a configuration is valid; the reasons against the others go into the plan.
Candidate judged(const SweepGrid& grid, const ConfigurationGrid& configurations,
                 const std::vector<Shape>& shapes, std::vector<std::size_t> choices, SweepPlan& plan) {
  Candidate candidate;
  const Configuration configuration = configurations.at(choices);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string why = why_invalid(grid.kernel, configuration, shapes[i], grid.device);
    if (why.empty())
      candidate.shapes.push_back(i);
    else
      ++plan.left_out[why];
  }
  candidate.choices = std::move(choices);
  return candidate;
}

// Draws until it has as many as are wanted, each once: of a grid that is too large to be judged whole.
std::vector<Candidate> drawn(const SweepGrid& grid, const ConfigurationGrid& configurations,
                             const std::vector<Shape>& shapes, const std::function<bool()>& stop,
                             SweepPlan& plan) {
  const std::uint64_t most_draws = 100'000 + 20 * grid.sample->count;
  std::map<std::vector<std::size_t>, Candidate> found;  // in the order of the grid
  std::mt19937_64 random(grid.sample->seed);
  for (std::uint64_t draw = 0; found.size() < grid.sample->count; ++draw) {
    if (stop && stop()) break;
    if (draw == most_draws) {
      throw GridTooLarge(
          fmt::format("of {} configurations {} were drawn, and {} of them are valid: {} are wanted; sweep "
                      "fewer parameters or values",
                      configurations.size_text(), draw, found.size(), grid.sample->count));
    }
    std::vector<std::size_t> choices;
    for (const std::size_t count : configurations.counts())
      choices.push_back(static_cast<std::size_t>(random() % count));
    if (found.contains(choices)) continue;
    Candidate candidate = judged(grid, configurations, shapes, choices, plan);
    if (candidate.shapes.size() == shapes.size()) found.emplace(std::move(choices), std::move(candidate));
  }
  std::vector<Candidate> candidates;
  candidates.reserve(found.size());
  for (auto& [choices, candidate] : found) candidates.push_back(std::move(candidate));
  return candidates;
}

std::vector<Candidate> listed(const SweepGrid& grid, const ConfigurationGrid& configurations,
                              const std::vector<Shape>& shapes, const std::function<bool()>& stop,
                              SweepPlan& plan) {
  std::vector<Candidate> candidates;
  // A sample is for rows without gaps.
  const std::size_t least = grid.sample ? shapes.size() : 1;
  for (std::uint64_t place = 0; place < configurations.size(); ++place) {
    if (stop && stop()) break;
    Candidate candidate = judged(grid, configurations, shapes, configurations.choices_at(place), plan);
    if (candidate.shapes.size() >= least) candidates.push_back(std::move(candidate));
  }
  if (grid.sample) keep_sample(candidates, *grid.sample);
  return candidates;
}

// Checks the upper bound of the plan's points before the plan is listed.
void check_points(const SweepGrid& grid, const ConfigurationGrid& configurations, std::size_t shapes,
                  const SweepLimits& limits) {
  const std::uint64_t wanted = grid.sample
                                   ? std::min<std::uint64_t>(grid.sample->count, configurations.size())
                                   : configurations.size();
  if (saturating_product(wanted, shapes) <= limits.points) return;
  const std::string at_shapes = shapes == 1 ? "" : fmt::format(" at each of {} shapes", shapes);
  throw GridTooLarge(fmt::format(
      "{} configurations{}, and a sweep has at most {} points: sweep fewer parameters or values",
      grid.sample ? std::to_string(wanted) : configurations.size_text(), at_shapes, limits.points));
}

std::vector<Experiment> experiments_of(const SweepGrid& grid, const ConfigurationGrid& configurations,
                                       const std::vector<Shape>& shapes,
                                       const std::vector<Candidate>& candidates) {
  std::vector<Experiment> experiments;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const Candidate& candidate : candidates) {
      if (!std::ranges::binary_search(candidate.shapes, i)) continue;
      Experiment& experiment = experiments.emplace_back(grid.base);
      experiment.shape = shapes[i];
      experiment.parameters = configurations.at(candidate.choices);
    }
  }
  return experiments;
}

}  // namespace

std::size_t SweepGrid::size() const {
  return ConfigurationGrid(kernel, base.parameters, swept).size();
}

std::size_t SweepPlan::left_out_count() const {
  std::size_t count = 0;
  for (const auto& [reason, configurations] : left_out) count += configurations;
  return count;
}

std::string SweepPlan::left_out_text() const {
  if (left_out.empty()) return "";
  const std::size_t count = left_out_count();
  std::string text = fmt::format("Left out {} invalid configuration{}", count, count == 1 ? "" : "s");
  text += shapes > 1 ? fmt::format(", counted at each of {} shapes:", shapes) : ":";
  for (const auto& [reason, configurations] : left_out)
    text += fmt::format("\n  {} x {}", configurations, reason);
  return text;
}

SweepPlan plan_sweep(const SweepGrid& grid, const std::function<bool()>& stop, const SweepLimits& limits) {
  SweepPlan plan;
  const std::vector<Shape> shapes = shapes_of(grid);
  plan.shapes = shapes.size();
  const ConfigurationGrid configurations(grid.kernel, grid.base.parameters, grid.swept);
  check_points(grid, configurations, shapes.size(), limits);
  const bool is_drawn = grid.sample && configurations.size() > limits.judged;
  const std::vector<Candidate> candidates = is_drawn ? drawn(grid, configurations, shapes, stop, plan)
                                                     : listed(grid, configurations, shapes, stop, plan);
  plan.experiments = experiments_of(grid, configurations, shapes, candidates);
  return plan;
}

}  // namespace tilescope
