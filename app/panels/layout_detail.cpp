#include "app/panels/layout_detail.hpp"

#include <imgui.h>

#include <array>
#include <string>

#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {
namespace {

void right_aligned(ImVec4 color, const std::string& text) {
  const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  text_colored(color, text);
}

ImVec4 color_of_tone(Tone tone) {
  return tone == Tone::good ? palette().ok : tone == Tone::bad ? palette().error : palette().text;
}

void next(ImVec4 color, const std::string& text) {
  ImGui::TableNextColumn();
  right_aligned(color, text);
}

// Returns whether the row was clicked.
bool draw_site(const LayoutSiteRow& row, std::size_t index) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(index));
  const std::string label = row.operation + ", " + row.place;
  const bool clicked = ImGui::Selectable(label.c_str(), false, ImGuiSelectableFlags_SpanAllColumns);
  ImGui::PopID();
  landmark("solver.site." + std::to_string(index));
  help_tooltip("Shows this site in the other panels of the memory.");
  const MonoText mono;
  next(palette().text, row.executions);
  next(color_of_tone(row.tone), row.wavefronts);
  next(color_of_tone(row.tone), row.excess);
  return clicked;
}

std::optional<std::uint32_t> draw_sites(const LayoutDetail& detail) {
  constexpr std::array headers{"Site", "Executions", "Wavefronts", "Excess"};
  std::optional<std::uint32_t> clicked;
  const ImGuiTableFlags flags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_BordersInnerV;
  if (detail.sites.empty() || !ImGui::BeginTable("sites", static_cast<int>(headers.size()), flags))
    return clicked;
  ImGui::TableSetupColumn(headers[0], ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn(headers[1], ImGuiTableColumnFlags_WidthFixed, 5.5F * em());
  for (std::size_t i = 2; i < headers.size(); ++i)
    ImGui::TableSetupColumn(headers[i], ImGuiTableColumnFlags_WidthFixed, 10.5F * em());
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const char* const header : headers) {
    ImGui::TableNextColumn();
    if (header == headers.front()) {
      text_muted(header);
    } else {
      right_aligned(palette().muted, header);
    }
  }
  for (std::size_t i = 0; i < detail.sites.size(); ++i) {
    if (draw_site(detail.sites[i], i)) clicked = detail.sites[i].site;
  }
  ImGui::EndTable();
  return clicked;
}

void draw_index(const LayoutDetail& detail) {
  if (detail.index.empty()) return;
  const TintedBox box("index", palette().accent);
  {
    const MonoText mono;
    text_wrapped(palette().text, detail.index);
    landmark("solver.index");
  }
  text_wrapped(palette().muted, detail.cutlass.empty()
                                    ? capitalised(detail.index_unit)
                                    : capitalised(detail.index_unit) + "; " + detail.cutlass);
  if (ImGui::Button("Copy")) ImGui::SetClipboardText(detail.index.c_str());
  landmark("solver.copy");
  help_tooltip("Copies the index expression.");
}

bool draw_apply(const LayoutDetailInput& input) {
  if (!input.why_not.empty()) {
    text_wrapped(palette().muted, input.why_not);
    landmark("solver.why_not");
    return false;
  }
  ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
  const bool pressed = ImGui::Button("Apply");
  ImGui::PopStyleColor();
  landmark("solver.apply");
  help_tooltip("Sets the parameter. Undo takes it back.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().text, "Sets " + input.change + ". " + input.detail.shared);
  return pressed;
}

}  // namespace

LayoutDetailAction draw_layout_detail(const LayoutDetailInput& input) {
  LayoutDetailAction action;
  if (!ImGui::BeginChild("detail", {0, 0})) {
    ImGui::EndChild();
    return action;
  }
  section_heading(capitalised(input.detail.words), "");
  landmark("solver.selected");
  text_wrapped(palette().text, input.detail.reason);
  landmark("solver.reason");
  action.applied = draw_apply(input);
  draw_index(input.detail);
  action.site = draw_sites(input.detail);
  ImGui::EndChild();
  return action;
}

}  // namespace tilescope
