#include "profiler/requests/trace_window.hpp"
#include "profiler/measure/interpreted_window.hpp"
#include "profiler/measure/preparation.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

TraceWindow::Answer answer_trace_window(Workbench& bench, const TraceWindow::Params& params,
                                        const MeasureControl& control) {
  WindowSummary summary;
  const auto run = [&](const ChosenExperiment& chosen, PreparedKernel& prepared, Measurement& ended) {
    ended.reason = why_not_interpreted(chosen);
    if (!ended.reason.empty()) {
      ended.status = Status::unsupported;
      return;
    }
    const auto problem = prepared.take_inputs(bench.references(), chosen);
    summary = interpret_window(bench.programs(), prepared.plan(chosen, ended.shape), *problem,
                               params.selection, control);
  };
  const Measurement point = with_prepared(bench, params.experiment, Purpose::interpret, control, run);
  if (point.status == Status::ok) return summary;
  summary.status = point.status;
  summary.reason = point.reason;
  return summary;
}

const RegisterAnswer<TraceWindow> register_trace_window{answer_trace_window};

}  // namespace
}  // namespace tilescope
