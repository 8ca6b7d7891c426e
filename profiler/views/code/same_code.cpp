#include "profiler/views/code/same_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

/// Parts of the launch that differ: "the grid and the threads", "" for none.
std::string launch_difference(const KernelDeclaration& kernel, const DeviceModel& device,
                              const CodeOfConfiguration& here, const CodeOfConfiguration& other) {
  if (kernel.is_launched_by_library()) return "";
  try {
    const LaunchGeometry a = launch_geometry(kernel, here.parameters, here.shape, device);
    const LaunchGeometry b = launch_geometry(kernel, other.parameters, other.shape, device);
    std::vector<std::string> parts;
    if (a.grid_x != b.grid_x || a.grid_y != b.grid_y || a.grid_z != b.grid_z) parts.emplace_back("the grid");
    if (a.threads != b.threads) parts.emplace_back("the threads per block");
    if (a.dynamic_shared_bytes != b.dynamic_shared_bytes) parts.emplace_back("the dynamic shared memory");
    return fmt::format("{}", fmt::join(parts, " and "));
  } catch (const std::exception&) {
    return "";  // a recorded point of an older declaration
  }
}

/// The names of parameters with another value.
std::vector<std::string> differing(const Configuration& a, const Configuration& b) {
  std::vector<std::string> names;
  for (const auto& [name, value] : a) {
    const auto found = b.find(name);
    if (found != b.end() && found->second != value) names.push_back(name);
  }
  return names;
}

bool may_be_compared(const KernelDeclaration& kernel, const DeviceModel& device,
                     const CodeOfConfiguration& here, const Measurement& point) {
  return point.resources && point.resources->sass_sha256 == here.sass_sha256 && point.kernel == kernel.name &&
         point.device.arch == device.arch && point.shape == here.shape;
}

}  // namespace

std::optional<SameCode> same_code(const KernelDeclaration& kernel, const DeviceModel& device,
                                  const CodeOfConfiguration& here, const CodeOfConfiguration& other) {
  if (here.sass_sha256.empty() || here.sass_sha256 != other.sass_sha256) return std::nullopt;
  std::vector<std::string> values;
  for (const std::string& name : differing(here.parameters, other.parameters))
    values.push_back(fmt::format("{} {} and {}", name, to_string(here.parameters.at(name)),
                                 to_string(other.parameters.at(name))));
  if (values.empty()) return std::nullopt;
  const bool is_one = values.size() == 1;
  const std::string launch = launch_difference(kernel, device, here, other);
  const std::string subject = is_one ? "This parameter" : "These parameters";
  const std::string codes = fmt::format("{} compile to the same machine code", fmt::join(values, ", "));
  if (!launch.empty())
    return SameCode{fmt::format("{} {} the launch alone", subject, is_one ? "changes" : "change"),
                    fmt::format("{}. The launch differs in {}.", codes, launch)};
  return SameCode{fmt::format("{} {} nothing here", subject, is_one ? "changes" : "change"), codes + "."};
}

std::optional<SameCode> find_same_code(const KernelDeclaration& kernel, const DeviceModel& device,
                                       const CodeOfConfiguration& here, const Measurement* compared,
                                       const std::vector<SharedMeasurement>& points) {
  if (here.sass_sha256.empty()) return std::nullopt;
  const auto judge = [&](const Measurement& point) {
    return same_code(kernel, device, here, {point.parameters, point.shape, point.resources->sass_sha256});
  };
  if (compared != nullptr && may_be_compared(kernel, device, here, *compared)) {
    if (auto same = judge(*compared)) return same;
  }
  const auto found = std::find_if(points.begin(), points.end(), [&](const auto& point) {
    return may_be_compared(kernel, device, here, *point) &&
           differing(here.parameters, point->parameters).size() == 1;
  });
  return found == points.end() ? std::nullopt : judge(**found);
}

}  // namespace tilescope
