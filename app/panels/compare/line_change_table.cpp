#include "app/panels/compare/line_change_table.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/compare/part_doors.hpp"
#include "app/panels/compare/side_badge.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {
namespace {

// The column is cut where it ends.
constexpr std::size_t all_columns = std::string::npos;

void draw_right(const ImVec4& color, const std::string& text) {
  ImGui::TableNextColumn();
  const MonoText mono;
  const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, slack));
  text_colored(color, text);
}

// [px] The widest of some texts in a column of numbers.
template <class TextOf>
float width_of(const std::vector<LineChange>& lines, const TextOf& text_of) {
  const MonoText mono;
  float width = em() * 3;
  for (const LineChange& change : lines)
    width = std::max(width, ImGui::CalcTextSize(text_of(change).c_str()).x);
  return width;
}

}  // namespace

void LineChangeTable::show(const Explorer& explorer, const Comparison& comparison) {
  texts_.clear();
  if (!sources_) sources_.emplace(explorer.board());
  const SideSources sources{sources_->find(comparison.a), sources_->find(comparison.b)};
  changes_ = line_changes(comparison, sources);
  for (const LineChange& change : changes_.lines) texts_.push_back(line_text(change, sources, all_columns));
}

void LineChangeTable::draw(Explorer& explorer) const {
  if (changes_.lines.empty() && changes_.why_none.empty()) return;
  ImGui::Spacing();
  section_heading("Lines whose predicted time changes", "B minus A");
  if (changes_.lines.empty()) {
    const bool follows = explorer.board().get<ComparisonPair>().is_explaining();
    text_wrapped(palette().muted, follows ? "Predicting what each line takes..." : changes_.why_none);
    landmark("compare.no_lines");
    return;
  }
  if (!ImGui::BeginTable("lines", 5, ImGuiTableFlags_SizingFixedFit)) return;
  const auto add_column = [&](const char* title, const auto& text_of) {
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, width_of(changes_.lines, text_of));
  };
  add_column("line", place_text);
  add_column("A", [](const LineChange& change) { return format_latency(change.a_us); });
  add_column("B", [](const LineChange& change) { return format_latency(change.b_us); });
  add_column("change", [](const LineChange& change) { return signed_latency(change.microseconds()); });
  ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthStretch, 1);
  draw_header();
  for (std::size_t row = 0; row < changes_.lines.size(); ++row) draw_row(explorer, row);
  ImGui::EndTable();
}

void LineChangeTable::draw_header() const {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_muted("Line");
  for (const Side side : both_sides) {
    ImGui::TableNextColumn();
    draw_side_badge_at_right(side);
  }
}

void LineChangeTable::draw_row(Explorer& explorer, std::size_t row) const {
  const LineChange& change = changes_.lines[row];
  const bool is_slower = change.microseconds() > 0;
  const bool is_of_b = change.line_b && (is_slower || !change.line_a);
  const std::string place = place_text(change);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (change.line() == 0) {
    text_muted(place);
    help_tooltip("Instructions without a line of the source.");
  } else if (!change.file.empty()) {
    text_muted(place);
  } else if (line_link("line " + place, place, palette().accent)) {
    open_line(explorer, is_of_b ? Side::b : Side::a, is_of_b ? *change.line_b : *change.line_a);
  }
  landmark("compare.line." + place);
  draw_right(palette().text, format_latency(change.a_us));
  draw_right(palette().text, format_latency(change.b_us));
  draw_right(is_slower ? palette().error : palette().ok, signed_latency(change.microseconds()));
  ImGui::TableNextColumn();
  const MonoText mono;
  if (!text_in_one_line(palette().muted, texts_[row])) help_tooltip(texts_[row]);
}

}  // namespace tilescope
