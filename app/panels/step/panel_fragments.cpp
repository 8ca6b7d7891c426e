#include "profiler/views/step/fragments.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/explorer/step/fragment_subject.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/fragment_grid.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

constexpr std::array<const char*, 2> cell_choices = {"places", "values"};

class FragmentsPanel : public Panel {
 public:
  FragmentsPanel() : Panel("fragments", "Fragments", {380, 440}) {}

  bool asks_worker() const override { return true; }
  bool has_table() const override { return true; }
  std::string csv() const override {
    return view_.matrices.empty() ? "" : fragments_csv(view_, subject_->registers);
  }
  std::vector<std::string> options() const override {
    return {std::string("cells ") + cell_choices[static_cast<std::size_t>(wanted_)]};
  }
  void take_option(const std::string& line) override;

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(const Explorer& explorer);
  FragmentCells shown_cells() const;
  void draw_instruction(Explorer& explorer) const;
  void draw_no_matrices(Explorer& explorer) const;
  void draw_words(bool has_room) const;
  void draw_choice();
  FragmentMark draw_matrices() const;
  void draw_tooltip() const;

  std::shared_ptr<const FragmentSubject> subject_;
  FragmentView view_;
  std::vector<FragmentArrangement> arrangements_;
  bool has_values_ = false;
  /// Chosen by the user, where there are values.
  FragmentCells wanted_ = FragmentCells::places;
  /// By FragmentCells.
  std::array<std::vector<FragmentCellTexts>, 2> texts_;
  /// Under the mouse in the frame before.
  FragmentMark mark_;
};

void FragmentsPanel::take_option(const std::string& line) {
  for (std::size_t i = 0; i < cell_choices.size(); ++i) {
    if (line == std::string("cells ") + cell_choices[i]) wanted_ = static_cast<FragmentCells>(i);
  }
}

void FragmentsPanel::derive(const Explorer& explorer) {
  if (explorer.board().get<BlockStepping>().fragments() == subject_) return;
  subject_ = explorer.board().get<BlockStepping>().fragments();
  mark_ = {};
  view_ = {};
  if (subject_ == nullptr) return;
  view_ = fragment_view(subject_->instruction, subject_->halves);
  arrangements_ = fragment_arrangements(view_);
  const auto& registers = subject_->registers;
  has_values_ =
      std::any_of(registers.begin(), registers.end(), [](const auto& lanes) { return lanes.has_value(); });
  for (std::size_t i = 0; i < texts_.size(); ++i)
    texts_[i] = fragment_cell_texts(view_, static_cast<FragmentCells>(i), registers);
}

FragmentCells FragmentsPanel::shown_cells() const {
  return has_values_ ? wanted_ : FragmentCells::places;
}

void FragmentsPanel::draw(Explorer& explorer) {
  explorer.board().get<BlockStepping>().want();
  derive(explorer);
  if (subject_ == nullptr) {
    empty_state("No instruction",
                "Step to an mma, wmma or ldmatrix: this panel then shows which lane holds which element.");
    return;
  }
  draw_instruction(explorer);
  if (view_.matrices.empty()) return draw_no_matrices(explorer);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  draw_words(room.y > em() * (room.x > em() * 50 ? 30 : 44));
  draw_choice();
  same_line_if_fits(em() * 36);
  const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {spacing.x, std::round(spacing.y * 0.5F)});
  FragmentMark mark;
  mark.lane = fragment_lanes(view_, mark_, ImGui::GetContentRegionAvail().x);
  mark.reg = fragment_registers(view_, mark_);
  ImGui::PopStyleVar();
  const FragmentMark in_matrices = draw_matrices();
  mark_ = mark.is_set() ? mark : in_matrices;
  draw_tooltip();
}

