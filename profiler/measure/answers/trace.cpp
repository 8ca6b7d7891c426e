#include "profiler/requests/trace.hpp"

#include <optional>
#include <utility>

#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/check_and_count.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

Trace::Answer answer_trace(Workbench& bench, const Trace::Params& params, const MeasureControl& control) {
  std::optional<TracedCode> machine_code;
  if (params.options.machine_code) machine_code.emplace();
  const auto run = [&](const ChosenExperiment& chosen, PreparedKernel& prepared, Measurement& point) {
    std::optional<NeighbourPrograms> neighbours;
    if (params.neighbours) neighbours.emplace(bench, chosen, prepared);
    TracedCode* code = machine_code ? &*machine_code : nullptr;
    std::optional<model::ExecutedLaunch> launch;
    check_and_count(bench, chosen, prepared, params.options, control, point,
                    {.code = code, .launch = &launch});
    add_prediction(chosen, launch, point);
    add_diagnoses(bench, chosen, neighbours, control, point);
  };
  TracedPoint traced(with_prepared(bench, params.experiment, Purpose::interpret, control, run));
  add_diagnoses_of_failure(traced);
  traced.machine_code = std::move(machine_code);
  return traced;
}

const RegisterAnswer<Trace> register_trace{answer_trace};

}  // namespace
}  // namespace tilescope
