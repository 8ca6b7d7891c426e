#include "profiler/service/requests/compile_ahead.hpp"

#include <utility>
#include <vector>

#include "profiler/kernels/compile/prefetch_compiler.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

// Nothing where there is nothing to compile, or nothing that would compile.
std::optional<PrefetchCompiler::Wish> wish_of(Preparation judged) {
  // nvcc takes seconds, and the programs that it runs keep the priority with which they start.
  const bool is_compiled = judged.kernel && !judged.kernel->kernel.entry.empty() &&
                           judged.kernel->experiment.compiler == KernelCompiler::nvrtc;
  if (!is_compiled) return std::nullopt;
  Prepared& kernel = *judged.kernel;
  return PrefetchCompiler::Wish{std::move(kernel.kernel), std::move(kernel.complete), kernel.shape(),
                                kernel.device.arch};
}

bool are_of_one_kernel(const Experiment& a, const Experiment& b) {
  return a.kernel == b.kernel && a.source == b.source;
}

// The experiments of a list are of one kernel, or few: it is not read again while they are of the same.
std::vector<PrefetchCompiler::Wish> wishes_of(Workbench& bench, const std::vector<Experiment>& experiments,
                                              const MeasureControl& control) {
  std::vector<PrefetchCompiler::Wish> wishes;
  const Experiment* known = nullptr;  // of the last wish
  for (const Experiment& experiment : experiments) {
    if (control.cancelled()) break;
    const bool is_known = known != nullptr && are_of_one_kernel(*known, experiment);
    auto wish = wish_of(judge(bench, experiment, Purpose::look, is_known ? &wishes.back().kernel : nullptr));
    if (!wish) continue;
    wishes.push_back(std::move(*wish));
    known = &experiment;
  }
  return wishes;
}

CompileAhead::Answer answer_compile_ahead(Workbench& bench, const CompileAhead::Params& params,
                                          const MeasureControl& control) {
  std::vector<PrefetchCompiler::Wish> wishes = wishes_of(bench, params.experiments, control);
  CompileAhead::Answer answer;
  const std::optional<Failure> failure = failure_of([&] {
    PrefetchCompiler& compiler = bench.prefetch_compiler();
    compiler.replace(std::move(wishes));
    answer.waiting = static_cast<std::int64_t>(compiler.pending());
  });
  if (failure) return failed_answer<CompileAhead>(params, failure->status, failure->reason);
  return answer;
}

const RegisterAnswer<CompileAhead> register_compile_ahead{answer_compile_ahead};

}  // namespace
}  // namespace tilescope