void FragmentsPanel::draw_instruction(Explorer& explorer) const {
  text_colored(palette().text, fmt::format("Warp {}", subject_->warp));
  landmark("fragments.warp");
  if (!subject_->place.empty()) {
    same_line_if_fits(ImGui::CalcTextSize(subject_->place.c_str()).x);
    const MonoText mono;
    if (subject_->line == 0) {
      text_muted(subject_->place);
    } else if (line_link("line", subject_->place, palette().accent)) {
      explorer.show_line(subject_->line);
    }
    landmark("fragments.line");
  }
  same_line_if_fits(em() * 16);
  const MonoText mono;
  text_in_one_line(palette().muted, view_.instruction);
  landmark("fragments.instruction");
  help_tooltip(view_.instruction);
}

void FragmentsPanel::draw_no_matrices(Explorer& explorer) const {
  const std::string& not_found = explorer.board().get<BlockStepping>().not_found();
  const std::string text = not_found.empty() ? view_.why_not : view_.why_not + "\n" + not_found;
  if (!empty_state("No fragments", text, "Go to the next matrix instruction")) return;
  StepTarget target;
  target.kind = StepTarget::Kind::matrix;
  target.number = static_cast<std::int64_t>(subject_->warp);
  explorer.board().get<BlockStepping>().go(target);
}

void FragmentsPanel::draw_words(bool has_room) const {
  text_wrapped(palette().text, view_.summary);
  landmark("fragments.summary");
  if (view_.note.empty()) return;
  if (has_room) {
    text_wrapped(palette().muted, view_.note);
  } else {
    const std::string more = "About the layout";
    same_line_if_fits(ImGui::CalcTextSize(more.c_str()).x);
    text_colored(palette().accent, more);
    help_tooltip(view_.note);
  }
  landmark("fragments.note");
}

void FragmentsPanel::draw_choice() {
  SegmentedChoice choice;
  choice.id = "cells";
  choice.segments = {
      {"Lane and register", "fragments.cells.places", ""},
      {"Value", "fragments.cells.values", has_values_ ? "" : "No register values are known here"}};
  choice.current = static_cast<std::size_t>(shown_cells());
  choice.fills_width = false;
  choice.strikes_disabled = false;
  const SegmentedAction action = segmented_choice(choice);
  if (action.chosen) wanted_ = static_cast<FragmentCells>(*action.chosen);
}

FragmentMark FragmentsPanel::draw_matrices() const {
  FragmentMark mark;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 least{std::max(room.x, em() * 4), std::max(room.y, em() * 6)};
  const auto& texts = texts_[static_cast<std::size_t>(shown_cells())];
  // Values that were asked for are readable, even where they are scrolled.
  std::size_t letters = 0;
  if (shown_cells() == FragmentCells::values) {
    for (const FragmentCellTexts& of_matrix : texts) letters = std::max(letters, of_matrix.letters[0]);
  }
  const FragmentPlan plan = plan_fragments(view_, arrangements_, least, letters);
  if (ImGui::BeginChild("matrices", {0, least.y}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_HorizontalScrollbar)) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    for (std::size_t m = 0; m < view_.matrices.size(); ++m) {
      const ImVec2 corner{origin.x + plan.corners[m].x, origin.y + plan.corners[m].y};
      const auto hovered = draw_fragment_grid(draw, {view_, m, texts[m], mark_, corner, plan.cell});
      if (hovered) mark.element = hovered;
    }
    ImGui::Dummy(plan.size);
  }
  ImGui::EndChild();
  return mark;
}

void FragmentsPanel::draw_tooltip() const {
  const std::vector<TextPair> lines = mark_lines(view_, mark_, subject_->registers);
  if (lines.empty() || !ImGui::BeginTooltip()) return;
  tooltip_body(lines.front().first + " " + lines.front().second, {lines.begin() + 1, lines.end()},
               mark_hint(view_, mark_));
  ImGui::EndTooltip();
}

const RegisterPanel register_fragments_panel{[] { return std::make_unique<FragmentsPanel>(); }};

}  // namespace

}  // namespace tilescope
