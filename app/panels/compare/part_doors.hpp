#pragma once

#include <cstdint>
#include <string>

#include "app/explorer/explorer.hpp"
#include "sessions/compare/waterfall.hpp"

namespace tilescope {

/// Where a bar of the difference leads: the panel that shows what it stands for.
struct PartDoor {
  /// The panel's id, and its title for the tooltip.
  std::string panel, title;
  /// Whether it shows a line of the source.
  bool shows_line = false;
};
PartDoor door_of(const WaterfallBar& bar);
/// A side that is a kernel of a file has no sliders and no block of its own to show: its lines are in Code diff.
PartDoor door_of(const Explorer& explorer, const WaterfallBar& bar);

/// "Click to open Microscope at line 84 of A." of a bar that has a line, else without it.
std::string door_hint(const PartDoor& door, const WaterfallBar& bar, Side side);

/// The side that spends more on the bar: what the panel shows is then there.
Side side_of(const WaterfallBar& bar);

/// Brings that side under the sliders and opens the panel.
void open_door(Explorer& explorer, const WaterfallBar& bar);
/// Shows a line of a side's source in the panel Source, or in Code diff where the side is a kernel of a file.
void open_line(Explorer& explorer, Side side, std::int64_t line);

}  // namespace tilescope
