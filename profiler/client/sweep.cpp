#include "profiler/client/sweep.hpp"

#include <fmt/format.h>

#include "profiler/catalogue/constraints.hpp"

namespace tilescope {

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
  return plan;
}

}  // namespace tilescope
