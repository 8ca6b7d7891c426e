#include "profiler/views/kernel_file/file_measurement.hpp"

#include <algorithm>

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

}  // namespace

std::string short_kernel_name(const std::string& demangled) {
  const std::string whole = demangled.substr(0, demangled.find_first_of("<("));
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
