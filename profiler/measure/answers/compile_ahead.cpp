#include "profiler/requests/compile_ahead.hpp"

#include "profiler/compile/ahead_compiler.hpp"
#include "profiler/measure/device_choice.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/preparation.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

// nothing: there is nothing to compile, or nothing that would compile.
std::optional<AheadCompiler::Wish> wish_for(Workbench& bench, const Experiment& experiment) {
  try {
    const DeviceModel device = choose_device(experiment.device, bench.gpus().devices(), bench.tables());
    AheadCompiler::Wish wish{find_kernel(bench, experiment), {}, experiment.shape, device.arch};
    check_values(wish.kernel, experiment.parameters);
    wish.complete = wish.kernel.complete(experiment.parameters);
    const bool is_compiled = !wish.kernel.entry.empty() && wish.kernel.role != KernelRole::micro;
    if (!is_compiled || !why_invalid(wish.kernel, wish.complete, wish.shape, device).empty())
      return std::nullopt;
    return wish;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

CompileAhead::Answer answer_compile_ahead(Workbench& bench, const CompileAhead::Params& params,
                                          const MeasureControl& control) {
  std::vector<AheadCompiler::Wish> wishes;
  for (const Experiment& experiment : params.experiments) {
    if (control.cancelled()) break;
    if (auto wish = wish_for(bench, experiment)) wishes.push_back(std::move(*wish));
  }
  CompileAhead::Answer answer;
  try {
    AheadCompiler& ahead = bench.ahead();
    ahead.replace(std::move(wishes));
    answer.waiting = static_cast<std::int64_t>(ahead.pending());
  } catch (const NvrtcUnavailable& error) {
    answer.status = Status::unsupported;
    answer.reason = error.what();
  }
  return answer;
}

const RegisterAnswer<CompileAhead> register_compile_ahead{answer_compile_ahead};

}  // namespace
}  // namespace tilescope
