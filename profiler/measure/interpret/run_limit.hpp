#pragma once

#include <chrono>

#include "profiler/measure/prepare/failure.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// The time that interpreting a kernel of a file may take, from when this is made. `control` must outlive the run.
class RunLimit {
 public:
  RunLimit(double limit_s, const MeasureControl& control);

  /// Whether the run is to end: at its limit, or because it is cancelled.
  bool is_over() const { return control_->cancelled() || std::chrono::steady_clock::now() > end_; }
  /// Why a run ended that is_over() has ended.
  Failure failure() const;

 private:
  double limit_s_;
  const MeasureControl* control_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace tilescope
