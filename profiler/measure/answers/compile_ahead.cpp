#include "profiler/requests/compile_ahead.hpp"

#include "profiler/compile/ahead_compiler.hpp"
#include "profiler/measure/device_choice.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/preparation.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

// The experiments of a list are of one kernel, or few: it is not read again while they are of the same.
class KernelReader {
 public:
  explicit KernelReader(Workbench& bench) : bench_(bench) {}

  // Throws what find_kernel throws.
  const KernelDeclaration& find(const Experiment& experiment) {
    const bool is_same = last_ && last_->kernel == experiment.kernel && last_->source == experiment.source;
    if (!is_same) {
      last_ = nullptr;
      kernel_ = find_kernel(bench_, experiment);
      last_ = &experiment;
    }
    return kernel_;
  }

 private:
  Workbench& bench_;
  const Experiment* last_ = nullptr;
  KernelDeclaration kernel_;
};

// nothing: there is nothing to compile, or nothing that would compile.
std::optional<AheadCompiler::Wish> wish_for(Workbench& bench, KernelReader& kernels,
                                            const Experiment& experiment) {
  try {
    const DeviceModel device = choose_device(experiment.device, bench.gpus().devices(), bench.tables());
    AheadCompiler::Wish wish{kernels.find(experiment), {}, experiment.shape, device.arch};
    check_values(wish.kernel, experiment.parameters);
    wish.complete = wish.kernel.complete(experiment.parameters);
    // nvcc takes seconds, and the programs that it runs keep the priority with which they start.
    const bool is_compiled = !wish.kernel.entry.empty() && wish.kernel.role != KernelRole::micro &&
                             experiment.compiler == KernelCompiler::nvrtc;
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
  KernelReader kernels(bench);
  for (const Experiment& experiment : params.experiments) {
    if (control.cancelled()) break;
    if (auto wish = wish_for(bench, kernels, experiment)) wishes.push_back(std::move(*wish));
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
