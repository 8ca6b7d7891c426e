#include "profiler/measure/executed_launch.hpp"

#include "profiler/measure/check_and_count.hpp"
#include "profiler/measure/preparation.hpp"

namespace tilescope {

ExecutedPoint execute_launch(Workbench& bench, const Experiment& experiment, const MeasureControl& control) {
  ExecutedPoint result;
  const auto run = [&](const ChosenExperiment& chosen, PreparedKernel& prepared, Measurement& point) {
    check_and_count(bench, chosen, prepared, {}, control, point, {.launch = &result.launch});
  };
  result.point = with_prepared(bench, experiment, Purpose::interpret, control, run);
  return result;
}

}  // namespace tilescope
