#pragma once

#include <implot.h>

namespace tilescope {

/// The limits of a plot's vertical axis: they follow the range of the points, and until the user zooms also the range
/// of what is drawn for a moment.
class FollowedAxis {
 public:
  struct Limits {
    double low = 0;
    double high = 1;

    bool operator==(const Limits&) const = default;
  };

  /// The next follow() sets the limits whatever the user did: the axes are others, or the zoom is reset.
  void start_over() { starts_over_ = true; }
  /// Whether the limits are to be set or to stay as the user left them, for both axes. `lasting` is of the points,
  /// `now` of all that is drawn, at least as wide. Between BeginPlot and SetupFinish.
  ImPlotCond follow(const Limits& lasting, const Limits& now);
  /// After SetupFinish: looks whether the user has zoomed or moved the plot.
  void look();

 private:
  bool starts_over_ = true;
  bool was_set_ = false;
  bool is_zoomed_ = false;
  Limits lasting_;
  Limits now_;
  /// As the plot took them.
  ImPlotRect set_;
};

}  // namespace tilescope
