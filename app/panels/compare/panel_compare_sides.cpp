#include <imgui.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/explorer.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/compare/side_badge.hpp"
#include "app/panels/compare/side_rows.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/value_cell.hpp"
#include "base/text/format.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

/// Panel of the sides A and B: a kernel each, where its settings come from, and the parameters of both beside
/// each other.
class CompareSidesPanel : public Panel {
 public:
  CompareSidesPanel() : Panel("compare-sides", "A and B", {250, 200}, PanelRole::compared_sides) {}

 protected:
  void draw(Explorer& explorer) override;

 private:
  /// Inputs of the rows: checking every value of every parameter takes a millisecond.
  struct Key {
    std::array<Experiment, 2> experiments;
    std::array<SideChoice, 2> choices;
    std::string device;
    std::uint64_t kernels = 0;
    bool operator==(const Key&) const = default;
  };
  void derive(const Explorer& explorer);
  void draw_side(Explorer& explorer, Side side) const;
  void draw_kernel(Explorer& explorer, Side side) const;
  static void choose_kernel(Explorer& explorer, Side side, const std::string& chosen);
  static void draw_clear(Explorer& explorer, Side side, float top);
  void draw_origin(Explorer& explorer, Side side) const;
  void draw_state(const Explorer& explorer, Side side) const;
  static void draw_between(Explorer& explorer);
  void draw_count() const;
  void draw_rows(Explorer& explorer);
  void draw_cell(Explorer& explorer, const SideRow& row, Side side) const;

  Key key_;
  std::vector<SideRow> rows_;
};

std::string mark(Side side, const std::string& what) {
  return "side." + to_string(side) + "." + what;
}

void CompareSidesPanel::derive(const Explorer& explorer) {
  const ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  Key key{{pair.experiment(Side::a), pair.experiment(Side::b)},
          {pair.choice(Side::a), pair.choice(Side::b)},
          explorer.selection().device().name,
          explorer.kernels().revision()};
  if (key == key_) return;
  key_ = std::move(key);
  rows_ = side_rows(explorer);
}

void CompareSidesPanel::draw(Explorer& explorer) {
  explorer.board().get<ComparisonPair>().want();
  derive(explorer);
  for (const Side side : both_sides) draw_side(explorer, side);
  draw_between(explorer);
  draw_rows(explorer);
}

void CompareSidesPanel::draw_side(Explorer& explorer, Side side) const {
  ImGui::PushID(static_cast<int>(index_of(side)));
  const float top = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top + (ImGui::GetFrameHeight() - ImGui::GetTextLineHeight()) / 2);
  draw_side_badge(side);
  ImGui::SameLine(0, em() * 0.5F);
  ImGui::SetCursorPosY(top);
  draw_kernel(explorer, side);
  draw_origin(explorer, side);
  draw_state(explorer, side);
  ImGui::Spacing();
  ImGui::PopID();
}

const char* heading_of(KernelRole role) {
  switch (role) {
    case KernelRole::rung:
      return "The ladder";
    case KernelRole::baseline:
      return "Library baselines";
    case KernelRole::exhibit:
      return "Exhibits: deliberate bugs";
    case KernelRole::micro:
      break;
  }
  return "";
}

void CompareSidesPanel::draw_kernel(Explorer& explorer, Side side) const {
  const float top = ImGui::GetCursorPosY();
  const std::string chosen = key_.experiments[index_of(side)].kernel;
  const float button = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button);
  const bool is_open = ImGui::BeginCombo("##kernel", chosen.empty() ? "Choose a kernel" : chosen.c_str(),
                                         ImGuiComboFlags_HeightLarge);
  landmark(mark(side, "kernel"));
  const float room =
      ImGui::GetItemRectSize().x - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  if (!is_open && ImGui::CalcTextSize(chosen.c_str()).x > room) help_tooltip(chosen);
  if (is_open) choose_kernel(explorer, side, chosen);
  draw_clear(explorer, side, top);
}

