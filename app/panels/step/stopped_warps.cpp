#include "app/panels/step/stopped_warps.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/line_link.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/memory/block_text.hpp"
#include "profiler/views/memory/number_lists.hpp"
#include "profiler/views/step/execution_view.hpp"

namespace tilescope {

namespace {

constexpr std::uint64_t lanes_of_a_warp = 32;

constexpr ImGuiTableFlags table_flags =
    ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH;

void draw_place(std::size_t w, const WarpStop& warp, const ShowWarpLine& show_line) {
  const std::string place = warp_place_words(warp);
  if (warp.line == 0) {
    text_in_one_line(palette().muted, place);
    return;
  }
  if (line_link_in_one_line("line" + std::to_string(w), place, palette().accent)) show_line(warp);
}

void draw_warp(BlockStepping& stepping, std::size_t w, const WarpStop& warp, const ShowWarpLine& show_line) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_chosen = stepping.view().warp == w;
  if (ImGui::Selectable(std::to_string(w).c_str(), is_chosen)) stepping.choose_warp(w);
  landmark("execution.row." + std::to_string(w));
  ImGui::TableNextColumn();
  const bool waits = warp.state == "at_barrier" || warp.state == "waits_for_lanes";
  text_colored(waits ? palette().warning : palette().text, warp_state_words(warp));
  ImGui::TableNextColumn();
  if (warp.state != "ended") text_muted(warp.phase);
  ImGui::TableNextColumn();
  draw_place(w, warp, show_line);
  ImGui::TableNextColumn();
  if (warp.pending_copies > 0)
    ImGui::TextUnformatted(fmt::format("{} in {}", warp.pending_copies,
                                       counted_noun(static_cast<std::int64_t>(warp.open_groups), "group"))
                               .c_str());
  help_tooltip(
      "cp.async: copies that are issued and not yet written, and groups that are committed and not yet "
      "waited for");
  ImGui::TableNextColumn();
  text_in_one_line(palette().muted, warp.instruction);
  help_tooltip(warp.instruction);
}

void draw_registers(BlockStepping& stepping, const StepStop& stop, std::string& beyond) {
  const bool is_open = ImGui::CollapsingHeader("Registers of a lane");
  landmark("execution.registers");
  // Registers that were just opened come into view.
  if (ImGui::IsItemToggledOpen()) ImGui::SetScrollHereY(0);
  if (!is_open) return stepping.choose_lane(std::nullopt);
  std::uint64_t lane = stepping.view().lane.value_or(0);
  ImGui::AlignTextToFramePadding();
  text_muted(fmt::format("Warp {}, lane", stepping.view().warp));
  ImGui::SameLine(0, em() * 0.3F);
  ImGui::SetNextItemWidth(em() * 3);
  if (ImGui::InputScalar("##lane", ImGuiDataType_U64, &lane))
    beyond = beyond_words("warp", "lane", lane, lanes_of_a_warp);
  landmark("execution.lane");
  stepping.choose_lane(std::min(lane, lanes_of_a_warp - 1));
  if (!beyond.empty()) {
    text_wrapped(palette().warning, beyond);
    landmark("execution.lane_beyond");
  }
  if (stop.registers.empty()) return text_muted("No register of this lane holds a value here.");
  const auto columns = std::max(1, static_cast<int>(ImGui::GetContentRegionAvail().x / (em() * 15)));
  if (!ImGui::BeginTable("registers", columns, ImGuiTableFlags_SizingStretchSame)) return;
  const MonoText mono;
  for (const RegisterStop& one : stop.registers) {
    ImGui::TableNextColumn();
    text_muted(fmt::format("{:8}", one.name));
    ImGui::SameLine(0, em() * 0.4F);
    ImGui::TextUnformatted(one.value.c_str());
    help_tooltip(one.name + " " + one.type);
  }
  ImGui::EndTable();
}

}  // namespace

void draw_stopped_warps(BlockStepping& stepping, const StepStop& stop, const ShowWarpLine& show_line,
                        std::string& beyond) {
  if (ImGui::BeginTable("warps", 6, table_flags)) {
    for (const char* name : {"Warp", "State", "Phase"}) ImGui::TableSetupColumn(name);
    ImGui::TableSetupColumn("Line", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupColumn("Copies in flight");
    ImGui::TableSetupColumn("Next instruction", ImGuiTableColumnFlags_WidthStretch, 1.4F);
    ImGui::TableHeadersRow();
    for (std::size_t w = 0; w < stop.warps.size(); ++w) draw_warp(stepping, w, stop.warps[w], show_line);
    ImGui::EndTable();
  }
  // Below the table, whose rows then stay under the mouse.
  for (const BarrierStop& barrier : stop.barriers) text_wrapped(palette().warning, barrier_words(barrier));
  for (const MbarrierStop& barrier : stop.mbarriers) {
    text_wrapped(
        palette().text,
        fmt::format("mbarrier at byte {}: phase {}, {} of {} arrivals missing, {} B of transactions missing",
                    barrier.offset, barrier.phase, barrier.pending, barrier.expected,
                    barrier.transaction_bytes));
  }
  draw_registers(stepping, stop, beyond);
}

}  // namespace tilescope
