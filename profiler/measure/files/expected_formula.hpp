#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {

/// The arrays and numbers of a launch, by name, before it. Each array is read once.
class NamesOfLaunch {
 public:
  explicit NamesOfLaunch(const LaunchFile& launch) : launch_(launch) {}

  /// See FormulaNames.
  SharedArray operator()(const std::string& name);

 private:
  const LaunchFile& launch_;
  std::map<std::string, SharedArray> known_;
};

/// Values of a formula for a buffer. The shape is empty where the formula gives none of the whole buffer.
struct FormulaValues {
  ExpectedValues values;
  std::vector<std::uint64_t> shape;
};

/// Throws FormulaError where it does not fit the buffer or cannot be computed, and FormulaCancelled.
FormulaValues values_of(const std::shared_ptr<const Formula>& formula, const LaunchBuffer& buffer,
                        NamesOfLaunch& names, const std::function<bool()>& cancelled);

/// Computes ExpectedValues::formula of each buffer that has one, from the buffers as they are before the launch, and fills
/// its values, scales and count; the buffer gets the shape that the formula gives it. `cancelled` is asked from time to
/// time. Throws LaunchFileError with the buffer, and FormulaCancelled.
void compute_formulas(LaunchFile& launch, const std::function<bool()>& cancelled);

}  // namespace tilescope
