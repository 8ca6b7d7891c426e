#include "app/widgets/line_link.hpp"

#include <imgui_internal.h>

#include <algorithm>

#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// Below each line of a wrapped text.
void underline(const std::string& text, ImVec2 corner, float wrap_width, const ImVec4& color) {
  ImFont& font = *ImGui::GetFont();
  const char* at = text.data();
  const char* const end = at + text.size();
  float y = corner.y;
  while (at < end) {
    const char* line_end = font.CalcWordWrapPosition(ImGui::GetFontSize(), at, end, wrap_width);
    line_end = std::max(line_end, at + 1);
    const float width = ImGui::CalcTextSize(at, line_end).x;
    y += ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddLine({corner.x, y - 1}, {corner.x + width, y - 1}, to_u32(color),
                                        std::max(1.0F, ui_scale()));
    at = line_end;
    while (at < end && *at == ' ') ++at;
  }
}

}  // namespace

bool line_link(const std::string& id, const std::string& text, const ImVec4& color, float wrap_width) {
  if (text.empty()) return false;
  const float wrap = std::max(wrap_width > 0 ? wrap_width : ImGui::GetContentRegionAvail().x, em() * 2);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap);
  const bool pressed = ImGui::InvisibleButton(id.c_str(), size, ImGuiButtonFlags_EnableNav);
  const bool is_active = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const ImVec4& shown = is_active ? palette().accent : color;
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), corner, to_u32(shown),
                                      text.data(), text.data() + text.size(), wrap);
  if (is_active) underline(text, corner, wrap, shown);
  return pressed;
}

bool line_link_in_one_line(const std::string& id, const std::string& text, const ImVec4& color) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = std::max(ImGui::GetContentRegionAvail().x, em() * 2);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float width = std::min(size.x, room);
  const bool pressed = ImGui::InvisibleButton(id.c_str(), {width, size.y}, ImGuiButtonFlags_EnableNav);
  const bool is_active = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (size.x > room) help_tooltip(text);
  const ImVec4& shown = is_active ? palette().accent : color;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImGui::PushStyleColor(ImGuiCol_Text, shown);
  ImGui::RenderTextEllipsis(&draw, corner, {corner.x + room, corner.y + size.y}, corner.x + room,
                            text.c_str(), nullptr, &size);
  ImGui::PopStyleColor();
  const float bottom = corner.y + size.y - 1;
  if (is_active)
    draw.AddLine({corner.x, bottom}, {corner.x + width, bottom}, to_u32(shown), std::max(1.0F, ui_scale()));
  return pressed;
}

}  // namespace tilescope
