#pragma once

#include <cstddef>
#include <optional>

#include "profiler/views/layout_table.hpp"

namespace tilescope {

struct LayoutRowsAction {
  /// Into LayoutTable::rows.
  std::optional<std::size_t> clicked;
};

/// The ranked layouts as a table, `height` pixels high or less; `selected` is into its rows.
LayoutRowsAction draw_layout_rows(const LayoutTable& table, std::size_t selected, float height);

}  // namespace tilescope
