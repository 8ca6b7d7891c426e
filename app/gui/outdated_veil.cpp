#include "app/gui/outdated_veil.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"

namespace tilescope {
namespace {

constexpr float opacity = 0.6F;

void draw_note(const std::string& note) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const ImVec2 text = ImGui::CalcTextSize(note.c_str()), corner = ImGui::GetWindowPos(),
               size = ImGui::GetWindowSize();
  const ImVec2 padding = style.FramePadding;
  const ImVec2 from(corner.x + (size.x - text.x) / 2 - padding.x, corner.y + style.WindowPadding.y);
  const ImVec2 to(from.x + text.x + 2 * padding.x, from.y + text.y + 2 * padding.y);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, to, ImGui::GetColorU32(palette().raised), style.FrameRounding);
  list.AddRect(from, to, ImGui::GetColorU32(palette().outline), style.FrameRounding);
  list.AddText({from.x + padding.x, from.y + padding.y}, ImGui::GetColorU32(palette().text), note.c_str());
}

}  // namespace

void draw_outdated_veil(const std::string& note) {
  const ImGuiWindow& window = *ImGui::GetCurrentWindow();
  const ImRect inside = window.InnerRect;
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImVec4 color = palette().surface;
  color.w = opacity;
  ImGui::SetCursorScreenPos(inside.Min);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, ImVec4());
  // A child window: what the panel drew in children of its own lies above its own shapes.
  ImGui::BeginChild(
      "outdated", inside.GetSize(), ImGuiChildFlags_None,
      ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  // Its background would be drawn into the parent's list, below the texts of the panel's children.
  ImGui::GetWindowDrawList()->AddRectFilled(inside.Min, inside.Max, ImGui::GetColorU32(color));
  draw_note(note);
  ImGui::EndChild();
  landmark("outdated");
  ImGui::SetCursorScreenPos(cursor);
  ImGui::Dummy({0, 0});  // ImGui wants an item after a cursor that was moved
}

}  // namespace tilescope
