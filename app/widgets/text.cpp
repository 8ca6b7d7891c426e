#include "app/widgets/text.hpp"

#include <imgui_internal.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "base/text/cut_text.hpp"

namespace tilescope {

namespace {

constexpr float tooltip_width_em = 32;

float wrapped_width(const std::string& text, float wrap) {
  return ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap).x;
}

void centred_text(ImVec4 color, const std::string& text, float left, float width) {
  const float text_width = std::min(width, wrapped_width(text, width));
  ImGui::SetCursorPosX(left + (width - text_width) / 2);
  ImGui::PushTextWrapPos(left + (width + text_width) / 2 + 1);
  text_colored(color, text);
  ImGui::PopTextWrapPos();
}

}  // namespace

MonoText::MonoText() {
  ImGui::PushFont(fonts().mono, 0);
}

MonoText::~MonoText() {
  ImGui::PopFont();
}

float em() {
  return ImGui::GetFontSize();
}

void text_colored(ImVec4 color, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopStyleColor();
}

void text_muted(const std::string& text) {
  text_colored(palette().muted, text);
}

void text_wrapped(ImVec4 color, const std::string& text) {
  ImGui::PushTextWrapPos(0);
  text_colored(color, text);
  ImGui::PopTextWrapPos();
}

bool text_in_one_line(ImVec4 color, const std::string& text) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float right = corner.x + ImGui::GetContentRegionAvail().x;
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  ImGui::Dummy({right - corner.x, size.y});
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), corner, {right, corner.y + size.y}, right,
                            text.c_str(), nullptr, &size);
  ImGui::PopStyleColor();
  return size.x <= right - corner.x;
}

bool text_cut_in_the_middle(ImVec4 color, const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x;
  if (ImGui::CalcTextSize(text.c_str()).x <= room) {
    text_colored(color, text);
    return true;
  }
  const auto fits = [&](const std::string& cut) { return ImGui::CalcTextSize(cut.c_str()).x <= room; };
  text_colored(color, cut_in_the_middle(text, fits));
  return false;
}

void same_line_if_fits(const std::string& button) {
  same_line_if_fits(ImGui::CalcTextSize(button.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x);
}

void same_line_if_fits(float width) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width <= right) ImGui::SameLine();
}

void section_heading(const std::string& title, const std::string& origin) {
  ImGui::Spacing();
  ImGui::PushFont(fonts().bold, 0);
  text_colored(palette().text, title);
  ImGui::PopFont();
  if (!origin.empty()) {
    const float width = ImGui::CalcTextSize(origin.c_str()).x;
    ImGui::SameLine();
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width;
    if (right > ImGui::GetCursorPosX()) {
      ImGui::SetCursorPosX(right);
    } else {
      ImGui::NewLine();
    }
    text_muted(origin);
  }
  ImGui::Separator();
}

// A disabled item has a tooltip with the reason.
constexpr ImGuiHoveredFlags tooltip_flags =
    ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled;

void help_tooltip(const std::string& text) {
  if (text.empty() || !ImGui::IsItemHovered(tooltip_flags)) return;
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(em() * tooltip_width_em);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void help_tooltip_above(const std::string& text) {
  if (text.empty() || !ImGui::IsItemHovered(tooltip_flags)) return;
  const ImVec2 item = ImGui::GetItemRectMin(), padding = ImGui::GetStyle().WindowPadding;
  const ImVec2 words = ImGui::CalcTextSize(text.c_str(), nullptr, false, em() * tooltip_width_em);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float gap = em() * 0.3F, right = viewport.Pos.x + viewport.Size.x - gap;
  const float left = std::max(viewport.Pos.x, std::min(item.x, right - words.x - 2 * padding.x));
  // Without room above it is placed as others are.
  if (item.y - gap - words.y - 2 * padding.y >= viewport.Pos.y)
    ImGui::SetNextWindowPos({left, item.y - gap}, ImGuiCond_Always, {0, 1});
  help_tooltip(text);
}

void tooltip_body(const std::string& heading, const std::vector<TextPair>& lines, const std::string& hint) {
  ImGui::PushTextWrapPos(em() * tooltip_width_em);
  {
    const MonoText mono;
    ImGui::TextUnformatted(heading.c_str());
  }
  ImGui::PopTextWrapPos();
  if (ImGui::BeginTable("figures", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const auto& [label, value] : lines) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_muted(label);
      ImGui::TableNextColumn();
      ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + em() * tooltip_width_em * 0.75F);
      const MonoText mono;
      ImGui::TextUnformatted(value.c_str());
      ImGui::PopTextWrapPos();
    }
    ImGui::EndTable();
  }
  if (!hint.empty()) text_muted(hint);
}

bool empty_state(const std::string& title, const std::string& text, const std::string& button) {
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float width = std::min(space.x - em(), em() * 34);
  const float left = ImGui::GetCursorPosX() + (space.x - width) / 2;
  const float text_height =
      ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, std::max(width, em())).y;
  const float height = text_height + em() * (button.empty() ? 2.0F : 4.5F);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::max(0.0F, (space.y - height) / 2));
  ImGui::PushFont(fonts().bold, 0);
  centred_text(palette().text, title, left, width);
  ImGui::PopFont();
  ImGui::Spacing();
  centred_text(palette().muted, text, left, width);
  if (button.empty()) return false;
  ImGui::Spacing();
  const float button_width = ImGui::CalcTextSize(button.c_str()).x + ImGui::GetStyle().FramePadding.x * 4;
  ImGui::SetCursorPosX(left + (width - button_width) / 2);
  const bool pressed = ImGui::Button(button.c_str(), {button_width, 0});
  landmark("empty_state.button");
  return pressed;
}

}  // namespace tilescope
