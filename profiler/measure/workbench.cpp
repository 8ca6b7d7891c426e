#include "profiler/measure/workbench.hpp"

#include <utility>

#include "profiler/measure/caches/execution_cache.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/interpret/step_blocks.hpp"
#include "profiler/measure/prepare/variant_programs.hpp"

namespace tilescope {

Workbench::Workbench(Installation installation)
    : installation_(std::move(installation)),
      disassemblies_(installation_),
      programs_(disassemblies_),
      executions_(std::make_unique<ExecutionCache>(installation_)),
      programs_of_points_(std::make_unique<ProgramLedger>()),
      step_blocks_(std::make_unique<StepBlocks>()) {}

Workbench::~Workbench() = default;

const std::vector<DeviceModel>& Workbench::tables() {
  if (!tables_) tables_ = load_device_tables(installation_);
  return *tables_;
}

GpuHost& Workbench::gpus() {
  if (!gpus_) gpus_ = std::make_unique<GpuHost>(tables());
  return *gpus_;
}

Compiler& Workbench::compiler() {
  if (!compiler_) {
    const std::string toolkit = environment("TILESCOPE_CUDA");
    const NvrtcSearch search{toolkit, installation_.dependencies, gpus().driver_cuda()};
    compiler_.emplace(
        Nvrtc::open(search),
        Compiler::Folders{installation_.kernels,
                          installation_.cache,
                          installation_.dependencies,
                          {toolkit, environment("PATH"), search.driver_cuda, installation_.dependencies}});
  }
  return *compiler_;
}

PrefetchCompiler& Workbench::prefetch_compiler() {
  if (!prefetch_compiler_) prefetch_compiler_.emplace(compiler());
  return *prefetch_compiler_;
}

}  // namespace tilescope
