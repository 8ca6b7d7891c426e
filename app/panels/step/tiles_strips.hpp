#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <string>

#include "profiler/views/step/tiles_view.hpp"

namespace tilescope {

/// [px] Thickness of the strips beside the plane.
float strip_thickness();

/// The rows of one tensor along an edge of the plane.
struct TileStrip {
  std::string tensor;
  ImVec2 min, max;
  bool is_vertical = false;
  /// The screen's place of a row of the tensor, along the strip.
  std::function<float(std::int64_t)> length;
};

/// The ranges of it that lie in shared memory, each with its stage; part of a tile has a hollow bar. A tooltip says which
/// tile it is.
void draw_tile_strip(ImDrawList& draw, const TilesView& view, const TileStrip& strip);

/// Draws the contents of the tiles of shared memory, a line each. Marks "tiles.line.I" of TilesView::lines.
void draw_held_lines(const TilesView& view);

}  // namespace tilescope
