#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/execution/ptx/tests/hardware/compare_outputs.hpp"

/// How a GPU's outputs are stored: some elements of each region, and a hash of a whole region that must be equal.
namespace tilescope::hardware {

/// A hash of the code in the PTX, without comments, line information and paths.
std::string code_sha256(const std::string& ptx);

/// The elements of a region that are stored: all of a small one, else about `most`, evenly spread.
std::vector<std::size_t> kept_elements(std::size_t count, std::size_t most);

/// {"name", "sha256" or null, "kept", "values" in hexadecimal} for a region's bytes.
Json keep_region(const Region& region, std::span<const std::byte> bytes);

/// Compares the interpreter's region with a stored one. Throws std::runtime_error when their shapes differ.
RegionComparison compare_with_kept(const Region& region, std::span<const std::byte> here, const Json& kept);

/// The bytes of a region among a case's buffers.
std::span<const std::byte> bytes_of_region(const Region& region,
                                           const std::vector<std::vector<std::byte>>& buffers);

}  // namespace tilescope::hardware
