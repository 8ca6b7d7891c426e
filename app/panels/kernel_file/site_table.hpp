#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

/// Accesses of one kind of memory, a row each, with the lines of the source. Returns the row that was clicked. Marks
/// "kernel_file.ID.I".
std::optional<std::size_t> draw_site_table(const char* id, const std::vector<FileSiteRow>& rows,
                                           bool is_shared);

}  // namespace tilescope
