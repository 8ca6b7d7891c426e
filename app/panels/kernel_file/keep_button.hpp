#pragma once

#include "app/explorer/explorer.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

/// A button beside the last item that adds the shown point to the open session. Marks "kernel_file.keep".
void draw_keep_button(Explorer& explorer, const OpenedFileView& view);

}  // namespace tilescope
