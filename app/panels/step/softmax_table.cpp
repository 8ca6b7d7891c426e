#include "app/panels/step/softmax_table.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

struct Column {
  const char* header;
  const char* help;
  std::string SoftmaxTile::*text;
};
const std::array columns{
    Column{"Tile", "Tiles in the order of the block. A click moves the play head behind the tile.",
           &SoftmaxTile::number},
    Column{"Keys", "The keys of the tile.", &SoftmaxTile::keys},
    Column{"Max score", "The largest scaled score of the tile.", &SoftmaxTile::largest},
    Column{"m", "The running maximum behind this tile.", &SoftmaxTile::m},
    Column{"l", "The running sum of exp(score - m) behind this tile.", &SoftmaxTile::l},
    Column{"Rescale", "What l and the output from before were multiplied by: exp(m before - m now).",
           &SoftmaxTile::rescale},
    Column{"Error", "Largest difference of the output so far, divided by l, from float64 of the same keys.",
           &SoftmaxTile::error},
};

void right_aligned(const ImVec4& color, const std::string& text) {
  const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  text_colored(color, text);
}

std::array<float, columns.size()> widths_of(const SoftmaxPart& part) {
  std::array<float, columns.size()> widths{};
  for (std::size_t i = 0; i < columns.size(); ++i) widths[i] = ImGui::CalcTextSize(columns[i].header).x;
  const MonoText mono;
  // A number that comes with a move of the play head moves no column.
  for (std::size_t i = 2; i < columns.size(); ++i)
    widths[i] = std::max(widths[i], ImGui::CalcTextSize("-1.234e+04").x);
  for (const SoftmaxTile& tile : part.tiles)
    widths[1] = std::max(widths[1], ImGui::CalcTextSize(tile.keys.c_str()).x);
  return widths;
}

void draw_header() {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::TableHeader(("##" + std::string(columns[i].header)).c_str());
    help_tooltip(columns[i].help);
    draw_header_label({columns[i].header, true}, corner, room);
  }
}

bool draw_tile(const SoftmaxTile& tile, std::size_t index) {
  using State = SoftmaxTile::State;
  bool clicked = false;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(index));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    if (i == 0) {
      clicked = ImGui::Selectable("##row", tile.state == State::now, ImGuiSelectableFlags_SpanAllColumns);
      landmark("softmax.row." + std::to_string(index));
      help_tooltip(tile.text.empty() ? "Click to move the play head behind this tile." : tile.text);
      if (tile.state == State::now) {
        landmark("softmax.now");
        draw_row_bar(corner);
      }
      ImGui::SetCursorScreenPos(corner);
    }
    const std::string& text = tile.*columns[i].text;
    const bool is_error = columns[i].text == &SoftmaxTile::error && tile.is_wrong;
    right_aligned(is_error                       ? palette().error
                  : tile.state == State::not_yet ? palette().muted
                                                 : palette().text,
                  text);
  }
  ImGui::PopID();
  return clicked;
}

std::optional<std::uint64_t> draw_rows(const SoftmaxPart& part) {
  std::optional<std::uint64_t> clicked;
  const MonoText mono;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(part.tiles.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto index = static_cast<std::size_t>(i);
      if (draw_tile(part.tiles[index], index)) clicked = part.tiles[index].slot;
    }
  }
  return clicked;
}

}  // namespace

std::optional<std::uint64_t> draw_softmax_table(const SoftmaxPart& part, float height, bool scroll_there) {
  std::optional<std::uint64_t> clicked;
  const auto widths = widths_of(part);
  const ImGuiStyle& style = ImGui::GetStyle();
  float sum = style.ScrollbarSize;
  for (const float width : widths) sum += width + 2 * style.CellPadding.x + 1;
  const bool is_wider = sum > ImGui::GetContentRegionAvail().x + 1;
  const float row = ImGui::GetTextLineHeight() + 2 * style.CellPadding.y;
  const float bar = is_wider ? style.ScrollbarSize : 0;
  const float most = std::max(std::floor((height - bar) / row), 4.0F);
  const float rows = std::min(static_cast<float>(part.tiles.size() + 1), most);
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV |
                                (is_wider ? ImGuiTableFlags_ScrollX : ImGuiTableFlags_None);
  if (!ImGui::BeginTable("tiles", static_cast<int>(columns.size()), flags, {0, rows * row + bar + 2}))
    return clicked;
  ImGui::TableSetupScrollFreeze(2, 1);
  for (std::size_t i = 0; i < columns.size(); ++i)
    ImGui::TableSetupColumn(columns[i].header, ImGuiTableColumnFlags_WidthFixed, widths[i]);
  draw_header();
  const std::size_t now = part.now < part.tiles.size() ? part.now : 0;
  if (scroll_there) ImGui::SetScrollY(std::max(0.0F, (static_cast<float>(now) - rows / 2) * row));
  clicked = draw_rows(part);
  ImGui::EndTable();
  return clicked;
}

void draw_softmax_output(const SoftmaxOutput& output) {
  if (output.heading.empty()) return;
  section_heading(output.heading, "interpreted, against float64");
  if (output.elements.empty())
    return text_wrapped(palette().muted, "The kernel's probes do not name the output so far.");
  text_wrapped(std::isnan(output.error) ? palette().error : palette().text,
               "Largest difference of " + format_count(output.columns) +
                   " elements: " + (std::isnan(output.error) ? "NaN" : format_error(output.error)));
  landmark("softmax.output");
  const int count = static_cast<int>(output.elements.size()) + 1;
  if (!ImGui::BeginTable("output", count, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollX,
                         {0, 3 * ImGui::GetTextLineHeightWithSpacing() + ImGui::GetStyle().ScrollbarSize}))
    return;
  const auto line = [&](const char* label, auto value) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_muted(label);
    const MonoText mono;
    for (const OutputElement& element : output.elements) {
      ImGui::TableNextColumn();
      right_aligned(palette().text, value(element));
    }
  };
  line("Column", [](const OutputElement& element) { return std::to_string(element.column); });
  line("Kernel", [](const OutputElement& element) { return value_words(element.kernel); });
  line("float64", [](const OutputElement& element) { return value_words(element.exact); });
  ImGui::EndTable();
}

}  // namespace tilescope
