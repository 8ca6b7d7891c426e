#include "profiler/service/requests/trace_window.hpp"
#include "profiler/measure/interpret/interpreted_window.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

TraceWindow::Answer answer_trace_window(Workbench& bench, const TraceWindow::Params& params,
                                        const MeasureControl& control) {
  const Preparation made = prepare(bench, params.experiment, Purpose::interpret, control);
  if (!made.kernel) return failed_answer<TraceWindow>(params, made.point.status, made.point.reason);
  if (std::string why = why_not_interpreted(*made.kernel); !why.empty())
    return failed_answer<TraceWindow>(params, Status::unsupported, std::move(why));
  return interpret_window(bench, *made.kernel, params.selection, control);
}

const RegisterAnswer<TraceWindow> register_trace_window{answer_trace_window};

}  // namespace
}  // namespace tilescope
