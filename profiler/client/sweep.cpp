#include "profiler/client/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "profiler/catalogue/constraints.hpp"

namespace tilescope {
namespace {

/// A configuration, and the shapes at which it is valid.
struct Candidate {
  Configuration configuration;
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
Candidate judged(const SweepGrid& grid, const std::vector<Shape>& shapes, Configuration configuration,
                 SweepPlan& plan) {
  Candidate candidate;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string why = why_invalid(grid.kernel, configuration, shapes[i], grid.device);
    if (why.empty())
      candidate.shapes.push_back(i);
    else
      ++plan.left_out[why];
  }
  candidate.configuration = std::move(configuration);
  return candidate;
}

std::vector<Experiment> experiments_of(const SweepGrid& grid, const std::vector<Shape>& shapes,
                                       const std::vector<Candidate>& candidates) {
  std::vector<Experiment> experiments;
  experiments.reserve(shapes.size() * candidates.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const Candidate& candidate : candidates) {
      if (!std::ranges::binary_search(candidate.shapes, i)) continue;
      Experiment& experiment = experiments.emplace_back(grid.base);
      experiment.shape = shapes[i];
      experiment.parameters = candidate.configuration;
    }
  }
  return experiments;
}

}  // namespace

std::size_t SweepGrid::size() const {
  std::size_t size = 1;
  for (const auto& [name, values] : swept) {
    const ParameterDeclaration* declared = kernel.find_parameter(name);
    if (declared != nullptr) size *= values.empty() ? declared->values.size() : values.size();
  }
  return size;
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

SweepPlan plan_sweep(const SweepGrid& grid, const std::function<bool()>& stop) {
  SweepPlan plan;
  const std::vector<Shape> shapes = shapes_of(grid);
  plan.shapes = shapes.size();
  std::vector<Candidate> candidates;
  for (Configuration& configuration : expand_grid(grid.kernel, grid.base.parameters, grid.swept)) {
    if (stop && stop()) break;
    Candidate candidate = judged(grid, shapes, std::move(configuration), plan);
    // A sample is for rows without gaps.
    const std::size_t least = grid.sample ? shapes.size() : 1;
    if (candidate.shapes.size() >= least) candidates.push_back(std::move(candidate));
  }
  if (grid.sample) keep_sample(candidates, *grid.sample);
  plan.experiments = experiments_of(grid, shapes, candidates);
  return plan;
}

}  // namespace tilescope