void CompareSidesPanel::choose_kernel(Explorer& explorer, Side side, const std::string& chosen) {
  std::string picked;
  for (const KernelRole role : {KernelRole::rung, KernelRole::baseline, KernelRole::exhibit}) {
    ImGui::SeparatorText(heading_of(role));
    for (const KernelDeclaration& kernel : explorer.kernels().all()) {
      if (kernel.role != role) continue;
      if (ImGui::Selectable(kernel.name.c_str(), kernel.name == chosen)) picked = kernel.name;
      landmark(mark(side, "kernel." + kernel.name));
      ImGui::SameLine();
      text_muted(kernel.title);
    }
  }
  ImGui::EndCombo();
  if (!picked.empty() && picked != chosen) explorer.board().get<ComparisonPair>().choose_kernel(side, picked);
}

/// Beside the kernel.
void CompareSidesPanel::draw_clear(Explorer& explorer, Side side, float top) {
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::SetCursorPosY(top);
  ImGui::BeginDisabled(explorer.board().get<ComparisonPair>().choice(side).kind == SideChoice::Kind::none);
  const float size = ImGui::GetFrameHeight();
  if (ImGui::Button("x##clear", {size, size})) explorer.board().get<ComparisonPair>().clear(side);
  landmark(mark(side, "clear"));
  ImGui::EndDisabled();
  help_tooltip("Clear side " + to_string(side));
}

/// Where the side's settings come from.
void CompareSidesPanel::draw_origin(Explorer& explorer, Side side) const {
  using Kind = SideChoice::Kind;
  ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  const Kind kind = pair.choice(side).kind;
  const SharedMeasurement shown = explorer.shown().point();
  SegmentedChoice choice;
  choice.id = "origin";
  choice.strikes_disabled = false;
  choice.segments = {
      {"Sliders", mark(side, "sliders"), ""},
      {"Pinned", mark(side, "pinned"),
       pair.is_of_file(side) ? "A kernel of a file has no sliders here: change its values in Kernel file."
                             : ""},
      {"Point", mark(side, "point"), kind == Kind::point || shown ? "" : "There is no point to choose yet."}};
  choice.current = kind == Kind::sliders  ? 0
                   : kind == Kind::pinned ? 1
                   : kind == Kind::point  ? 2
                                          : choice.segments.size();
  const SegmentedAction action = segmented_choice(choice);
  if (action.hovered) {
    const std::array<std::string, 3> texts{
        "Follows the sliders of the panel Configuration. The other side is pinned where it did.",
        choice.segments[1].why_disabled.empty() ? "Keeps its configuration, with sliders of its own below."
                                                : choice.segments[1].why_disabled,
        choice.segments[2].why_disabled.empty()
            ? "The point that the panel Point shows, as it was measured. Right-click a point in the table, "
              "the ladder or a plot to choose another one."
            : choice.segments[2].why_disabled};
    help_tooltip(texts[*action.hovered]);
  }
  if (!action.chosen || *action.chosen == choice.current) return;
  if (*action.chosen == 0) pair.follow_sliders(side);
  if (*action.chosen == 1) {
    if (kind == Kind::point)
      pair.pin(side, pair.experiment(side));
    else
      pair.pin_sliders(side);
  }
  if (*action.chosen == 2) pair.choose(side, shown);
}

/// Draws the state of the side's point: known, invalid or being measured.
void CompareSidesPanel::draw_state(const Explorer& explorer, Side side) const {
  const ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  const SharedMeasurement point = pair.point(side);
  const std::string invalid = pair.why_invalid(side);
  if (pair.choice(side).kind == SideChoice::Kind::none) {
    text_wrapped(palette().muted, "Empty: choose a kernel, the sliders or a point.");
  } else if (!invalid.empty()) {
    text_wrapped(palette().error, invalid);
  } else if (!point) {
    text_wrapped(palette().muted, explorer.jobs().measures() ? "Measuring..." : "No point of it.");
  } else if (!has_run(point->status)) {
    text_wrapped(palette().error, status_words(*point));
    help_tooltip(point->reason);
  } else if (pair.choice(side).kind == SideChoice::Kind::point) {
    text_wrapped(palette().muted,
                 origin_heading(*point, pair.is_recorded(side)) + ", " + problem_words(*point));
  } else {
    // A line as high as "Measuring...": the rows below must not move away from the mouse when the point arrives.
    text_wrapped(palette().muted, status_words(*point));
  }
  landmark(mark(side, "state"));
}

