#include "app/panels/step/execution_pane.hpp"

#include <imgui.h>

#include <algorithm>
#include <memory>

#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/step/execution_view.hpp"

namespace tilescope {

void ExecutionPane::draw(BlockStepping& stepping, const ShowWarpLine& show_line) {
  stepping.want();
  const std::shared_ptr<const StepStop> stop = stepping.stop();
  if (!stop) {
    const MissingAnswer& missing = stepping.missing();
    if (empty_state(missing.heading, missing.text, missing.can_retry ? "Try again" : "")) stepping.retry();
    return;
  }
  controls_.draw(stepping, *stop);
  draw_place(stepping, *stop, show_line);
  draw_notes(stepping, *stop);
  const float least = ExecutionPlot::least_height(stop->warps.size());
  const float legend = ImGui::GetTextLineHeightWithSpacing();
  const float room = ImGui::GetContentRegionAvail().y - legend;
  // The table of warps goes below where there is room for both.
  const float table = em() * (1.6F * static_cast<float>(stop->warps.size()) + 4.5F);
  draw_legend(stepping);
  plot_.draw(stepping, std::clamp(room - table, least, std::max(least, em() * 26)));
  draw_stopped_warps(stepping, *stop, show_line, lane_beyond_);
}

void ExecutionPane::draw_legend(const BlockStepping& stepping) {
  draw_phase_legend(stepping.timeline().get());
  if (!plot_.is_zoomed()) return;
  same_line_if_fits("Whole block");
  if (ImGui::SmallButton("Whole block")) plot_.show_whole();
  landmark("execution.whole");
  help_tooltip("Shows the whole block again, as a double click in the plot does.");
}

void ExecutionPane::draw_place(const BlockStepping& stepping, const StepStop& stop,
                               const ShowWarpLine& show_line) {
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
  if (line_link_in_one_line("here", place, palette().accent)) show_line(stop.warps[warp]);
}

void ExecutionPane::draw_notes(BlockStepping& stepping, const StepStop& stop) {
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

}  // namespace tilescope
