#pragma once

#include <functional>
#include <mutex>

#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// Sends a point as it grows, where its caller asked for that. From any thread.
class PointStages {
 public:
  /// `wanted`: see Measure::Params::stages.
  PointStages(const MeasureControl& control, bool wanted)
      : control_(control), wanted_(wanted && control.send) {}

  bool wanted() const { return wanted_; }
  /// `add` writes what the stage brought to all that was known before; then that is sent. Nothing is called where
  /// stages are not wanted, or once the request was cancelled.
  void reached(PointStage stage, const std::function<void(PartialPoint&)>& add);

 private:
  const MeasureControl& control_;
  const bool wanted_;
  std::mutex mutex_;
  PartialPoint point_;
};

}  // namespace tilescope
