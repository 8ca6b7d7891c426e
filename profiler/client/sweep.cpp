#include "profiler/client/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "profiler/catalogue/constraints.hpp"

namespace tilescope {
namespace {

// Keeps a random choice, in the old order. Shuffled by hand: std::shuffle may draw differently in another library.
void keep_sample(std::vector<Experiment>& experiments, const SweepSample& sample) {
  if (sample.count >= experiments.size()) return;
  std::vector<std::size_t> chosen(experiments.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::mt19937_64 random(sample.seed);
  for (std::size_t i = 0; i < sample.count; ++i)
    std::swap(chosen[i], chosen[i + random() % (chosen.size() - i)]);
  chosen.resize(sample.count);
  std::ranges::sort(chosen);
  std::vector<Experiment> kept;
  kept.reserve(chosen.size());
  for (const std::size_t at : chosen) kept.push_back(std::move(experiments[at]));
  experiments = std::move(kept);
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
  std::string text = fmt::format("Left out {} invalid configuration{}:", count, count == 1 ? "" : "s");
  for (const auto& [reason, configurations] : left_out)
    text += fmt::format("\n  {} x {}", configurations, reason);
  return text;
}

SweepPlan plan_sweep(const SweepGrid& grid, const std::function<bool()>& stop) {
  SweepPlan plan;
  for (Configuration& configuration : expand_grid(grid.kernel, grid.base.parameters, grid.swept)) {
    if (stop && stop()) break;
    const std::string why = why_invalid(grid.kernel, configuration, grid.base.shape, grid.device);
    if (!why.empty()) {
      ++plan.left_out[why];
      continue;
    }
    plan.experiments.push_back(grid.base);
    plan.experiments.back().parameters = std::move(configuration);
  }
  if (grid.sample) keep_sample(plan.experiments, *grid.sample);
  return plan;
}

}  // namespace tilescope
