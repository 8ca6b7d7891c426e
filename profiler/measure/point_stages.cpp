#include "profiler/measure/point_stages.hpp"

#include "base/json.hpp"

namespace tilescope {

void PointStages::reached(PointStage stage, const std::function<void(PartialPoint&)>& add) {
  if (!wanted_ || control_.cancelled()) return;
  const std::lock_guard lock(mutex_);
  add(point_);
  point_.stage = stage;
  control_.send(point_);
}

}  // namespace tilescope
