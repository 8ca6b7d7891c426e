#include "app/panels/compare/compared_ladder.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/compare/side_badge.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/points/ladder_kernels.hpp"

namespace tilescope {
namespace {

ImVec4 color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return palette().ok;
    case Verdict::slower:
      return palette().error;
    case Verdict::same:
    case Verdict::undecided:
      break;
  }
  return palette().text;
}

ImVec4 color_of(Tone tone) {
  return tone == Tone::good ? palette().ok : tone == Tone::bad ? palette().error : palette().text;
}

void draw_cell(const ImVec4& color, const std::string& text) {
  ImGui::TableNextColumn();
  const MonoText mono;
  text_colored(color, text);
}

}  // namespace

void ComparedLadder::update(Explorer& explorer, const std::shared_ptr<const Comparison>& comparison) {
  const bool has_other_kernels = kernels_revision_ != explorer.kernels().revision();
  if (has_other_kernels) kernels_ = ladder_kernels(explorer.kernels().all());
  kernels_revision_ = explorer.kernels().revision();
  const bool has_other_points = ladder_.update(explorer.points().list(), explorer.points().recorded(),
                                               kernels_, explorer.kernels().sources());
  if (!ladder_.is_complete()) explorer.notices().draw_again();
  if (!has_other_points && !has_other_kernels && comparison == comparison_) return;
  comparison_ = comparison;
  table_ = {};
  if (!comparison_) return;
  const Measurement& a = comparison_->a;
  name_ = "A: " + a.kernel;
  const auto group = std::find_if(
      ladder_.groups().begin(), ladder_.groups().end(),
      [&](const LadderGroup& each) { return each.shape == a.shape && each.device == a.device.name; });
  if (group != ladder_.groups().end()) table_ = compared_columns(a, *group);
}

SharedMeasurement ComparedLadder::draw() const {
  if (table_.columns.empty()) {
    empty_state("No ladder at this shape",
                "The columns are the best points of the ladder's kernels at the shape and on the device of "
                "A. Measure "
                "other kernels, or open a recorded session.");
    landmark("compared_ladder.nothing");
    return nullptr;
  }
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerV;
  SharedMeasurement chosen;
  if (!ImGui::BeginTable("ladder", static_cast<int>(table_.columns.size()) + 2, flags)) return chosen;
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_muted("Ratio to A");
  ImGui::TableNextColumn();
  draw_side_badge(Side::a);
  ImGui::SameLine(0, em() * 0.4F);
  text_colored(palette().text, comparison_->a.kernel);
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    const ComparedColumn& column = table_.columns[i];
    ImGui::TableNextColumn();
    if (line_link("column" + std::to_string(i), column.name, palette().accent, em() * 20))
      chosen = column.point;
    landmark("compared_ladder.column." + column.name);
    help_tooltip("Click to make it B.");
    const bool is_open = column.verdict == Verdict::undecided;
    text_colored(color_of(column.verdict),
                 to_string(column.verdict) + " " +
                     (is_open && !column.interval.empty() ? column.interval : column.ratio));
    help_tooltip(column.reason);
  }
  for (const ComparedRow& row : table_.rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_muted(row.label);
    draw_cell(palette().text, row.a);
    for (const ComparedRow::Cell& cell : row.cells) draw_cell(color_of(cell.tone), cell.value);
  }
  ImGui::EndTable();
  return chosen;
}

std::string ComparedLadder::csv() const {
  return compared_columns_csv(table_, name_);
}

}  // namespace tilescope
