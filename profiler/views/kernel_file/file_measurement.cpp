#include "profiler/views/kernel_file/file_measurement.hpp"
#include "profiler/execution/ptx/text/function_name.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "profiler/service/requests/earlier_kernels.hpp"

namespace tilescope {
namespace {

std::string short_name(const OpenedPoint& point) {
  const auto kernel = std::ranges::find(point.kernels, point.entry, &OpenedKernel::name);
  return short_kernel_name(kernel == point.kernels.end() ? point.entry : kernel->demangled);
}

// An expected result, and kernels that are launched before, are not parameters of the point.
bool is_parameter(const std::string& name) {
  return !name.ends_with(": expected") && !name.starts_with("reference ") && !is_on_earlier_kernel(name);
}

// A value that one names and the other does not is an argument of both, or a part of the launch that shows in what was counted.
bool may_be_unnamed(const std::string& name, const Measurement& point) {
  constexpr std::array<std::string_view, 3> launch = {"block", "grid", "shared"};
  return point.arguments->contains(name) || std::ranges::find(launch, name) != launch.end();
}

bool agree_with(const Measurement& a, const Measurement& b) {
  return std::ranges::all_of(a.parameters, [&](const auto& parameter) {
    const auto other = b.parameters.find(parameter.first);
    return other == b.parameters.end() ? may_be_unnamed(parameter.first, b)
                                       : other->second == parameter.second;
  });
}

bool have_equal_figures(const Measurement& a, const Measurement& b) {
  return a.status == b.status && a.reason == b.reason && a.resources == b.resources &&
         a.occupancy == b.occupancy && a.error == b.error && a.latency == b.latency &&
         a.prediction == b.prediction && a.memory == b.memory && a.findings == b.findings;
}

}  // namespace

bool is_same_point_of_file(const Measurement& a, const Measurement& b) {
  if (!a.arguments || a.arguments != b.arguments || a.kernel != b.kernel || a.device != b.device)
    return false;
  return a.provenance.source_sha256 == b.provenance.source_sha256 &&
         a.provenance.compile_options == b.provenance.compile_options && agree_with(a, b) &&
         agree_with(b, a) && have_equal_figures(a, b);
}

std::string short_kernel_name(const std::string& demangled) {
  const std::string written = ptx::without_unnamed_namespaces(demangled);
  const std::string whole = written.substr(0, written.find_first_of("<("));
  // A template's name comes with what it returns.
  return whole.substr(whole.find_last_of(' ') + 1);
}

Measurement file_measurement(const OpenedPoint& point, const std::string& file,
                             const std::map<std::string, std::string>& chosen) {
  Measurement measurement = point;
  measurement.kernel = file;
  if (point.kernels.size() > 1) measurement.kernel += ":" + short_name(point);
  for (const auto& [name, value] : chosen)
    if (is_parameter(name)) measurement.parameters.emplace(name, parameter_value_from(value));
  return measurement;
}

}  // namespace tilescope
