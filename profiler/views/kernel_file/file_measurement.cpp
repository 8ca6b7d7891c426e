#include "profiler/views/kernel_file/file_measurement.hpp"

#include <algorithm>

namespace tilescope {
namespace {

// Without arguments of its template: those that constants give are parameters.
std::string short_name(const OpenedPoint& point) {
  const auto kernel = std::ranges::find(point.kernels, point.entry, &OpenedKernel::name);
  const std::string name = kernel == point.kernels.end() ? point.entry : kernel->demangled;
  const std::string whole = name.substr(0, name.find_first_of("<("));
  // A template's name comes with what it returns.
  return whole.substr(whole.find_last_of(' ') + 1);
}

}  // namespace

Measurement file_measurement(const OpenedPoint& point, const std::string& file,
                             const std::map<std::string, std::string>& chosen) {
  Measurement measurement = point;
  measurement.kernel = file;
  if (point.kernels.size() > 1) measurement.kernel += ":" + short_name(point);
  for (const auto& [name, value] : chosen) measurement.parameters.emplace(name, parameter_value_from(value));
  return measurement;
}

}  // namespace tilescope
