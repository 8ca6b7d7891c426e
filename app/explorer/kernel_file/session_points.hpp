#pragma once

#include <vector>

#include "app/explorer/board.hpp"
#include "profiler/service/requests/open_file.hpp"
#include "profiler/views/kernel_file/launch_rows.hpp"

namespace tilescope {

/// A point of the opened file, with the values that the user chose for it.
struct KeptPoint {
  const OpenedPoint& point;
  const ChosenValues& chosen;
};

/// Adds points of the opened file, which is shown, to the open session, with its source. Those that are there stay as they
/// are. A notice says how many came, and the newest of them becomes the shown point.
void add_to_session(Board& board, const std::vector<KeptPoint>& points);

}  // namespace tilescope
