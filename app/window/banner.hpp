#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// A line under the menu bar: a state of the window that concerns the user, shown until it ends or is closed.
struct BannerLine {
  std::string id;
  std::string text;
  std::string tooltip;
  /// The label of a button that does something about it, "" for none.
  std::string button;
  /// The label of the button that closes the line.
  std::string close;
};

/// The line whose button was pressed in this frame, by its id; "" for none.
struct BannerAction {
  std::string pressed;
  std::string closed;
};

/// Takes its height from the main viewport; to be called before the dock space is submitted.
BannerAction draw_banner(const std::vector<BannerLine>& lines);

}  // namespace tilescope
