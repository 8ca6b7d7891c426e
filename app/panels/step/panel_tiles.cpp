#include <imgui.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/step/step_stop.hpp"
#include "app/panels/step/tiles_plane.hpp"
#include "app/panels/step/tiles_strips.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/step/tiles_view.hpp"

namespace tilescope {

namespace {

/// The plane of scores of one head, and what the stepped block has of Q, K and V in shared memory.
class TilesPanel : public Panel {
 public:
  TilesPanel() : Panel("tiles", "Tiles", {360, 320}) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    return stop_ != nullptr && explorer.board().get<BlockStepping>().is_outdated();
  }
  bool has_table() const override { return true; }
  std::string csv() const override { return stop_ == nullptr ? "" : tiles_csv(view_); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void derive(Explorer& explorer, const std::shared_ptr<const StepStop>& stop);
  void find_rows(Explorer& explorer, TilesSubject& subject);
  void draw_words() const;
  void draw_figures() const;
  void take(Explorer& explorer, TilesPlaneAction::Cell cell) const;

  /// Input of view_; nullptr if there is no stop.
  std::shared_ptr<const StepStop> stop_;
  std::shared_ptr<const StepTimeline> timeline_;
  std::shared_ptr<const StepRowHistory> row_;
  TilesView view_;
  /// Rows of the block that earlier stops showed.
  Experiment seen_experiment_;
  std::uint64_t seen_block_ = 0;
  std::optional<IndexRange> seen_rows_;
  /// They were asked of the probes, once for a block.
  bool asked_rows_ = false;
};

void TilesPanel::draw(Explorer& explorer) {
  const auto stop = step_stop_or_reason(explorer);
  if (!stop) {
    stop_ = nullptr;
    return;
  }
  derive(explorer, stop);
  draw_words();
  const float below = (3 + static_cast<float>(view_.lines.size())) * ImGui::GetTextLineHeightWithSpacing();
  const float space = ImGui::GetContentRegionAvail().y;
  const TilesPlaneAction action = draw_tiles_plane(view_, std::max(space - below, space * 0.5F));
  draw_tiles_legend(view_);
  draw_figures();
  draw_held_lines(view_);
  if (action.clicked) take(explorer, *action.clicked);
}

/// Once for each stop. While another configuration is awaited the last one stays.
void TilesPanel::derive(Explorer& explorer, const std::shared_ptr<const StepStop>& stop) {
  const BlockStepping& stepping = explorer.board().get<BlockStepping>();
  if (stop_ != nullptr && stepping.is_outdated()) return;
  if (stop == stop_ && stepping.timeline() == timeline_ && stepping.row() == row_) return;
  stop_ = stop;
  timeline_ = stepping.timeline();
  row_ = stepping.row();
  const Experiment& experiment = explorer.selection().experiment();
  TilesSubject subject = tiles_subject(explorer.selection().kernel(), experiment, stepping.block());
  find_rows(explorer, subject);
  view_ = tiles_view(subject, *stop, timeline_.get());
  if (view_.plane.found_rows) seen_rows_ = view_.plane.found_rows;
}

/// Registers may have taken Q out of shared memory long ago: what earlier stops and the probes say.
void TilesPanel::find_rows(Explorer& explorer, TilesSubject& subject) {
  BlockStepping& stepping = explorer.board().get<BlockStepping>();
  const Experiment& experiment = explorer.selection().experiment();
  if (experiment != seen_experiment_ || subject.block != seen_block_) {
    seen_experiment_ = experiment;
    seen_block_ = subject.block;
    seen_rows_.reset();
    asked_rows_ = false;
  }
  subject.seen_rows = seen_rows_;
  if (row_ != nullptr && row_->source_sha256 == stop_->source_sha256) subject.probed_rows = row_->rows;
  const bool is_known = seen_rows_ || !subject.probed_rows.empty() || !stop_->has_probes;
  if (is_known || std::exchange(asked_rows_, true)) return;
  // The grid does not say it of every kernel. Once is enough: the panel Softmax asks for the row that it shows.
  if (row_ == nullptr && !tiles_view(subject, *stop_, timeline_.get()).plane.row) stepping.want_row(-1);
}

void TilesPanel::draw_words() const {
  const TilesPlane& plane = view_.plane;
  ImGui::PushFont(fonts().bold, 0);
  text_wrapped(palette().text,
               "S = Q K^T" + (plane.head.empty() ? "" : ", " + plane.head) + ": " + view_.progress);
  ImGui::PopFont();
  landmark("tiles.progress");
  text_wrapped(palette().muted, plane.rows_from + ". " + plane.tiles_from + ".");
  landmark("tiles.origin");
  help_tooltip(
      "One block of the PTX is executed; the GPU executes machine code, and other blocks beside it.");
  for (const std::string& note : plane.notes) text_wrapped(palette().warning, note);
}

/// As many pairs in a line as fit.
void TilesPanel::draw_figures() const {
  section_heading("Moved so far", "counted of this block's PTX");
  float widest = 0;
  for (const auto& [label, value] : view_.figures)
    widest = std::max(widest, ImGui::CalcTextSize((label + value).c_str()).x);
  const float pair = widest + 3 * em();
  const int pairs = std::clamp(static_cast<int>(ImGui::GetContentRegionAvail().x / pair), 1, 3);
  if (!ImGui::BeginTable("figures", 2 * pairs, ImGuiTableFlags_SizingFixedFit)) return;
  for (const auto& [label, value] : view_.figures) {
    ImGui::TableNextColumn();
    text_muted(label);
    ImGui::TableNextColumn();
    const MonoText mono;
    text_colored(palette().text, value + (pairs > 1 ? "   " : ""));
    landmark("tiles.figure." + label);
  }
  ImGui::EndTable();
  help_tooltip(
      "Unfused: Q K^T, softmax and P V as three kernels that write and read S and P, for the same tiles.");
}

void TilesPanel::take(Explorer& explorer, TilesPlaneAction::Cell cell) const {
  BlockStepping& stepping = explorer.board().get<BlockStepping>();
  const TilesPlane& plane = view_.plane;
  if (plane.row != cell.row) {
    if (plane.blocks[cell.row]) stepping.choose_block(*plane.blocks[cell.row]);
    return;
  }
  const std::int64_t tile = tile_to_go_to(plane.at(cell.row, cell.key), stop_->progress.tile);
  if (tile == 0) return;
  StepTarget target;
  target.kind = StepTarget::Kind::tile;
  target.number = tile;
  stepping.go(target);
}

const RegisterPanel register_tiles_panel{[] { return std::make_unique<TilesPanel>(); }};

}  // namespace

}  // namespace tilescope
