#include "app/panels/points/detail_table.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

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

ImVec4 color_of_value(const DetailRow& row) {
  return row.is_pending ? palette().muted : color_of(row.tone);
}

void draw_cell(const ImVec4& color, const std::string& text) {
  ImGui::TableNextColumn();
  const MonoText mono;
  text_wrapped(color, with_unbroken_units(text));
}

bool leads_to_panel(const DetailRow& row, const SourceLinks& links) {
  return !row.panel.empty() && !row.is_pending && links.show_panel;
}

// The last item is a label or a value: its help, or the line of the source that it names.
void draw_help(const DetailRow& row, bool is_label, const SourceLinks& links) {
  const bool names_line = row.line > 0;
  if (is_label && !names_line)
    help_tooltip(row.help +
                 (leads_to_panel(row, links) ? " Click to open the panel that has all of it." : ""));
  // The file is looked up only while the mouse is there.
  if (names_line && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
    source_tooltip(row.help,
                   row.inlined_place.empty() ? links.find_excerpt(row.file, row.line)
                                             : excerpt_around(links, {row.line, row.inlined_place}),
                   links.leads_to(row.file, row.line) ? line_link_hint : "");
}

/// A link where the row is about a line of the kernel. Labels wrap at the right edge, or after `width` [px].
void draw_name(const DetailRow& row, const SourceLinks& links, float width = 0) {
  if (links.leads_to(row.file, row.line)) {
    if (line_link(row.label + row.access + row.value, row.label, palette().accent, width))
      links.show_line({row.line, row.inlined_place});
    landmark("line." + std::to_string(row.line));
    return;
  }
  if (leads_to_panel(row, links)) {
    if (line_link(row.label, row.label, palette().accent, width)) links.show_panel(row.panel);
    landmark("details.link." + row.label);
    return;
  }
  ImGui::PushTextWrapPos(width > 0 ? ImGui::GetCursorPosX() + width : 0);
  text_colored(palette().muted, row.label);
  ImGui::PopTextWrapPos();
}

void draw_row(const DetailRow& row, const SourceLinks& links, const std::string& part, KeptHeights& heights) {
  ImGui::TableNextRow(ImGuiTableRowFlags_None, heights.of(part));
  ImGui::TableNextColumn();
  const float top = ImGui::GetCursorScreenPos().y;
  draw_name(row, links);
  const float end_of_label = ImGui::GetItemRectMax().y;
  draw_help(row, true, links);
  draw_cell(color_of_value(row), row.value);
  draw_help(row, false, links);
  landmark("details.row." + row.label);
  const float end = std::max(end_of_label, ImGui::GetItemRectMax().y);
  heights.note(part, end - top + 2 * ImGui::GetStyle().CellPadding.y);
}

void draw_heading(const DetailSection& section, KeptHeights& heights) {
  heights.draw(section.title, [&] { section_heading(section.title, section.origin); });
}

std::string part_of_text(const std::string& section) {
  return section + ".text";
}

void draw_text(const DetailSection& section, KeptHeights& heights) {
  heights.draw(part_of_text(section.title), [&] {
    if (!section.text.empty()) text_wrapped(palette().muted, section.text);
  });
}

float width_of_labels(const DetailSection& section) {
  float width = 0;
  for (const DetailRow& row : section.rows) width = std::max(width, ImGui::CalcTextSize(row.label.c_str()).x);
  return width;
}

void draw_right(float right, float top, const ImVec4& color, const std::string& text) {
  ImGui::SetCursorScreenPos({right - ImGui::CalcTextSize(text.c_str()).x, top});
  text_colored(color, text);
}

struct ComparedHeader {
  const char* text;
  const char* help;
};
constexpr std::array<ComparedHeader, 3> compared_headers{
    {{"This", "The point that is shown"},
     {"Compared", "The point that it is compared with"},
     {"Diff.", "This - compared, in parts of the compared figure; pp: percentage points"}}};

float right_edge(const ComparedColumns& columns, std::size_t column) {
  float right = ImGui::GetCursorScreenPos().x + (columns.stacked ? 0 : columns.labels);
  for (std::size_t i = 0; i <= column; ++i) {
    right += columns.numbers[i] + (i == 0 && columns.stacked ? 0 : columns.gap);
  }
  return right;
}

void draw_headers(const ComparedColumns& columns) {
  const float top = ImGui::GetCursorScreenPos().y;
  const std::array<float, 3> rights{right_edge(columns, 0), right_edge(columns, 1), right_edge(columns, 2)};
  ImGui::BeginGroup();
  for (std::size_t i = 0; i < compared_headers.size(); ++i) {
    draw_right(rights[i], top, palette().muted, compared_headers[i].text);
    landmark(std::string("details.header.") + compared_headers[i].text);
    help_tooltip(compared_headers[i].help);
  }
  ImGui::EndGroup();
}

void draw_label(const DetailRow& row, float width, const SourceLinks& links) {
  draw_name(row, links, width);
  draw_help(row, true, links);
}

void draw_numbers(const DetailRow& row, const ComparedColumns& columns, const SourceLinks& links) {
  const std::array<float, 3> rights{right_edge(columns, 0), right_edge(columns, 1), right_edge(columns, 2)};
  ImGui::BeginGroup();
  ImVec2 place = ImGui::GetCursorScreenPos();
  if (columns.stacked) {
    // Close to its numbers.
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
    draw_label(row, ImGui::GetContentRegionAvail().x, links);
    ImGui::PopStyleVar();
    place = ImGui::GetCursorScreenPos();
  } else {
    draw_label(row, columns.labels, links);
  }
  const MonoText mono;
  draw_right(rights[0], place.y, color_of_value(row), row.value);
  landmark("details.row." + row.label);
  draw_help(row, false, links);
  draw_right(rights[1], place.y, palette().text, row.other);
  landmark("details.other." + row.label);
  draw_right(rights[2], place.y, color_of(row.difference_tone), row.difference);
  landmark("details.difference." + row.label);
  ImGui::EndGroup();
}

// Texts are too long for columns: the compared point's text stands below, where it is another one.
void draw_texts(const DetailRow& row, const ComparedColumns& columns, const SourceLinks& links) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float indent = columns.stacked ? em() * 5.5F : columns.labels + columns.gap;
  const auto draw_value = [&](const ImVec4& color, const std::string& text, float top) {
    ImGui::SetCursorScreenPos({corner.x + indent, top});
    const MonoText mono;
    text_wrapped(color, with_unbroken_units(text));
  };
  ImGui::BeginGroup();
  draw_label(row, indent - em() * 0.4F, links);
  draw_value(color_of_value(row), row.value, corner.y);
  landmark("details.row." + row.label);
  ImGui::EndGroup();
  if (row.other == row.value) return;
  const float top = ImGui::GetCursorScreenPos().y;
  ImGui::BeginGroup();
  text_muted("compared");
  draw_value(palette().text, row.other, top);
  landmark("details.other." + row.label);
  ImGui::EndGroup();
}

}  // namespace

