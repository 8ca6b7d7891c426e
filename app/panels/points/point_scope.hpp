#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// Whether a panel shows points of all kernels and shapes, or those under the sliders alone.
struct PointScope {
  bool all_kernels = true;
  bool all_shapes = true;

  bool operator==(const PointScope&) const = default;
};

/// As lines that Panel::options() keeps.
std::vector<std::string> scope_options(const PointScope& scope);
void take_scope_option(PointScope& scope, const std::string& line);

/// Two checkboxes on one line if they fit. `panel` is the first word of their landmarks, `kernel` the one under the
/// sliders.
void draw_point_scope(PointScope& scope, const std::string& panel, const std::string& kernel);

}  // namespace tilescope
