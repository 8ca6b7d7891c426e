#include "app/panels/memory/layout_detail.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "base/text/format.hpp"

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

std::string label_of(const LayoutSiteRow& row) {
  return row.operation + ", " + row.place;
}

// Returns whether the row was clicked.
bool draw_site(const LayoutSiteRow& row, std::size_t index) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(index));
  const bool clicked = ImGui::Selectable(label_of(row).c_str(), false, ImGuiSelectableFlags_SpanAllColumns);
  ImGui::PopID();
  landmark("solver.site." + std::to_string(index));
  help_tooltip("Shows this site in the other panels of the memory.");
  const MonoText mono;
  next(palette().text, row.executions);
  next(color_of_tone(row.tone), row.wavefronts);
  next(color_of_tone(row.tone), row.excess);
  return clicked;
}

constexpr std::array headers{"Site", "Executions", "Wavefronts", "Excess"};
using SiteWidths = std::array<float, headers.size()>;

// [px] Width of the longest text in each column.
SiteWidths site_widths(const LayoutDetail& detail) {
  SiteWidths widths{};
  const auto make_room = [&](std::size_t column, const std::string& text) {
    widths[column] = std::max(widths[column], ImGui::CalcTextSize(text.c_str()).x);
  };
  for (std::size_t i = 0; i < headers.size(); ++i) make_room(i, headers[i]);
  for (const LayoutSiteRow& row : detail.sites) make_room(0, label_of(row));
  const MonoText mono;
  for (const LayoutSiteRow& row : detail.sites) {
    make_room(1, row.executions);
    make_room(2, row.wavefronts);
    make_room(3, row.excess);
  }
  return widths;
}

// Scrolls sideways where the panel is narrower than its texts.
bool begin_sites(const LayoutDetail& detail) {
  SiteWidths widths = site_widths(detail);
  const ImGuiStyle& style = ImGui::GetStyle();
  float spare = ImGui::GetContentRegionAvail().x - 1;
  for (const float width : widths) spare -= width + 2 * style.CellPadding.x + 1;
  widths[0] += std::max(spare, 0.0F);
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV |
                                (spare < 0 ? ImGuiTableFlags_ScrollX : ImGuiTableFlags_None);
  const float row = ImGui::GetTextLineHeight() + 2 * style.CellPadding.y;
  const float rows = static_cast<float>(detail.sites.size() + 1) * row;
  const float height = spare < 0 ? rows + style.ScrollbarSize : 0;
  if (!ImGui::BeginTable("sites", static_cast<int>(headers.size()), flags, {0, height})) return false;
  if (spare < 0) ImGui::TableSetupScrollFreeze(1, 0);
  for (std::size_t i = 0; i < headers.size(); ++i)
    ImGui::TableSetupColumn(headers[i], ImGuiTableColumnFlags_WidthFixed, widths[i]);
  return true;
}

std::optional<std::uint32_t> draw_sites(const LayoutDetail& detail) {
  std::optional<std::uint32_t> clicked;
  if (detail.sites.empty() || !begin_sites(detail)) return clicked;
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
  help_tooltip(input.is_of_file
                   ? "Compiles and executes the kernel with this declaration; the file stays as it is."
                   : "Sets the parameter. Undo takes it back.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_wrapped(palette().text, (input.is_of_file ? "Promised, not counted yet. Compiles " + input.change
                                                 : "Sets " + input.change) +
                                   ". " + input.detail.shared);
  return pressed;
}

}  // namespace

LayoutDetailAction draw_layout_detail(const LayoutDetailInput& input) {
  LayoutDetailAction action;
  if (!ImGui::BeginChild("detail", {0, 0})) {
    ImGui::EndChild();
    return action;
  }
  if (input.is_other) ImGui::SetScrollY(0);
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
