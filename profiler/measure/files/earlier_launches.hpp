#pragma once

#include <string>
#include <vector>

#include "profiler/measure/files/launch_file.hpp"

/// "before" of a launch: kernels of the file that are launched before it, in this order, on the same buffers. The launch
/// begins with what they leave in them:
///   "before": [{"entry": "partial_sums", "grid": [64, 1, 1], "block": [256, 1, 1], "dynamic_shared_bytes": 0,
///               "arguments": [{"type": "address", "of": "x"}, {"type": "address", "of": "sums"}]}]
namespace tilescope {

struct EarlierLaunch {
  std::string entry;
  /// The launch document of that kernel, with the buffers of the launch.
  std::string document;
};

/// Empty where the launch document has no "before". Throws LaunchFileError.
std::vector<EarlierLaunch> earlier_launches(const std::string& launch_document);

}  // namespace tilescope
