#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sessions/source_file.hpp"

namespace tilescope {

/// Characters of a line in a table of a terminal or a report.
inline constexpr std::size_t columns_of_excerpt = 60;

/// The text of a source line without its indent, cut where it is longer than `columns`: the line of the header that inlined code is in
/// (`inlined_place`, "element.cuh:84"), else `line` of `file`, which is the kernel's own where it is "". "" where it is not
/// known.
std::string line_excerpt(const std::optional<SourceFile>& source, const std::string& file, std::int64_t line,
                         const std::string& inlined_place, std::size_t columns = columns_of_excerpt);

}  // namespace tilescope
