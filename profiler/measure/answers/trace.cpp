#include "profiler/requests/trace.hpp"
#include "profiler/diagnose/diagnose.hpp"
#include "profiler/measure/check_and_count.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

Trace::Answer answer_trace(Workbench& bench, const Trace::Params& params, const MeasureControl& control) {
  const auto run = [&](const ChosenExperiment& chosen, PreparedKernel& prepared, Measurement& point) {
    check_and_count(bench, chosen, prepared, params.options, control, point);
    point.diagnoses = diagnose({point, chosen.kernel, &chosen.device});
  };
  return with_prepared(bench, params.experiment, Purpose::interpret, control, run);
}

const RegisterAnswer<Trace> register_trace{answer_trace};

}  // namespace
}  // namespace tilescope
