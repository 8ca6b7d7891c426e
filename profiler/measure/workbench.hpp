#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue_cache.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/kernels/compile/prefetch_compiler.hpp"
#include "profiler/measure/caches/disassembly_cache.hpp"
#include "profiler/measure/caches/program_cache.hpp"
#include "profiler/measure/caches/reference_cache.hpp"

namespace tilescope {

class ExecutionCache;
class GpuHost;
class ProgramLedger;
class StepBlocks;

/// State shared by the requests of one worker: the devices, the compiler, and reusable results of earlier points. A file
/// that is interpreted needs neither devices nor compiler: they are there once a request uses them.
class Workbench {
 public:
  explicit Workbench(Installation installation);
  ~Workbench();
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  const Installation& installation() const { return installation_; }
  /// Read at the first call. Throws std::runtime_error when they cannot be.
  const std::vector<DeviceModel>& tables();
  /// Looked for at the first call, which reads the tables.
  GpuHost& gpus();
  /// Opened at the first call. Throws NvrtcUnavailable.
  Compiler& compiler();
  /// Compiles ahead with this compiler. Throws NvrtcUnavailable.
  PrefetchCompiler& prefetch_compiler();
  /// The kernels as their files are now.
  const Catalogue& catalogue() { return catalogue_.read(installation_.kernels); }
  ReferenceCache& references() { return references_; }
  ProgramCache& programs() { return programs_; }
  DisassemblyCache& disassemblies() { return disassemblies_; }
  ExecutionCache& executions() { return *executions_; }
  /// Programs of all points so far.
  ProgramLedger& programs_of_points() { return *programs_of_points_; }

  /// The blocks that are being stepped.
  StepBlocks& step_blocks() { return *step_blocks_; }

  /// A sentence once this process can measure no more, see Service::why_unusable.
  std::string why_unusable;

 private:
  Installation installation_;
  std::optional<std::vector<DeviceModel>> tables_;
  std::unique_ptr<GpuHost> gpus_;
  CatalogueCache catalogue_;
  std::optional<Compiler> compiler_;
  std::optional<PrefetchCompiler> prefetch_compiler_;
  ReferenceCache references_;
  DisassemblyCache disassemblies_;
  ProgramCache programs_;
  std::unique_ptr<ExecutionCache> executions_;
  std::unique_ptr<ProgramLedger> programs_of_points_;
  std::unique_ptr<StepBlocks> step_blocks_;
};

}  // namespace tilescope
