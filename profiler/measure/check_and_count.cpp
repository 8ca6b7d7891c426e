#include "profiler/measure/check_and_count.hpp"

#include "profiler/measure/interpreted_sequence.hpp"

namespace tilescope {

void check_and_count(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                     const Tracing& tracing, const MeasureControl& control, Measurement& point) {
  if (std::string why = why_not_interpreted(chosen); !why.empty()) {
    point.notes.push_back(std::move(why));
    return;
  }
  const auto problem = prepared.take_inputs(bench.references(), chosen);
  measure_interpreted(bench.programs(), bench.references(), prepared.plan(chosen, point.shape), *problem,
                      chosen.experiment.blocks, tracing, control, point);
}

}  // namespace tilescope
