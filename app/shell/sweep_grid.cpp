#include "app/shell/sweep_grid.hpp"

#include <algorithm>

#include "profiler/catalogue/constraints.hpp"

namespace tilescope {

namespace {

bool is_valid(const SweepGrid& grid, const Configuration& configuration) {
  try {
    return why_invalid(grid.kernel, configuration, grid.base.shape, grid.device).empty();
  } catch (const DeclarationError&) {
    return false;  // An expression that cannot be evaluated: said with the configuration under the sliders.
  }
}

}  // namespace

std::size_t size_of(const SweepGrid& grid) {
  std::size_t size = 1;
  for (const auto& [name, values] : grid.swept) {
    const ParameterDeclaration* declared = grid.kernel.find_parameter(name);
    if (declared != nullptr) size *= values.empty() ? declared->values.size() : values.size();
  }
  return size;
}

std::vector<Experiment> valid_experiments(const SweepGrid& grid, const std::atomic<bool>& stop) {
  std::vector<Experiment> experiments;
  for (Configuration& configuration : expand_grid(grid.kernel, grid.base.parameters, grid.swept)) {
    if (stop) break;
    if (!is_valid(grid, configuration)) continue;
    experiments.push_back(grid.base);
    experiments.back().parameters = std::move(configuration);
  }
  return experiments;
}

}  // namespace tilescope
