#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/step/execution_controls.hpp"
#include "app/panels/step/execution_plot.hpp"
#include "app/panels/step/stopped_warps.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/step/execution_view.hpp"

namespace tilescope {

namespace {

class ExecutionPanel : public Panel {
 public:
  ExecutionPanel() : Panel("execution", "Execution", {420, 220}, PanelRole::stepped_block) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    return explorer.board().get<BlockStepping>().stop() &&
           explorer.board().get<BlockStepping>().is_outdated();
  }
  std::vector<std::string> options() const override { return {controls_.option()}; }
  void take_option(const std::string& line) override { controls_.take_option(line); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  static void draw_place(Explorer& explorer, const StepStop& stop);
  static void draw_notes(Explorer& explorer, const StepStop& stop);

  ExecutionControls controls_;
  ExecutionPlot plot_;
};

void ExecutionPanel::draw(Explorer& explorer) {
  BlockStepping& stepping = explorer.board().get<BlockStepping>();
  stepping.want();
  const std::shared_ptr<const StepStop> stop = stepping.stop();
  if (!stop) {
    const MissingAnswer& missing = stepping.missing();
    if (empty_state(missing.heading, missing.text, missing.can_retry ? "Try again" : "")) stepping.retry();
    return;
  }
  controls_.draw(explorer, *stop);
  draw_place(explorer, *stop);
  draw_notes(explorer, *stop);
  const float least = ExecutionPlot::least_height(stop->warps.size());
  const float legend = ImGui::GetTextLineHeightWithSpacing();
  const float room = ImGui::GetContentRegionAvail().y - legend;
  // The table of warps goes below where there is room for both.
  const float table = em() * (1.6F * static_cast<float>(stop->warps.size()) + 4.5F);
  draw_phase_legend();
  if (plot_.is_zoomed()) {
    same_line_if_fits("Whole block");
    if (ImGui::SmallButton("Whole block")) plot_.show_whole();
    landmark("execution.whole");
    help_tooltip("Shows the whole block again, as a double click in the plot does.");
  }
  plot_.draw(explorer, std::clamp(room - table, least, std::max(least, em() * 26)));
  draw_stopped_warps(explorer, *stop);
}

void ExecutionPanel::draw_place(Explorer& explorer, const StepStop& stop) {
  const BlockStepping& stepping = explorer.board().get<BlockStepping>();
  std::string where = round_words(stop);
  const std::string tile = tile_words(stop, stepping.timeline().get());
  if (!tile.empty()) where += ". " + tile;
  ImGui::TextUnformatted(where.c_str());
  landmark("execution.place");
  help_tooltip(
      slot_words(stop) +
      ". The PTX is interpreted. In a round each warp that does not wait issues one instruction, one "
      "after the other: slots and rounds are an order, not a time.");
  const std::uint64_t warp = stepping.view().warp;
  if (warp >= stop.warps.size() || stop.warps[warp].state == "ended") return;
  // In what is left of the line, however long it is: nothing below moves while the user steps.
  const std::string place = warp_place_words(stop.warps[warp]);
  ImGui::SameLine(0, em());
  if (stop.warps[warp].line == 0) {
    text_in_one_line(palette().muted, place);
    return;
  }
  if (line_link_in_one_line("here", place, palette().accent))
    explorer.show_line(stop.warps[warp].line, stop.warps[warp].inlined);
}

void ExecutionPanel::draw_notes(Explorer& explorer, const StepStop& stop) {
  BlockStepping& stepping = explorer.board().get<BlockStepping>();
  if (!stepping.changed_source().empty()) {
    text_wrapped(palette().warning, stepping.changed_source());
    if (ImGui::Button("Restart with the new source")) stepping.restart();
    landmark("execution.restart");
  }
  if (stepping.has_breakpoints()) {
    ImGui::AlignTextToFramePadding();
    text_muted(breakpoint_words(stepping.breakpoints(), stepping.watched_bytes()));
    landmark("execution.breakpoints");
    same_line_if_fits("Clear");
    if (ImGui::Button("Clear")) stepping.clear_breakpoints();
    landmark("execution.clear");
  }
  if (!stepping.not_found().empty()) text_wrapped(palette().muted, stepping.not_found());
  for (const std::string& note : stop_notes(stop)) text_wrapped(palette().warning, note);
}

const RegisterPanel register_execution_panel{[] { return std::make_unique<ExecutionPanel>(); }};

}  // namespace

}  // namespace tilescope
