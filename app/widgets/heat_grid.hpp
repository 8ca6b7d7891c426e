#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sessions/views/heat_map.hpp"

namespace tilescope {

/// What the grid of a heat map shows.
struct HeatGrid {
  const HeatMapView& view;
  std::optional<std::size_t> current;  ///< The cell of the configuration under the sliders.
  std::string value;                   ///< What the colours stand for, with its unit.
  bool bright_is_small = false;        ///< The better end is the bright one.
};

struct HeatGridAction {
  std::optional<std::size_t> hovered;  ///< Into HeatMapView::cells.
  bool clicked = false;
};

/// Fills what is left of the panel: the cells with their values, the axes' labels, and a scale of the
/// colours. Illegal cells are hatched, failed ones red, empty ones frames, the best has a star, the current
/// one a frame.
HeatGridAction heat_grid(const HeatGrid& grid);

}  // namespace tilescope
