#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string>

#include "sessions/views/points/heat_map.hpp"

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
  /// The cell of a point that is being made, and what is known of its value; "" for nothing. It has no colour.
  std::optional<std::size_t> provisional{};
  std::string provisional_text{};
  /// The values are predictions: each has the hollow mark that they have in plots, with a key below the scale.
  bool is_predicted = false;
};

struct HeatGridAction {
  /// Into HeatMapView::cells.
  std::optional<std::size_t> hovered;
  bool clicked = false;
};

/// Fills the rest of the panel: the cells with their values, the axes' labels, and a colour scale. Invalid cells are
/// hatched, failed ones red, empty ones only outlined; the first one says "best" or "lowest", the current one has a
/// dark and a light ring, a provisional one a hollow mark, which has a key below the scale. Marks "heat_map.provisional",
/// "heat_map.provisional_key", "heat_map.predicted_key", "plot.heat_map", "heat_map.cell.COLUMN.ROW", "heat_map.current" and "heat_map.scale".
HeatGridAction heat_grid(const HeatGrid& grid);

}  // namespace tilescope
