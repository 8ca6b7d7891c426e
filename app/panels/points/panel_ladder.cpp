#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "app/explorer/explorer.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/compare/compare_items.hpp"
#include "app/panels/points/ladder_plot.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/points/ladder_kernels.hpp"
#include "sessions/views/points/panel_csv.hpp"

namespace tilescope {

namespace {

/// The best configuration of each kernel, by shape.
class LadderPanel : public Panel {
 public:
  LadderPanel() : Panel("ladder", "Ladder", {440, 190}, PanelRole::several_kernels) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return ladder_csv(ladder_.groups()); }
  std::vector<std::string> options() const override;
  void take_option(const std::string& line) override;

 protected:
  void draw(Explorer& explorer) override;

 private:
  void update_kernels(const Explorer& explorer);
  bool has_shape(const Shape& shape) const;
  void draw_shape_picker();
  void draw_quantity();
  static void draw_nothing(Explorer& explorer);
  void draw_groups(Explorer& explorer);
  void draw_summary();

  Ladder ladder_;
  LadderKernels kernels_;
  std::uint64_t kernels_revision_ = 0;
  LadderView view_;
  /// Nothing: all of them.
  std::optional<Shape> shape_;
  /// A group that was clicked in the summary: it comes to the top.
  std::optional<std::size_t> scroll_to_;
};

std::vector<std::string> LadderPanel::options() const {
  return {view_.quantity == LadderQuantity::speed ? "show speed" : "show latency",
          view_.log ? "scale log" : "scale linear"};
}

void LadderPanel::take_option(const std::string& line) {
  if (line == "show speed") view_.quantity = LadderQuantity::speed;
  if (line == "show latency") view_.quantity = LadderQuantity::latency;
  if (line == "scale log") view_.log = true;
  if (line == "scale linear") view_.log = false;
}

void LadderPanel::update_kernels(const Explorer& explorer) {
  if (kernels_revision_ == explorer.kernels().revision()) return;
  kernels_revision_ = explorer.kernels().revision();
  kernels_ = ladder_kernels(explorer.kernels().all());
}

bool LadderPanel::has_shape(const Shape& shape) const {
  return std::any_of(ladder_.groups().begin(), ladder_.groups().end(),
                     [&](const LadderGroup& group) { return group.shape == shape; });
}

void LadderPanel::draw(Explorer& explorer) {
  update_kernels(explorer);
  ladder_.update(explorer.points().list(), explorer.points().recorded(), kernels_,
                 explorer.kernels().sources());
  if (!ladder_.is_complete()) explorer.notices().draw_again();
  if (ladder_.groups().empty()) return draw_nothing(explorer);
  if (shape_ && !has_shape(*shape_)) shape_.reset();
  draw_shape_picker();
  draw_quantity();
  if (ladder_.kernels() < 2) {
    text_wrapped(palette().muted,
                 "One kernel so far: measure another one, or open a recorded session, to compare.");
  }
  draw_ladder_legend(ladder_.groups());
  draw_groups(explorer);
}

void LadderPanel::draw_nothing(Explorer& explorer) {
  namespace fs = std::filesystem;
  const std::string text =
      "The ladder compares the best correct configuration of each kernel at each shape. It needs points with "
      "a measured or a predicted latency: move a slider, or open a recorded session.";
  const fs::path example = explorer.installation().examples / "ladder_h200.json";
  std::error_code ignored;
  const bool is_there = fs::exists(example, ignored);
  if (empty_state("Nothing to compare yet", text, is_there ? "Open ladder_h200" : ""))
    explorer.points().begin_opening_recorded(example);
  if (is_there) landmark("ladder.open_example");
}

void LadderPanel::draw_shape_picker() {
  std::vector<Shape> shapes;
  for (const LadderGroup& group : ladder_.groups()) {
    if (std::find(shapes.begin(), shapes.end(), group.shape) == shapes.end()) shapes.push_back(group.shape);
  }
  if (shapes.size() < 2) return;
  const std::string all = "All shapes (" + format_count(static_cast<std::int64_t>(shapes.size())) + ")";
  ImGui::SetNextItemWidth(std::clamp(ImGui::GetContentRegionAvail().x - em() * 19, em() * 9, em() * 16));
  if (ImGui::BeginCombo("##shape", shape_ ? to_string(*shape_).c_str() : all.c_str(),
                        ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable(all.c_str(), !shape_)) shape_.reset();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (ImGui::Selectable(to_string(shapes[i]).c_str(), shape_ == shapes[i])) shape_ = shapes[i];
      landmark("ladder.shape." + std::to_string(i));
    }
    ImGui::EndCombo();
  }
  landmark("ladder.shape");
  ImGui::SameLine(0, em());
}

void LadderPanel::draw_quantity() {
  SegmentedChoice quantity;
  quantity.id = "quantity";
  quantity.segments = {{"TFLOP/s", "ladder.speed", ""}, {"Latency", "ladder.latency", ""}};
  quantity.current = view_.quantity == LadderQuantity::speed ? 0 : 1;
  quantity.fills_width = false;
  const SegmentedAction action = segmented_choice(quantity);
  if (action.chosen) view_.quantity = *action.chosen == 0 ? LadderQuantity::speed : LadderQuantity::latency;
  if (action.hovered)
    help_tooltip(*action.hovered == 0 ? "Longer bars are faster." : "Shorter bars are faster.");
  ImGui::SameLine(0, em());
  ImGui::Checkbox("Log scale", &view_.log);
  landmark("ladder.log");
  help_tooltip("A logarithmic axis separates fast kernels from each other when a slow one is beside them.");
}

/// A line for each group, so that the best kernels are read without scrolling.
void LadderPanel::draw_summary() {
  const std::vector<LadderGroup>& groups = ladder_.groups();
  if (shape_ || groups.size() < 2) return;
  const bool one_device = std::all_of(groups.begin(), groups.end(), [&](const LadderGroup& group) {
    return group.device == groups.front().device;
  });
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {em() * 0.35F, 0});
  if (ImGui::BeginTable("summary", one_device ? 4 : 5, ImGuiTableFlags_SizingFixedFit)) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (draw_ladder_line(ladder_line(groups[i]), i, !one_device)) scroll_to_ = i;
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::Dummy({0, em() * 0.4F});
}

void LadderPanel::draw_groups(Explorer& explorer) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool visible = ImGui::BeginChild("groups");
  ImGui::PopStyleVar();  // Tooltips have their padding.
  if (visible) {
    const LadderColumns columns = ladder_columns(ladder_.groups());
    draw_summary();
    for (std::size_t i = 0; i < ladder_.groups().size(); ++i) {
      const LadderGroup& group = ladder_.groups()[i];
      if (shape_ && group.shape != *shape_) continue;
      if (scroll_to_ == i) {
        ImGui::SetScrollFromPosY(ImGui::GetCursorScreenPos().y - ImGui::GetWindowPos().y, 0);
        scroll_to_.reset();
      }
      const SharedMeasurement clicked =
          draw_ladder_group(group, i, columns, view_, explorer.shown().point(),
                            [&](const SharedMeasurement& point) { compare_items(explorer, point); });
      if (clicked) explorer.shown().show(clicked);
    }
  }
  ImGui::EndChild();
}

const RegisterPanel register_ladder_panel{[] { return std::make_unique<LadderPanel>(); }};

}  // namespace

}  // namespace tilescope
