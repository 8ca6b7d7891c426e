#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profiler/ptx/tests/hardware/compare_outputs.hpp"
#include "sessions/json.hpp"

/// What a GPU's outputs are kept as: of a region that must be equal the hash of all of it, of any region some elements.
namespace tilescope::hardware {

/// The hash of what the PTX executes: without comments, line information and the paths in it.
std::string code_sha256(const std::string& ptx);

/// Which elements of a region are kept: all of a small one, else about `most`, spread over it.
std::vector<std::size_t> kept_elements(std::size_t count, std::size_t most);

/// {"name", "sha256" or null, "kept", "values" in hexadecimal} of a region's bytes.
Json keep_region(const Region& region, std::span<const std::byte> bytes);

/// The interpreter's region against a kept one. Throws std::runtime_error when the kept one is of another shape.
RegionComparison compare_with_kept(const Region& region, std::span<const std::byte> here, const Json& kept);

/// The bytes of a region among a case's buffers.
std::span<const std::byte> bytes_of_region(const Region& region,
                                           const std::vector<std::vector<std::byte>>& buffers);

}  // namespace tilescope::hardware
