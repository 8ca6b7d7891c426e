#include "app/panels/detail_table.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/panels/source_lines.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

ImVec4 color_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return palette().ok;
    case Tone::bad:
      return palette().error;
    default:
      return palette().text;
  }
}

void draw_cell(const ImVec4& color, const std::string& text) {
  ImGui::TableNextColumn();
  const MonoText mono;
  text_wrapped(color, text);
}

void draw_row(const DetailRow& row, bool compares, const FindExcerpt& find_excerpt) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_wrapped(palette().muted, row.label);
  const bool names_line = row.line > 0;
  if (!names_line) help_tooltip(row.help);
  // The file is looked up only while the mouse is there.
  if (names_line && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
    source_tooltip(row.help, find_excerpt(row.file, row.line));
  draw_cell(color_of(row.tone), row.value);
  if (names_line && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
    source_tooltip(row.help, find_excerpt(row.file, row.line));
  landmark("details.row." + row.label);
  if (!compares) return;
  draw_cell(palette().text, row.other);
  draw_cell(color_of(row.difference_tone), row.difference);
  landmark("details.difference." + row.label);
}

void draw_headers() {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const char* const help[] = {
      "The point that is shown", "The point that it is compared with",
      "How much the compared point differs from the one that is shown; pp: percentage points"};
  int column = 0;
  for (const char* header : {"This", "Compared", "Diff."}) {
    ImGui::TableNextColumn();
    text_muted(header);
    help_tooltip(help[column++]);
  }
}

}  // namespace

float width_of_labels(const std::vector<DetailSection>& sections) {
  float width = 0;
  for (const DetailSection& section : sections) {
    for (const DetailRow& row : section.rows)
      width = std::max(width, ImGui::CalcTextSize(row.label.c_str()).x);
  }
  return width;
}

void draw_section(const DetailSection& section, float labels, bool compares,
                  const FindExcerpt& find_excerpt) {
  section_heading(section.title, section.origin);
  if (!section.rows.empty() &&
      ImGui::BeginTable(section.title.c_str(), compares ? 4 : 2, ImGuiTableFlags_SizingStretchProp)) {
    const float least = std::min(labels, ImGui::GetContentRegionAvail().x * (compares ? 0.28F : 0.48F));
    ImGui::TableSetupColumn("figure", ImGuiTableColumnFlags_WidthFixed, least);
    for (int column = 1; column < (compares ? 4 : 2); ++column)
      ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, 1);
    if (compares) draw_headers();
    for (const DetailRow& row : section.rows) draw_row(row, compares, find_excerpt);
    ImGui::EndTable();
  }
  if (!section.text.empty()) text_wrapped(palette().muted, section.text);
}

}  // namespace tilescope
