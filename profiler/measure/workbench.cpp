#include "profiler/measure/workbench.hpp"

#include <utility>

#include "profiler/measure/caches/execution_cache.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/interpret/step_blocks.hpp"
#include "profiler/measure/prepare/neighbour_programs.hpp"

namespace tilescope {

Workbench::Workbench(Installation installation)
    : installation_(std::move(installation)),
      tables_(load_device_tables(installation_)),
      disassemblies_(installation_),
      programs_(disassemblies_),
      executions_(std::make_unique<ExecutionCache>(installation_)),
      programs_of_points_(std::make_unique<ProgramLedger>()),
      step_blocks_(std::make_unique<StepBlocks>()) {
  gpus_ = std::make_unique<GpuHost>(tables_);
}

Workbench::~Workbench() = default;

Compiler& Workbench::compiler() {
  if (!compiler_) {
    const std::string toolkit = environment("TILESCOPE_CUDA");
    const NvrtcSearch search{toolkit, installation_.dependencies, gpus_->driver_cuda()};
    compiler_.emplace(Nvrtc::open(search),
                      Compiler::Folders{installation_.kernels,
                                        installation_.cache,
                                        installation_.dependencies,
                                        {toolkit, environment("PATH"), search.driver_cuda}});
  }
  return *compiler_;
}

AheadCompiler& Workbench::ahead() {
  if (!ahead_) ahead_.emplace(compiler());
  return *ahead_;
}

}  // namespace tilescope
