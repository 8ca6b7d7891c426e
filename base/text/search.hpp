#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The first occurrence in a line from a place on, upper and lower case alike; npos for none and for an empty text.
std::size_t find_in_line(std::string_view line, std::string_view text, std::size_t from = 0);

/// Where a text occurs in lines: their numbers from 0, ascending, a line once for each occurrence. Nothing for an empty
/// text.
std::vector<std::uint32_t> find_rows(const std::vector<std::string>& lines, std::string_view text);

}  // namespace tilescope
