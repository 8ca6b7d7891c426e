#include "sessions/compare/compared_figures.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/explorer.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/compare/compared_ladder.hpp"
#include "app/panels/compare/side_badge.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// All figures of A and B beside each other, or the ladder against A.
class ComparedFiguresPanel : public Panel {
 public:
  ComparedFiguresPanel() : Panel("compared-figures", "Figures", {330, 160}) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return shows_ladder_ ? ladder_.csv() : compared_figures_csv(figures_); }
  bool is_outdated(const Explorer& explorer) const override {
    return explorer.board().get<ComparisonPair>().is_outdated();
  }
  std::vector<std::string> options() const override {
    return {shows_ladder_ ? "view ladder" : "view figures"};
  }
  void take_option(const std::string& line) override {
    if (line == "view ladder") shows_ladder_ = true;
    if (line == "view figures") shows_ladder_ = false;
  }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer);
  void choose_view();
  void draw_figures() const;
  std::array<float, 3> column_widths() const;
  static void draw_diagnoses(Side side, const Measurement& point);

  bool shows_ladder_ = false;
  ComparedLadder ladder_;
  std::shared_ptr<const Comparison> comparison_;
  std::vector<ComparedFigure> figures_;
};

void ComparedFiguresPanel::derive(const Explorer& explorer) {
  if (comparison_ == explorer.board().get<ComparisonPair>().comparison()) return;
  comparison_ = explorer.board().get<ComparisonPair>().comparison();
  figures_.clear();
  if (!comparison_) return;
  figures_ = compared_figures(comparison_->a, comparison_->b);
  const std::vector<ComparedFigure> mix = compared_instructions(comparison_->a, comparison_->b);
  figures_.insert(figures_.end(), mix.begin(), mix.end());
}

void ComparedFiguresPanel::choose_view() {
  SegmentedChoice choice;
  choice.id = "view";
  choice.fills_width = false;
  choice.segments = {{"A and B", "compared_figures.view.figures", ""},
                     {"Ladder", "compared_figures.view.ladder", ""}};
  choice.current = shows_ladder_ ? 1 : 0;
  const SegmentedAction action = segmented_choice(choice);
  if (action.chosen) shows_ladder_ = *action.chosen == 1;
  if (action.hovered) {
    help_tooltip(*action.hovered == 0 ? "All figures of both sides with the difference."
                                      : "The best point of each rung at the shape and on the device of A.");
  }
}

void ComparedFiguresPanel::draw(Explorer& explorer) {
  explorer.board().get<ComparisonPair>().want();
  derive(explorer);
  if (!comparison_) {
    const MissingAnswer missing = explorer.board().get<ComparisonPair>().missing();
    empty_state(missing.heading, missing.text);
    return;
  }
  choose_view();
  if (!shows_ladder_) return draw_figures();
  ladder_.update(explorer, comparison_);
  if (const auto chosen = ladder_.draw()) explorer.board().get<ComparisonPair>().choose(Side::b, chosen);
}

/// [px] Widths of the columns of A, B and the difference.
std::array<float, 3> ComparedFiguresPanel::column_widths() const {
  const MonoText mono;
  std::array<float, 3> widths{em() * 4, em() * 4, em() * 4};
  for (const ComparedFigure& figure : figures_) {
    const std::array<const std::string*, 3> texts{&figure.a, &figure.b, &figure.difference};
    for (std::size_t i = 0; i < texts.size(); ++i)
      widths[i] = std::max(widths[i], ImGui::CalcTextSize(texts[i]->c_str()).x);
  }
  return widths;
}

void draw_number(const ImVec4& color, const std::string& text) {
  ImGui::TableNextColumn();
  const MonoText mono;
  const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  text_colored(color, text);
}

void draw_row(const ComparedFigure& figure) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_wrapped(palette().muted, figure.label);
  landmark("compared_figures.row." + figure.label);
  draw_number(palette().text, figure.a);
  draw_number(palette().text, figure.b);
  const ImVec4 color = figure.tone == Tone::good     ? palette().ok
                       : figure.tone == Tone::bad    ? palette().error
                       : figure.difference == "same" ? palette().muted
                                                     : palette().text;
  draw_number(color, figure.difference);
}

void draw_header() {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  for (const Side side : both_sides) {
    ImGui::TableNextColumn();
    draw_side_badge_at_right(side);
  }
  ImGui::TableNextColumn();
  const char* const text = "B to A";
  const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, slack));
  text_muted(text);
  help_tooltip("(B - A) / A; pp: percentage points. Green where B is better.");
}

void ComparedFiguresPanel::draw_figures() const {
  if (!ImGui::BeginChild("figures")) return ImGui::EndChild();
  for (const Side side : both_sides) draw_diagnoses(side, side == Side::a ? comparison_->a : comparison_->b);
  const std::array<float, 3> widths = column_widths();
  for (std::size_t i = 0; i < figures_.size();) {
    const std::string& section = figures_[i].section;
    std::size_t end = i;
    while (end < figures_.size() && figures_[end].section == section) ++end;
    section_heading(section, "");
    const ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit;
    // Beside the scroll bar.
    const float width = ImGui::GetContentRegionAvail().x - em() * 0.4F;
    if (ImGui::BeginTable(section.c_str(), 4, flags, {width, 0})) {
      ImGui::TableSetupColumn("figure", ImGuiTableColumnFlags_WidthStretch, 1);
      for (std::size_t column = 0; column < widths.size(); ++column)
        ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, widths[column]);
      if (i == 0) draw_header();
      for (std::size_t row = i; row < end; ++row) draw_row(figures_[row]);
      ImGui::EndTable();
    }
    i = end;
  }
  ImGui::EndChild();
}

/// Undiagnosed points get no line.
void ComparedFiguresPanel::draw_diagnoses(Side side, const Measurement& point) {
  if (!point.diagnoses || point.diagnoses->empty()) return;
  draw_side_badge(side);
  ImGui::SameLine(0, em() * 0.5F);
  ImGui::BeginGroup();
  for (const Diagnosis& diagnosis : *point.diagnoses) {
    const bool is_fault = diagnosis.severity == Severity::fault;
    text_wrapped(is_fault ? palette().error : palette().text,
                 to_string(diagnosis.severity) + ": " + diagnosis.text);
    std::string more = diagnosis.evidence;
    if (!diagnosis.repair.empty()) more += (more.empty() ? "" : "\n\n") + ("Repair: " + diagnosis.repair);
    help_tooltip(more);
  }
  ImGui::EndGroup();
  landmark("compared_figures.diagnoses." + to_string(side));
  ImGui::Spacing();
}

const RegisterPanel register_compared_figures_panel{[] { return std::make_unique<ComparedFiguresPanel>(); }};

}  // namespace

}  // namespace tilescope
