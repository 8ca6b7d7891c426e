#pragma once

#include "app/explorer/explorer.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

/// "Compare as A" and "Compare as B": the point becomes a side of the comparison. The second side opens it.
void draw_compare_buttons(Explorer& explorer, const OpenedFileView& view);

}  // namespace tilescope
