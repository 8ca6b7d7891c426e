#pragma once

namespace tilescope {

/// Until the end of the scope plots zoom with Ctrl and the wheel, for those in a panel that is scrolled: the wheel alone
/// scrolls it. Around BeginPlot and EndPlot.
class ZoomWithCtrl {
 public:
  ZoomWithCtrl();
  ~ZoomWithCtrl();
  ZoomWithCtrl(const ZoomWithCtrl&) = delete;
  ZoomWithCtrl& operator=(const ZoomWithCtrl&) = delete;

 private:
  int zoom_;
  int override_;
};

/// Whether the plot or one of its axes was double-clicked: it is to show all points, with the limits that it had first.
/// ImPlot's own fit adds a margin that is linear also on logarithmic axes, where it reaches below 0. After SetupFinish.
bool wants_all_points();

}  // namespace tilescope
