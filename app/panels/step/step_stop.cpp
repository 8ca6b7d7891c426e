#include "app/panels/step/step_stop.hpp"

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

std::shared_ptr<const StepStop> step_stop_or_reason(Explorer& explorer, const std::string& tag) {
  BlockStepping& stepping = explorer.board().get<BlockStepping>(tag);
  stepping.want();
  std::shared_ptr<const StepStop> stop = stepping.stop();
  if (stop) return stop;
  const MissingAnswer& missing = stepping.missing();
  if (missing.heading.empty()) {
    explorer.notices().draw_again();
    empty_state("Running the block...", "One thread block of the kernel's PTX is executed to its end, once.");
  } else if (empty_state(missing.heading, missing.text, missing.can_retry ? "Try again" : "")) {
    stepping.retry();
  }
  return stop;
}

}  // namespace tilescope
