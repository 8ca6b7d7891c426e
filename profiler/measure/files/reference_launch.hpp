#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/value_comparison.hpp"

/// "reference" of a launch: another kernel of the file, launched on the same buffers as they are before the launch. What
/// it leaves in them, the kernel should leave in them, too:
///   "reference": {"entry": "gemm_naive", "grid": [8, 8, 1], "block": [16, 16, 1], "dynamic_shared_bytes": 0,
///                 "arguments": [{"type": "address", "of": "A"}, {"type": "s32", "value": 64}],
///                 "buffers": ["C"], "tolerance": 1e-3}
/// "buffers": those that are compared; all that it writes where that is left out. "tolerance": see
/// reference_tolerance().
namespace tilescope {

struct ReferenceLaunch {
  std::string entry;
  /// The launch document of that kernel, with the buffers of the launch.
  std::string document;
  /// Names of the buffers to compare; empty for all that it writes.
  std::vector<std::string> buffers;
  /// In place of reference_tolerance().
  std::optional<double> tolerance;
};

/// None where the launch document has no "reference". Throws LaunchFileError.
std::optional<ReferenceLaunch> reference_launch(const std::string& launch_document);

/// How far two kernels may differ that both round: relative to a value, and to the root mean square of all values of its
/// buffer, since a sum of products that nearly cancel has the error of its terms. 1e-4 for f32, 1e-10 for f64, 1e-2 for
/// f16, 5e-2 for bf16 and smaller formats; 0 for whole numbers.
double reference_tolerance(const Element& element);

/// That tolerance, or `relative` in its place, for the values of a buffer, of which only finite ones count. `only`: by
/// element, those that count; empty for all.
Tolerance reference_tolerance(const TypedContents& values, std::optional<double> relative = std::nullopt,
                              const std::vector<bool>& only = {});

}  // namespace tilescope
