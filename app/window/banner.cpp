#include "app/window/banner.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"

namespace tilescope {

namespace {

float button_width(const std::string& label) {
  return label.empty() ? 0 : ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
}

/// The text ends before the buttons, with an ellipsis where it must.
void draw_text(const BannerLine& line, float right) {
  ImGui::AlignTextToFramePadding();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(line.text.c_str());
  const float end = ImGui::GetWindowPos().x + right;
  ImGui::Dummy({std::min(size.x, end - from.x), ImGui::GetFrameHeight()});
  landmark("banner." + line.id);
  if (!line.tooltip.empty()) ImGui::SetItemTooltip("%s", line.tooltip.c_str());
  const float y = from.y + ImGui::GetStyle().FramePadding.y;
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), {from.x, y}, {end, y + size.y}, end,
                            line.text.c_str(), nullptr, &size);
}

}  // namespace

BannerAction draw_banner(const std::vector<BannerLine>& lines) {
  BannerAction action;
  if (lines.empty()) return action;
  const float scale = ui_scale();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().accent_soft);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * scale, 2 * scale});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * scale, 4 * scale});
  const ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoDocking;
  const float height = (ImGui::GetFrameHeight() + 4 * scale) * static_cast<float>(lines.size());
  if (ImGui::BeginViewportSideBar("##banner", ImGui::GetMainViewport(), ImGuiDir_Up, height, flags)) {
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    for (const BannerLine& line : lines) {
      ImGui::PushID(line.id.c_str());
      const float close =
          ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x - button_width(line.close);
      const float button = line.button.empty() ? close : close - spacing - button_width(line.button);
      draw_text(line, button - spacing);
      if (!line.button.empty()) {
        ImGui::SameLine(button);
        if (ImGui::Button(line.button.c_str())) action.pressed = line.id;
        landmark("banner.button." + line.id);
      }
      ImGui::SameLine(close);
      if (ImGui::Button(line.close.c_str())) action.closed = line.id;
      landmark("banner.close." + line.id);
      ImGui::PopID();
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(4);
  ImGui::PopStyleColor();
  return action;
}

}  // namespace tilescope
