#include "app/widgets/followed_axis.hpp"

namespace tilescope {

namespace {

bool is_same(const ImPlotRange& a, const ImPlotRange& b) {
  return a.Min == b.Min && a.Max == b.Max;
}

}  // namespace

ImPlotCond FollowedAxis::follow(const Limits& lasting, const Limits& now) {
  was_set_ = starts_over_ || lasting != lasting_ || (now != now_ && !is_zoomed_);
  starts_over_ = false;
  lasting_ = lasting;
  now_ = now;
  return was_set_ ? ImPlotCond_Always : ImPlotCond_Once;
}

void FollowedAxis::look() {
  const ImPlotRect limits = ImPlot::GetPlotLimits();
  if (was_set_) set_ = limits;
  is_zoomed_ = !is_same(limits.X, set_.X) || !is_same(limits.Y, set_.Y);
}

}  // namespace tilescope
