#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "kernels/attention/tests/kernel_test.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/gpu/calibrate/calibration_plan.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {

/// Runs the microbenchmarks in the interpreter, as the L4 would run them.
class MicroKernelTest : public KernelTest {
 protected:
  /// The microbenchmarks of the catalogue.
  std::vector<KernelDeclaration> micro_kernels() const {
    std::vector<KernelDeclaration> kernels;
    for (const KernelDeclaration& kernel : catalogue().kernels()) {
      if (kernel.role == KernelRole::micro) kernels.push_back(kernel);
    }
    return kernels;
  }

  /// Every configuration that a kernel's constraints allow.
  std::vector<Configuration> legal_configurations(const KernelDeclaration& kernel, const Shape& shape) const {
    std::vector<std::pair<std::string, std::vector<ParameterValue>>> all;
    all.reserve(kernel.parameters.size());
    for (const ParameterDeclaration& parameter : kernel.parameters) all.push_back({parameter.name, {}});
    std::vector<Configuration> legal;
    for (const Configuration& one : expand_grid(kernel, {}, all)) {
      if (why_invalid(kernel, one, shape, l4()).empty()) legal.push_back(one);
    }
    return legal;
  }

  /// Launches a kernel of stopwatch.cuh's signature, with `memory` as its global memory (0 for none).
  MemoryCounts counted(const KernelDeclaration& kernel, const Configuration& chosen, int repeats,
                       simt::GlobalMemory& memory, std::uint64_t address, std::uint64_t bytes,
                       DataType dtype = DataType::fp16) const {
    Shape shape;
    shape.dtype = dtype;
    const Configuration complete = kernel.complete(chosen);
    const simt::Program program =
        ptx::build_program(ptx::parse(compile({kernel, complete, shape}).ptx), kernel.entry);
    const LaunchGeometry geometry = launch_geometry(kernel, complete, shape, l4());
    simt::Launch launch;
    launch.grid.x = static_cast<std::uint32_t>(geometry.grid_x);
    launch.block.x = static_cast<std::uint32_t>(geometry.threads);
    const auto warps = static_cast<std::uint64_t>(geometry.grid_x * ((geometry.threads + 31) / 32));
    add(launch, memory.allocate("spans", 16 * warps));
    add(launch, memory.allocate("sink", 4 * launch.block.x));
    add(launch, address);
    add(launch, bytes);
    add(launch, repeats);
    TraceOptions options;
    options.main_file = kernel.source_path.filename().string();
    const Traced traced = trace(program, launch, memory, options);
    EXPECT_FALSE(traced.run.fault) << kernel.name << " " << to_string(complete);
    return traced.memory;
  }

  template <class T>
  static void add(simt::Launch& launch, const T& argument) {
    const std::size_t at = launch.parameters.size();
    launch.parameters.resize(at + sizeof(T));
    std::memcpy(launch.parameters.data() + at, &argument, sizeof(T));
  }

  static std::int64_t executions(const MemoryCounts& counts, const std::string& operation) {
    std::int64_t sum = 0;
    for (const MemorySite& site : counts.sites) sum += site.operation == operation ? site.executions : 0;
    return sum;
  }
};

}  // namespace tilescope
