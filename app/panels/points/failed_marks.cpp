#include "app/panels/points/failed_marks.hpp"

#include <cmath>

#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

float failed_y() {
  return ImPlot::GetPlotPos().y + ImPlot::GetPlotSize().y - em() * 0.7F;
}

}  // namespace

MarkStyle failed_style(bool older_source) {
  return {ImPlotMarker_Cross, older_source ? palette().muted : palette().error, true, false};
}

void draw_failed(const std::vector<FailedDot>& dots) {
  ImPlot::PushPlotClipRect();
  ImDrawList& draw = *ImPlot::GetPlotDrawList();
  const float arm = em() * 0.25F;
  const float y = failed_y();
  for (const FailedDot& dot : dots) {
    const float x = ImPlot::PlotToPixels(dot.x, 1).x;
    const ImU32 color = to_u32(failed_style(dot.older_source).color);
    draw.AddLine({x - arm, y - arm}, {x + arm, y + arm}, color, 1.5F * ui_scale());
    draw.AddLine({x - arm, y + arm}, {x + arm, y - arm}, color, 1.5F * ui_scale());
  }
  ImPlot::PopPlotClipRect();
}

std::optional<std::uint32_t> find_failed_under_mouse(const std::vector<FailedDot>& dots, float radius) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (std::abs(mouse.y - failed_y()) > radius) return std::nullopt;
  for (const FailedDot& dot : dots) {
    if (std::abs(ImPlot::PlotToPixels(dot.x, 1).x - mouse.x) < radius) return dot.entry;
  }
  return std::nullopt;
}

}  // namespace tilescope
