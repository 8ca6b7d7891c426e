#pragma once

#include <cstddef>
#include <optional>

#include "profiler/views/memory/layout_table.hpp"

namespace tilescope {

struct LayoutRowsAction {
  /// Into LayoutTable::rows.
  std::optional<std::size_t> clicked;
};

/// The ranked layouts as a table, `height` pixels high or less; `selected` is into its rows, and is brought into view
/// with `scroll_there`.
LayoutRowsAction draw_layout_rows(const LayoutTable& table, std::size_t selected, bool scroll_there,
                                  float height);

}  // namespace tilescope
