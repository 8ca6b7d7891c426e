#include "app/explorer/memory/check_run.hpp"

#include <memory>

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "profiler/service/requests/count_kernel.hpp"

namespace tilescope {

void CheckRun::start() {
  const Experiment experiment = under_sliders(board_).experiment;
  const auto keep = [this, experiment](CountedPoint answer) {
    const auto point = std::make_shared<const Measurement>(std::move(answer));
    if (point->status != Status::cancelled) checked_.add(experiment, point);
  };
  const auto take = [this, keep](CountedPoint answer) {
    keep(std::move(answer));
    answered_ = true;
  };
  request_ = board_.parts.jobs.request<CountKernel>("check", {experiment, {.check = true}}, {take, keep});
}

SharedMeasurement CheckRun::result() const {
  const auto found = checked_.find(under_sliders(board_).experiment, {board_.parts.kernels.sources(), false});
  return found && found->standing != Standing::older_source ? found->point : nullptr;
}

}  // namespace tilescope