void CompareSidesPanel::draw_between(Explorer& explorer) {
  ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  if (ImGui::Button("Swap A and B")) pair.swap();
  landmark("sides.swap");
  same_line_if_fits(em() * 7);
  bool both = pair.moves_both();
  if (ImGui::Checkbox("Move both", &both)) pair.set_moves_both(both);
  landmark("sides.move_both");
  help_tooltip("A parameter that you move in one side moves in the other one too, where that has it.");
  if (!pair.is_live(Side::a) && !pair.is_live(Side::b)) return;
  text_wrapped(palette().muted, to_string(explorer.selection().experiment().shape) + ", " +
                                    explorer.selection().device().name);
  help_tooltip(
      "Shape and device of sides that follow the sliders or are pinned. Change them in the panel "
      "Configuration.");
}

void CompareSidesPanel::draw_count() const {
  for (const SideChoice& choice : key_.choices) {
    if (choice.kind == SideChoice::Kind::none) return;
  }
  const auto differ =
      std::count_if(rows_.begin(), rows_.end(), [](const SideRow& row) { return row.differs; });
  text_muted(format_count(differ) + (differ == 1 ? " differs" : " differ"));
  landmark("sides.count");
}

struct SideWidths {
  float names = 0;
  /// In proportion to each other.
  std::array<float, 2> values{};
};

/// [px] Each column has what its texts need where all three do; else names have at least the smaller part of the panel.
SideWidths widths_in(float space, const std::vector<SideRow>& rows) {
  constexpr float share_of_names = 0.45F;
  SideWidths widths{0, {em() * 3, em() * 3}};
  for (const SideRow& row : rows) {
    widths.names = std::max(widths.names, ImGui::CalcTextSize(row.name.c_str()).x + em() * 0.5F);
    for (const Side side : both_sides) {
      float& width = widths.values[index_of(side)];
      const float slider = row.sliders[index_of(side)] ? em() * 7 : 0;
      width = std::max({width, slider, ImGui::CalcTextSize(row.values[index_of(side)].c_str()).x + em()});
    }
  }
  const float left = space - widths.values[0] - widths.values[1];
  widths.names = std::min(widths.names, std::max(left, space * share_of_names));
  return widths;
}

void CompareSidesPanel::draw_rows(Explorer& explorer) {
  if (rows_.empty()) return;
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_ScrollY;
  if (!ImGui::BeginTable("parameters", 3, flags)) return;
  const SideWidths widths = widths_in(ImGui::GetContentRegionAvail().x, rows_);
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, widths.names);
  for (const Side side : both_sides)
    ImGui::TableSetupColumn(to_string(side).c_str(), ImGuiTableColumnFlags_WidthStretch,
                            widths.values[index_of(side)]);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_count();
  for (const Side side : both_sides) {
    ImGui::TableNextColumn();
    draw_side_badge(side);
  }
  for (const SideRow& row : rows_) {
    ImGui::TableNextRow();
    if (row.differs)
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, to_u32(wash(palette().accent, tint_opacity)));
    ImGui::TableNextColumn();
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + em() * 0.15F);
    if (row.differs) ImGui::PushFont(fonts().bold, 0);
    const bool fits = text_in_one_line(row.differs ? palette().text : palette().muted, row.name);
    if (row.differs) ImGui::PopFont();
    if (!fits) help_tooltip(row.name);
    for (const Side side : both_sides) {
      ImGui::TableNextColumn();
      draw_cell(explorer, row, side);
    }
  }
  ImGui::EndTable();
}

void CompareSidesPanel::draw_cell(Explorer& explorer, const SideRow& row, Side side) const {
  const std::string id = mark(side, row.name);
  const auto& slider = row.sliders[index_of(side)];
  if (!slider) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + em() * 0.15F);
    const std::string& value = row.values[index_of(side)];
    const bool fits =
        text_in_one_line(row.differs ? palette().text : palette().muted, value.empty() ? "-" : value);
    landmark(id);
    if (!fits) help_tooltip(value);
    return;
  }
  const SliderAction action = value_cell(id, *slider, row.differs);
  if (action.moved_to) {
    explorer.board().get<ComparisonPair>().move(side, row.name,
                                                parameter_value_from(slider->values[*action.moved_to].value));
  }
  if (action.released) explorer.board().get<ComparisonPair>().end_move();
}

const RegisterPanel register_compare_sides_panel{[] { return std::make_unique<CompareSidesPanel>(); }};

}  // namespace

}  // namespace tilescope
