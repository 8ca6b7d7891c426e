#include "profiler/measure/interpret/executed_launch.hpp"

#include <utility>

#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/prepare/prepare.hpp"

namespace tilescope {

ExecutedPoint execute_launch(Workbench& bench, const Experiment& experiment, const MeasureControl& control) {
  Preparation made = prepare(bench, experiment, Purpose::interpret, control);
  if (!made.kernel) return {std::move(made.point), {}};
  Counted counted = count(bench, *made.kernel, {}, control);
  ExecutedPoint executed{{}, std::move(counted.launch)};
  add_counted(std::move(counted), made.point);
  executed.point = std::move(made.point);
  return executed;
}

}  // namespace tilescope
