#include "profiler/service/requests/trace.hpp"

#include <optional>
#include <utility>

#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

// Returns the machine code, where it is asked for and the kernel ran.
std::optional<TracedCode> add_up(Workbench& bench, const Trace::Params& params, const Prepared& kernel,
                                 const MeasureControl& control, Measurement& point) {
  std::optional<NeighbourPrograms> neighbours;
  if (params.neighbours) neighbours.emplace(bench, kernel);
  Counted counted = count(bench, kernel, params.options, control);
  const std::optional<model::ExecutedLaunch> launch = std::move(counted.launch);
  std::optional<TracedCode> code = std::move(counted.machine_code);
  add_counted(std::move(counted), point);
  add_prediction(kernel, launch, point);
  add_diagnoses(bench, kernel, neighbours, control, point);
  return code;
}

Trace::Answer answer_trace(Workbench& bench, const Trace::Params& params, const MeasureControl& control) {
  std::optional<TracedCode> machine_code;
  Preparation made = prepare(bench, params.experiment, Purpose::interpret, control);
  if (made.kernel) {
    const auto failure =
        failure_of([&] { machine_code = add_up(bench, params, *made.kernel, control, made.point); });
    if (failure) made.point = failed_point(*made.kernel, *failure);
  }
  TracedPoint traced(std::move(made.point));
  add_diagnoses_of_failure(traced);
  if (params.options.machine_code) traced.machine_code = std::move(machine_code).value_or(TracedCode());
  return traced;
}

const RegisterAnswer<Trace> register_trace{answer_trace};

}  // namespace
}  // namespace tilescope
