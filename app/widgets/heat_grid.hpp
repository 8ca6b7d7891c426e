#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sessions/views/heat_map.hpp"

namespace tilescope {

/// The contents of a heat map's grid.
struct HeatGrid {
  const HeatMapView& view;
  /// The cell of the chosen configuration.
  std::optional<std::size_t> current;
  /// The quantity that the colours show, with its unit.
  std::string value;
  /// Bright colours are small values, which are better.
  bool bright_is_small = false;
};

struct HeatGridAction {
  /// Into HeatMapView::cells.
  std::optional<std::size_t> hovered;
  bool clicked = false;
};

/// Fills the rest of the panel: the cells with their values, the axes' labels, and a colour scale. Invalid cells are
/// hatched, failed ones red, empty ones only outlined; the best cell has a star, the current one a frame.
HeatGridAction heat_grid(const HeatGrid& grid);

}  // namespace tilescope
