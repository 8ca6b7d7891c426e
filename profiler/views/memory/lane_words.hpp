#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/views/memory/microscope.hpp"

/// Words for the sentences on an access.
namespace tilescope {

/// "1,024 B"
std::string bytes_words(std::uint64_t bytes);
/// The distance that all neighbours in a list have, if it is one.
std::optional<std::int64_t> common_step(const std::vector<std::int64_t>& values);
/// [B] Addresses of these lanes.
std::vector<std::int64_t> lane_addresses(const MicroscopeView& view, const std::vector<std::int64_t>& lanes);
/// "rows 0 to 7, column 0 of K", "bytes 0, 128, 256 ... 896 of shared memory": where these lanes access.
std::string places_words(const MicroscopeView& view, const std::vector<std::int64_t>& lanes);

}  // namespace tilescope
