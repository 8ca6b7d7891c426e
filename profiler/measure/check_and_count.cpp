#include "profiler/measure/check_and_count.hpp"

namespace tilescope {

std::string why_counted_from_ptx(Workbench& bench, const ChosenExperiment& chosen,
                                 const PreparedKernel& prepared) {
  std::string why;
  const auto failure = judge_failures(
      [&] { why = bench.programs().code_to_run(prepared.compiled, chosen.kernel.entry).why_ptx; });
  if (failure) return failure->reason;
  return why.empty() ? "" : counted_from_ptx(why);
}

void check_and_count(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                     const Tracing& tracing, const MeasureControl& control, Measurement& point,
                     const InterpreterOutputs& outputs) {
  if (std::string why = why_not_interpreted(chosen); !why.empty()) {
    point.notes.push_back(std::move(why));
    return;
  }
  const auto problem = prepared.take_inputs(bench.references(), chosen);
  measure_interpreted(bench.programs(), bench.references(), prepared.plan(chosen, point.shape), *problem,
                      chosen.experiment.blocks, tracing, control, point, outputs);
}

}  // namespace tilescope