float width_of_labels(const std::vector<DetailSection>& sections) {
  float width = 0;
  for (const DetailSection& section : sections) {
    if (section.title != excess_by_line) width = std::max(width, width_of_labels(section));
  }
  return width;
}

void draw_section(const DetailSection& section, float labels, const SourceLinks& links,
                  KeptHeights& heights) {
  draw_heading(section, heights);
  if (!section.rows.empty() &&
      ImGui::BeginTable(section.title.c_str(), 2, ImGuiTableFlags_SizingStretchProp)) {
    const float widest = std::max(labels, width_of_labels(section));
    const float least = std::min(widest, ImGui::GetContentRegionAvail().x * 0.48F);
    ImGui::TableSetupColumn("figure", ImGuiTableColumnFlags_WidthFixed, least);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, 1);
    for (const DetailRow& row : section.rows) draw_row(row, links, section.title + "." + row.label, heights);
    ImGui::EndTable();
  }
  draw_text(section, heights);
}

void keep_room_for_text(const std::string& section, int lines, KeptHeights& heights) {
  heights.note(part_of_text(section),
               static_cast<float>(lines) * ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y);
}

ComparedColumns compared_columns(const std::vector<DetailSection>& sections) {
  ComparedColumns columns;
  for (std::size_t i = 0; i < compared_headers.size(); ++i)
    columns.numbers[i] = ImGui::CalcTextSize(compared_headers[i].text).x;
  float labels = 0;
  for (const DetailSection& section : sections) {
    for (const DetailRow& row : section.rows) {
      if (!row.has_number) continue;
      labels = std::max(labels, ImGui::CalcTextSize(row.label.c_str()).x);
      const MonoText mono;
      const std::array<const std::string*, 3> texts{&row.value, &row.other, &row.difference};
      for (std::size_t i = 0; i < texts.size(); ++i)
        columns.numbers[i] = std::max(columns.numbers[i], ImGui::CalcTextSize(texts[i]->c_str()).x);
    }
  }
  columns.gap = em() * 0.6F;
  const float numbers = columns.numbers[0] + columns.numbers[1] + columns.numbers[2];
  const float available = ImGui::GetContentRegionAvail().x;
  columns.labels = std::min(labels, available - numbers - 3 * columns.gap);
  // As wide as a longer word; labels wrap between words.
  columns.stacked = columns.labels < std::min(labels, em() * 6);
  if (columns.stacked) {
    // Equal room for each, with the last one at the right edge.
    columns.gap = std::max(em() * 0.3F, (available - numbers) / 2);
  }
  return columns;
}

void draw_compared_section(const DetailSection& section, const ComparedColumns& columns,
                           const SourceLinks& links, KeptHeights& heights) {
  draw_heading(section, heights);
  const auto has_number = [](const DetailRow& row) { return row.has_number; };
  if (std::any_of(section.rows.begin(), section.rows.end(), has_number)) draw_headers(columns);
  for (const DetailRow& row : section.rows) {
    heights.draw(section.title + "." + row.label + ".compared", [&] {
      if (row.has_number) {
        draw_numbers(row, columns, links);
      } else {
        draw_texts(row, columns, links);
      }
    });
  }
  draw_text(section, heights);
}

}  // namespace tilescope
