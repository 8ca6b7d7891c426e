#pragma once

#include <functional>

namespace tilescope {

/// A panel in two parts that scroll on their own. The lower one stands directly below the upper one, or at the foot of
/// the panel where there is no room for both; it is as high as its content, up to a share of the panel. Nothing in the
/// upper part moves when the lower one grows or goes. In a low panel the two follow each other and scroll together.
class SplitPanel {
 public:
  void draw(const std::function<void()>& upper, const std::function<void()>& lower);

 private:
  /// [px] Heights of the contents in the last frame.
  float upper_ = 0;
  float lower_ = 0;
};

}  // namespace tilescope
