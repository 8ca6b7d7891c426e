#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/step/softmax_plots.hpp"
#include "app/panels/step/softmax_table.hpp"
#include "app/panels/step/step_stop.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "app/widgets/tinted_box.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/views/step/softmax_view.hpp"
#include "profiler/views/step/tiles_plane.hpp"

namespace tilescope {

namespace {

/// The online softmax of one query row of the stepped block, tile after tile.
class SoftmaxPanel : public Panel {
 public:
  SoftmaxPanel() : Panel("softmax", "Softmax", {360, 320}) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    return history_ != nullptr && explorer.board().get<BlockStepping>().is_outdated();
  }
  bool has_table() const override { return true; }
  std::string csv() const override { return history_ == nullptr ? "" : softmax_csv(view_); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void take(Explorer& explorer, const std::shared_ptr<const StepStop>& stop);
  void seek_masked_row(Explorer& explorer, const StepRowHistory& history);
  void draw_controls(Explorer& explorer);
  void draw_row_choice();
  void draw_inputs(Explorer& explorer);
  void draw_masked_choice(Explorer& explorer);
  void seek_masked(Explorer& explorer, Experiment experiment);
  void draw_parts();
  void draw_tiles(Explorer& explorer);
  void draw_naive() const;

  /// -1 for the one with the largest error.
  std::int64_t row_ = -1;
  /// The block that row_ belongs to.
  std::uint64_t block_ = 0;
  /// Input of view_; nullptr while there is nothing to show.
  std::shared_ptr<const StepRowHistory> history_;
  std::shared_ptr<const StepStop> stop_;
  SoftmaxView view_;
  /// Into StepRowHistory::parts.
  std::size_t part_ = 0, shown_part_ = 0;
  bool scrolls_ = false;
  /// A row that sees no key was asked for, and is looked for in these blocks.
  std::optional<std::vector<std::uint64_t>> sought_;
};

void SoftmaxPanel::draw(Explorer& explorer) {
  const auto stop = step_stop_or_reason(explorer);
  if (!stop) {
    history_ = nullptr;
    return;
  }
  if (!stop->has_probes) {
    history_ = nullptr;
    empty_state("The kernel names no values",
                "This panel shows the scores, m, l and the output that a kernel names by probes, and this "
                "kernel has none. "
                "Add them as kernels/device/probe.cuh says, probe(\"m\", row, value) and the like, or choose "
                "a kernel "
                "that has them, such as mma_flash.");
    return;
  }
  take(explorer, stop);
  draw_controls(explorer);
  if (history_ == nullptr) {
    const auto row = explorer.board().get<BlockStepping>().row();
    const auto timeline = explorer.board().get<BlockStepping>().timeline();
    if (row != nullptr && row->rows.empty() && timeline != nullptr && timeline->tiles.empty()) {
      empty_state("The block visits no tile of keys",
                  "Its probes name no row. With a causal mask that hides all keys of the block's rows the "
                  "output is zeros: "
                  "choose another block in the panel Tiles.");
    } else if (row != nullptr && row->rows.empty()) {
      empty_state("No row to show", row->missing);
    } else {
      empty_state("Reading the row...", "The block is executed once more, and what its probes name is kept.");
    }
    return;
  }
  for (const std::string& note : view_.notes) text_wrapped(palette().warning, note);
  draw_parts();
  draw_tiles(explorer);
}

/// The newest row and stop. While another configuration is awaited the last ones stay.
void SoftmaxPanel::take(Explorer& explorer, const std::shared_ptr<const StepStop>& stop) {
  BlockStepping& stepping = explorer.board().get<BlockStepping>();
  if (stepping.block() != std::exchange(block_, stepping.block())) row_ = -1;
  if (stepping.is_outdated()) return;
  stepping.want_row(row_);
  const auto history = stepping.row();
  if (history != nullptr && sought_) seek_masked_row(explorer, *history);
  if (history == nullptr || history->rows.empty()) {
    history_ = nullptr;
    return;
  }
  // A row of another block, or of a shape that had more: the worst one instead.
  if (!history->missing.empty() && !history->rows.empty() && history->row == row_) row_ = -1;
  if (!history->missing.empty()) return;
  const bool is_same = history == history_ && stop == stop_ && part_ == shown_part_;
  if (is_same) return;
  if (part_ >= history->parts.size()) part_ = 0;
  const bool is_end = stop->slot >= stop->slots;
  scrolls_ |= history_ == nullptr || stop_ == nullptr || stop->slot != stop_->slot;
  history_ = history;
  stop_ = stop;
  shown_part_ = part_;
  view_ = softmax_view(*history, explorer.selection().experiment().shape, stop->slot, part_, is_end);
}

/// Which block has a row is up to the kernel: those that may have it are tried one after the other.
void SoftmaxPanel::seek_masked_row(Explorer& explorer, const StepRowHistory& history) {
  const std::int64_t row = masked_rows(explorer.selection().experiment().shape) - 1;
  if (std::binary_search(history.rows.begin(), history.rows.end(), row)) {
    row_ = row;
    sought_.reset();
  } else if (!sought_->empty()) {
    explorer.board().get<BlockStepping>().choose_block(sought_->front());
    sought_->erase(sought_->begin());
  } else {
    sought_.reset();
    explorer.notices().say(
        fmt::format("Row {} sees no key; its block was not found. Choose it in the panel Tiles.", row));
  }
}

void SoftmaxPanel::draw_controls(Explorer& explorer) {
  draw_row_choice();
  draw_inputs(explorer);
  draw_masked_choice(explorer);
  if (history_ == nullptr) return;
  text_wrapped(palette().muted, view_.heading + ". PTX is interpreted, not the machine code.");
  landmark("softmax.heading");
}

void SoftmaxPanel::draw_row_choice() {
  const bool is_there = history_ != nullptr;
  std::int64_t row = is_there ? history_->row : std::max<std::int64_t>(row_, 0);
  ImGui::AlignTextToFramePadding();
  text_muted("Row");
  ImGui::SameLine();
  const auto step = [&](const char* id, ImGuiDir side, int direction, const char* mark) {
    const std::int64_t next = is_there ? neighbour_row(history_->rows, row, direction) : row;
    ImGui::BeginDisabled(next == row);
    if (ImGui::ArrowButton(id, side)) row_ = next;
    ImGui::EndDisabled();
    landmark(mark);
    ImGui::SameLine(0, em() * 0.2F);
  };
  step("##previous", ImGuiDir_Left, -1, "softmax.previous");
  ImGui::SetNextItemWidth(em() * 4);
  {
    const MonoText mono;
    const bool entered =
        ImGui::InputScalar("##row", ImGuiDataType_S64, &row, nullptr, nullptr, nullptr,
                           ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (entered && is_there && !history_->rows.empty())
      row_ = std::clamp(row, history_->rows.front(), history_->rows.back());
  }
  landmark("softmax.row");
  help_tooltip("The query row in the sequence; Enter takes another one of the block.");
  ImGui::SameLine(0, em() * 0.2F);
  step("##next", ImGuiDir_Right, 1, "softmax.next");
  ImGui::BeginDisabled(!is_there || history_->worst_row < 0);
  if (ImGui::Button("Worst row")) row_ = history_->worst_row;
  ImGui::EndDisabled();
  landmark("softmax.worst");
  help_tooltip(is_there ? view_.worst : "");
}

void SoftmaxPanel::draw_inputs(Explorer& explorer) {
  BlockStepping& stepping = explorer.board().get<BlockStepping>();
  SegmentedChoice choice;
  choice.id = "inputs";
  choice.segments = {{"Random", "softmax.random", ""}, {"Large logits", "softmax.large", ""}};
  choice.current = stepping.inputs() == StepInputs::random ? 0 : 1;
  choice.fills_width = false;
  same_line_if_fits("RandomLarge logits        ");
  const SegmentedAction action = segmented_choice(choice);
  if (action.chosen)
    stepping.choose_inputs(*action.chosen == 0 ? StepInputs::random : StepInputs::large_logits);
}

/// Rows that see no key: a shape with more queries than keys, with the causal mask.
void SoftmaxPanel::draw_masked_choice(Explorer& explorer) {
  Experiment experiment = explorer.selection().experiment();
  const bool is_set = masked_rows(experiment.shape) > 0;
  experiment.shape = all_masked_shape(experiment.shape);
  const std::string why_not = why_invalid(explorer.selection().kernel(), experiment.parameters,
                                          experiment.shape, explorer.selection().device());
  same_line_if_fits("All-masked row");
  ImGui::BeginDisabled(!why_not.empty());
  if (ImGui::Button("All-masked row")) {
    seek_masked(explorer, std::move(experiment));
  }
  ImGui::EndDisabled();
  landmark("softmax.masked");
  help_tooltip(
      !why_not.empty() ? why_not
      : is_set         ? "Goes to a row that sees no key."
               : "Sets a causal mask and fewer keys than queries: the first rows see no key. Undo takes it "
                 "back.");
}

void SoftmaxPanel::seek_masked(Explorer& explorer, Experiment experiment) {
  const KernelDeclaration& kernel = explorer.selection().kernel();
  const LaunchGeometry launch = launch_geometry(kernel, kernel.complete(experiment.parameters),
                                                experiment.shape, explorer.selection().device());
  sought_ = blocks_to_try(launch, experiment.shape, tiles_subject(kernel, experiment, 0).block_m,
                          masked_rows(experiment.shape) - 1);
  if (!sought_->empty()) {
    explorer.board().get<BlockStepping>().choose_block(sought_->front());
    sought_->erase(sought_->begin());
  }
  history_ = nullptr;
  if (experiment == explorer.selection().experiment()) return;
  explorer.notices().inform(
      fmt::format("For a row that sees no key the sliders are set to causal, Sk {}. Undo takes it back.",
                  experiment.shape.Sk));
  explorer.selection().set_experiment(std::move(experiment));
}

/// A kernel may divide the keys of a row among its warps.
void SoftmaxPanel::draw_parts() {
  if (view_.parts.size() < 2) return;
  SegmentedChoice choice;
  choice.id = "parts";
  for (const SoftmaxPart& part : view_.parts) {
    const std::string warp = std::to_string(part.warp);
    choice.segments.push_back({"Warp " + warp, "softmax.part." + warp, ""});
  }
  choice.current = part_;
  choice.fills_width = false;
  const SegmentedAction action = segmented_choice(choice);
  if (action.chosen) part_ = *action.chosen;
}

void SoftmaxPanel::draw_tiles(Explorer& explorer) {
  if (shown_part_ >= view_.parts.size())
    return text_wrapped(palette().muted, "The probes name no value of this row.");
  const SoftmaxPart& part = view_.parts[shown_part_];
  const float height = std::max(ImGui::GetContentRegionAvail().y * 0.35F, 7 * em());
  const auto slot = draw_softmax_table(part, height, std::exchange(scrolls_, false));
  if (slot) {
    StepTarget target;
    target.number = static_cast<std::int64_t>(*slot);
    explorer.board().get<BlockStepping>().go(target);
  }
  text_wrapped(palette().text, part.now < part.tiles.size()
                                   ? part.tiles[part.now].text
                                   : "No tile of this row is finished: the first values stand behind it.");
  landmark("softmax.text");
  draw_naive();
  const float plot = std::clamp(ImGui::GetContentRegionAvail().y * 0.35F, 8 * em(), 14 * em());
  draw_scores(view_.strip, plot);
  draw_running_plots(part, plot);
  draw_softmax_output(view_.output);
}

void SoftmaxPanel::draw_naive() const {
  const TintedBox box("naive", view_.naive.overflows ? palette().error : palette().accent);
  text_wrapped(palette().text, view_.naive.text);
  landmark("softmax.naive");
}

const RegisterPanel register_softmax_panel{[] { return std::make_unique<SoftmaxPanel>(); }};

}  // namespace

}  // namespace tilescope
