#include "app/window/state_file.hpp"

#include <fstream>
#include <string>
#include <system_error>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/latency_meter_text.hpp"
#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/gui/graphics.hpp"
#include "app/gui/landmarks.hpp"
#include "base/json.hpp"

namespace tilescope {

namespace {

/// The focus of the panels of the recorded block.
Json memory_state(const Explorer& explorer) {
  const auto block = explorer.board().get<BlockRecorder>().shown();
  if (!block) return {{"missing", explorer.board().get<BlockRecorder>().missing().heading}};
  const auto site = explorer.board().get<MemoryFocus>().site_in(*block);
  std::uint64_t wavefronts = 0, excess = 0;
  for (const SiteTotals& totals : block->totals) {
    wavefronts += totals.wavefronts;
    excess += totals.excess();
  }
  return {
      {"experiment", block->experiment},
      {"block", block->block},
      {"wavefronts", wavefronts},
      {"excess", excess},
      {"accesses", block->recording.accesses.size()},
      {"waits", explorer.board().get<BlockRecorder>().waits()},
      {"counted", explorer.board().get<KernelCounts>().shown() != nullptr &&
                      !explorer.board().get<KernelCounts>().waits()},
      {"site", site ? Json(block->recording.sites[*site]) : Json()},
      {"execution", site ? Json(explorer.board().get<MemoryFocus>().execution_in(*block, *site)) : Json()}};
}

/// Which two are compared, and what is said of them.
Json comparison_state(const Explorer& explorer) {
  const ComparisonPair& pair = explorer.board().get<ComparisonPair>();
  const auto& comparison = pair.comparison();
  return {{"a", pair.experiment(Side::a)},
          {"b", pair.experiment(Side::b)},
          {"waits", pair.waits()},
          {"outdated", pair.is_outdated()},
          {"explains", pair.is_explaining()},
          {"basis", comparison ? Json(to_string(comparison->basis)) : Json()},
          {"verdict", comparison ? Json(to_string(comparison->verdict)) : Json()},
          {"ratio", comparison && comparison->ratio ? Json(comparison->ratio->value) : Json()}};
}

}  // namespace

void write_state_file(const std::filesystem::path& file, const Explorer& explorer,
                      const std::string& workspace, const Json& frame_cost) {
  const auto point = explorer.jobs().current_point();
  const ImVec2 mouse = ImGui::GetMousePos();
  const Json state = {
      {"frame", ImGui::GetFrameCount()},
      {"mouse", {mouse.x, mouse.y}},
      {"workspace", workspace},
      {"points", explorer.points().list().size()},
      {"recorded", explorer.points().recorded().size()},
      {"experiment", explorer.selection().experiment()},
      {"status", point ? Json(to_string(point->status)) : Json()},
      {"older_source", point && is_of_older_source(*point, explorer.kernels().sources())},
      {"current_sources", explorer.kernels().sources().size()},
      {"declaration_error", explorer.selection().declaration_error()},
      {"opening", explorer.points().opening()},
      {"shown", explorer.shown().point() ? Json(experiment_of(*explorer.shown().point())) : Json()},
      {"shows_another", explorer.shown().is_another()},
      {"measuring", explorer.jobs().measuring()},
      {"partial", explorer.jobs().measuring() ? Json(shown_stage(explorer)) : Json()},
      {"memory", memory_state(explorer)},
      {"comparison", comparison_state(explorer)},
      {"sweeping", explorer.jobs().sweep() != nullptr},
      {"can_undo", explorer.selection().can_undo()},
      {"can_redo", explorer.selection().can_redo()},
      {"file", explorer.points().document().file().string()},
      {"dirty", explorer.points().document().is_dirty()},
      {"writing", explorer.points().document().is_writing()},
      {"messages", explorer.notices().errors()},
      {"worker_pid", explorer.jobs().worker_pid()},
      {"frame_cost", frame_cost},
      {"latency_meter", latency_meter_json(explorer.meter())},
      {"widgets", Json::parse(landmarks_json())}};
  // Written beside the file and renamed over it. Not flushed to the disk, since it is read while the window runs.
  std::filesystem::path beside = file;
  beside += ".new";
  std::ofstream(beside) << state.dump() << '\n';
  std::error_code ignored;
  std::filesystem::rename(beside, file, ignored);
}

std::string shown_stage(const Explorer& explorer) {
  const auto& partial = explorer.jobs().partial_point();
  if (explorer.jobs().measuring()) return partial ? to_string(partial->stage) : "asked";
  return explorer.jobs().current_point() ? "final" : "";
}

void write_requested_picture(const std::filesystem::path& file, const std::string& stage, int width,
                             int height) {
  std::filesystem::path request = file;
  request += ".picture";
  std::ifstream lines(request);
  std::string picture, wanted_stage;
  if (!std::getline(lines, picture)) return;
  if (std::getline(lines, wanted_stage) && wanted_stage != stage) return;
  write_png(picture, width, height);
  std::filesystem::remove(request);
}

}  // namespace tilescope
