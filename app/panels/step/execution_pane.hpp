#pragma once

#include <string>

#include "app/panels/step/execution_controls.hpp"
#include "app/panels/step/execution_plot.hpp"
#include "app/panels/step/stopped_warps.hpp"

namespace tilescope {

class BlockStepping;

/// A block at its play head: the buttons that move it, the warps over the whole block, and each warp at the stop.
class ExecutionPane {
 public:
  /// Asks for the block, and draws what is missing before there is a stop. `show_line` follows the link to a line.
  void draw(BlockStepping& stepping, const ShowWarpLine& show_line);

  /// As ExecutionControls.
  std::string option() const { return controls_.option(); }
  void take_option(const std::string& line) { controls_.take_option(line); }

 private:
  static void draw_place(const BlockStepping& stepping, const StepStop& stop, const ShowWarpLine& show_line);
  static void draw_notes(BlockStepping& stepping, const StepStop& stop);
  void draw_legend(const BlockStepping& stepping);

  ExecutionControls controls_;
  ExecutionPlot plot_;
  std::string lane_beyond_;
};

}  // namespace tilescope
