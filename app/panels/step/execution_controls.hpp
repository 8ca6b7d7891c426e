#pragma once

#include <string>

#include "profiler/service/requests/step.hpp"

namespace tilescope {

class BlockStepping;

/// Unit of the step buttons.
enum class StepUnit { instruction, line, tile, barrier };

/// The buttons of the play head, and which block and warp it is in.
class ExecutionControls {
 public:
  void draw(BlockStepping& stepping, const StepStop& stop);

  /// "unit tile", as a panel's option.
  std::string option() const;
  void take_option(const std::string& line);

 private:
  void draw_buttons(BlockStepping& stepping, const StepStop& stop);
  void draw_unit();
  void draw_warp(BlockStepping& stepping, const StepStop& stop);
  void draw_block(BlockStepping& stepping, const StepStop& stop);
  void step(BlockStepping& stepping, bool backwards) const;

  StepUnit unit_ = StepUnit::instruction;
  /// A warp or block that was entered and is not there, in a sentence; "" otherwise.
  std::string beyond_;
};

}  // namespace tilescope
