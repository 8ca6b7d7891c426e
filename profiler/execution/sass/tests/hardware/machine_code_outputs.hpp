#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

/// How a GPU's outputs are stored.
namespace tilescope::hardware {

/// The regions' bytes in the form of keep_region (profiler/execution/ptx/tests/hardware/recorded_outputs.hpp), and the hash of each
/// region's bytes as they are, "bits_sha256". `buffers` are all of the launch's after it.
Json keep_outputs(const Case& launch, const std::vector<std::vector<std::byte>>& buffers);

/// The hash that keep_outputs stores as "bits_sha256".
std::string bits_sha256(const Region& region, const std::vector<std::vector<std::byte>>& buffers);

/// The document as text, with a line for each member of its object `member`.
std::string one_line_each(const Json& document, const std::string& member);

}  // namespace tilescope::hardware
