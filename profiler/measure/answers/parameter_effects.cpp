#include "profiler/service/requests/parameter_effects.hpp"

#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/prepare/variant_programs.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

ParameterEffects::Answer answer_parameter_effects(Workbench& bench, const ParameterEffects::Params& params,
                                                  const MeasureControl& control) {
  const auto failed = [&](Status status, const std::string& reason) {
    return failed_answer<ParameterEffects>(params, status, reason);
  };
  const Preparation made = prepare(bench, params.experiment, Purpose::look, control);
  if (!made.kernel) return failed(made.point.status, made.point.reason);
  ParameterEffects::Answer answer;
  const std::optional<Failure> failure = failure_of([&] {
    control.report({"compile variants", 0.5});
    VariantPrograms variants(bench, *made.kernel);
    DiagnosisInput input{made.point, made.kernel->kernel, &made.kernel->device};
    input.equal_values = variants.equal_values(control);
    if (!control.cancelled()) answer.diagnoses = find_rule("dead_knob")->find(input);
  });
  if (failure) return failed(failure->status, failure->reason);
  if (control.cancelled()) return failed(Status::cancelled, "cancelled while variants were compiled");
  return answer;
}

const RegisterAnswer<ParameterEffects> register_parameter_effects{answer_parameter_effects};

}  // namespace
}  // namespace tilescope
