#include "app/panels/points/point_scope.hpp"

#include <imgui.h>

#include "app/gui/landmarks.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

std::vector<std::string> scope_options(const PointScope& scope) {
  return {scope.all_kernels ? "kernels all" : "kernels one", scope.all_shapes ? "shapes all" : "shapes one"};
}

void take_scope_option(PointScope& scope, const std::string& line) {
  if (line.starts_with("kernels ")) scope.all_kernels = line == "kernels all";
  if (line.starts_with("shapes ")) scope.all_shapes = line == "shapes all";
}

void draw_point_scope(PointScope& scope, const std::string& panel, const std::string& kernel) {
  ImGui::Checkbox("All kernels", &scope.all_kernels);
  landmark(panel + ".all_kernels");
  help_tooltip("Off: " + kernel + ", the kernel under the sliders, alone.");
  same_line_if_fits("All shapes xxx");
  ImGui::Checkbox("All shapes", &scope.all_shapes);
  landmark(panel + ".all_shapes");
  help_tooltip("Off: the shape under the sliders alone.");
}

}  // namespace tilescope
