#include "app/widgets/plot_zoom.hpp"

#include <imgui.h>
#include <implot.h>

namespace tilescope {

ZoomWithCtrl::ZoomWithCtrl()
    : zoom_(ImPlot::GetInputMap().ZoomMod), override_(ImPlot::GetInputMap().OverrideMod) {
  ImPlot::GetInputMap().ZoomMod = ImGuiMod_Ctrl;
  // With Ctrl, plots otherwise take no input at all.
  ImPlot::GetInputMap().OverrideMod = ImGuiMod_Super;
}

ZoomWithCtrl::~ZoomWithCtrl() {
  ImPlot::GetInputMap().ZoomMod = zoom_;
  ImPlot::GetInputMap().OverrideMod = override_;
}

bool wants_all_points() {
  const bool is_hovered =
      ImPlot::IsPlotHovered() || ImPlot::IsAxisHovered(ImAxis_X1) || ImPlot::IsAxisHovered(ImAxis_Y1);
  return is_hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
}

}  // namespace tilescope
