#pragma once

#include "app/explorer/step/block_stepping.hpp"
#include "app/panels/tests/recorded_fixture.hpp"

namespace tilescope {

/// Panels of a stepped block, with the real worker, which measures no points.
class SteppedPanels : public WorkerPanels {
 protected:
  SteppedPanels() { start_worker(false); }

  /// 3 query tiles by 5 key tiles of mma_flash, one head.
  void choose_mma(bool causal = false) {
    Shape shape = small_shape();
    shape.Sq = shape.Sk = 160;
    shape.causal = causal;
    choose("mma_flash", {{"BLOCK_M", std::int64_t{64}}, {"BLOCK_N", std::int64_t{32}}}, shape);
  }
  BlockStepping& stepping() { return explorer_->board().get<BlockStepping>(); }
  const StepStop& stop() { return *stepping().stop(); }
  bool wait_for_block(test_support::HeadlessGui& gui) {
    gui.frames(1);  // what was chosen is asked for
    return wait_until(
        gui, [&] { return stepping().stop() && stepping().timeline() && !stepping().is_outdated(); });
  }
};

}  // namespace tilescope
