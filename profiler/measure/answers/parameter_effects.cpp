#include "profiler/requests/parameter_effects.hpp"

#include "profiler/diagnose/rule.hpp"
#include "profiler/measure/neighbour_programs.hpp"
#include "profiler/measure/preparation.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

ParameterEffects::Answer answer_parameter_effects(Workbench& bench, const ParameterEffects::Params& params,
                                                  const MeasureControl& control) {
  ParameterEffects::Answer answer;
  const auto look = [&](const ChosenExperiment& chosen, PreparedKernel& prepared, Measurement& point) {
    control.report({"compile neighbours", 0.5});
    NeighbourPrograms neighbours(bench, chosen, prepared);
    DiagnosisInput input{point, chosen.kernel, &chosen.device};
    input.equal_values = neighbours.equal_values(control);
    if (control.cancelled()) {
      point.status = Status::cancelled;
      point.reason = "cancelled while neighbours were compiled";
      return;
    }
    answer.diagnoses = find_rule("dead_knob")->find(input);
  };
  const Measurement point = with_prepared(bench, params.experiment, Purpose::look, control, look);
  answer.status = point.status;
  answer.reason = point.reason;
  return answer;
}

const RegisterAnswer<ParameterEffects> register_parameter_effects{answer_parameter_effects};

}  // namespace
}  // namespace tilescope
