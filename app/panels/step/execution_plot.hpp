#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/views/step/execution_view.hpp"

namespace tilescope {

class BlockStepping;

/// The warps of a stepped block as rows, the order of its instructions across.
class ExecutionPlot {
 public:
  /// `height` [px] of the plot with its axis.
  void draw(BlockStepping& stepping, float height);
  static float least_height(std::size_t warps);
  bool is_zoomed() const;
  void show_whole();

 private:
  struct Area;
  void derive(const BlockStepping& stepping);
  void take_mouse(BlockStepping& stepping, const Area& area);
  void take_wheel(const Area& area);
  void move_head(BlockStepping& stepping, const Area& area) const;
  void draw_runs(const Area& area, const std::vector<std::vector<PhaseRun>>& warps) const;
  void draw_instructions(const Area& area, const StepTimeline& range) const;
  void draw_marks(const Area& area, const StepTimeline& timeline) const;
  void draw_play_head(const Area& area) const;
  void draw_axis(const Area& area) const;
  void explain(const Area& area, const StepTimeline& shown) const;

  std::shared_ptr<const StepStop> stop_;
  std::shared_ptr<const StepTimeline> whole_, range_;
  std::vector<std::vector<PhaseRun>> whole_runs_, range_runs_;
  RoundWindow window_;
  /// The play head that the window followed last.
  std::uint64_t followed_ = ~std::uint64_t{0};
  /// The part that the pressed button moves.
  enum class Drag { none, play_head, window };
  Drag drag_ = Drag::none;
};

/// The colors of the plot by name, of those phases that the block has.
void draw_phase_legend(const StepTimeline* timeline);

}  // namespace tilescope
