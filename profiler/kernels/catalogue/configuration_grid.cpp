#include "profiler/kernels/catalogue/configuration_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilescope {

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

ConfigurationGrid::ConfigurationGrid(
    const KernelDeclaration& kernel, const Configuration& base,
    const std::vector<std::pair<std::string, std::vector<ParameterValue>>>& vary)
    : base_(kernel.complete(base)) {
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    const auto found =
        std::ranges::find_if(vary, [&](const auto& entry) { return entry.first == parameter.name; });
    if (found == vary.end()) continue;
    varied_.emplace_back(parameter.name, found->second.empty() ? parameter.values : found->second);
    counts_.push_back(varied_.back().second.size());
  }
}

std::uint64_t ConfigurationGrid::size() const {
  std::uint64_t size = 1;
  for (const std::size_t count : counts_) size = saturating_product(size, count);
  return size;
}

std::string ConfigurationGrid::size_text() const {
  constexpr double largest_exponent = std::numeric_limits<double>::max_exponent10;
  if (const std::uint64_t known = size(); known != std::numeric_limits<std::uint64_t>::max())
    return fmt::format("{}", known);
  double exponent = 0;
  for (const std::size_t count : counts_) exponent += std::log10(static_cast<double>(count));
  if (exponent >= largest_exponent) return fmt::format("about 10^{:.0f}", exponent);
  return fmt::format("about {:.1e}", std::pow(10.0, exponent));
}

Configuration ConfigurationGrid::at(std::span<const std::size_t> choices) const {
  Configuration configuration = base_;
  for (std::size_t i = 0; i < varied_.size(); ++i)
    configuration[varied_[i].first] = varied_[i].second[choices[i]];
  return configuration;
}

std::vector<std::size_t> ConfigurationGrid::choices_at(std::uint64_t place) const {
  std::vector<std::size_t> choices(counts_.size());
  for (std::size_t i = counts_.size(); i-- > 0;) {
    choices[i] = static_cast<std::size_t>(place % counts_[i]);
    place /= counts_[i];
  }
  return choices;
}

}  // namespace tilescope
