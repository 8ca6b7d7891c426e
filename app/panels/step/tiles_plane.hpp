#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>

#include "profiler/views/step/tiles_view.hpp"

namespace tilescope {

struct TilesPlaneAction {
  /// A cell, into TilesPlane::rows and keys.
  struct Cell {
    std::size_t row = 0, key = 0;
  };
  std::optional<Cell> clicked;
};

/// The plane S = Q K^T in the width of the panel, at most `height` [px] high where its cells stay legible: query tiles
/// down, key tiles across, the causal diagonal; the strips of Q at its left, of K above and of V below with what lies in
/// shared memory. Marks "plot.tiles", "tiles.cell.ROW.KEY", "tiles.now", and "tiles.held.I" of TilesView::held.
TilesPlaneAction draw_tiles_plane(const TilesView& view, float height);
/// Explains the states of the plane, in a line or more.
void draw_tiles_legend(const TilesView& view);

}  // namespace tilescope
