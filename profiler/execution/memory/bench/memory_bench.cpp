#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/ptx/tests/hardware/case_compiler.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/installation.hpp"

// The cost of memory analysis and of the checkers on top of interpreting: warp instructions per second of one core.
namespace tilescope {
namespace {

enum Mode { plain, counting, checking };

// The attention kernels of the comparison with hardware, by the beginning of their name.
void interpret(benchmark::State& state, const std::string& name, Mode mode) {
  const Installation installation = find_installation();
  const hardware::CaseCompiler compiler(installation.root, installation.dependencies, installation.cache);
  for (const hardware::Case& one : hardware::attention_cases(installation.root)) {
    if (!one.name.starts_with(name)) continue;
    const simt::Program program = ptx::build_program(ptx::parse(compiler.ptx(one.kernel)), one.kernel.entry);
    simt::GlobalMemory memory;
    simt::Launch launch = one.launch;
    std::vector<std::uint64_t> addresses;
    for (const hardware::Buffer& buffer : one.buffers) {
      const std::vector<std::byte> initial = buffer.initial();
      addresses.push_back(memory.allocate(buffer.name, initial.size()));
      std::memcpy(memory.find(addresses.back(), initial.size())->data, initial.data(), initial.size());
    }
    for (const hardware::Case::Pointer& pointer : one.pointers) {
      std::memcpy(launch.parameters.data() + pointer.offset, &addresses[pointer.buffer],
                  sizeof(std::uint64_t));
    }
    TraceOptions options;
    options.count = mode != plain;
    options.check = mode == checking;
    options.host_threads = 1;
    options.main_file = std::filesystem::path(one.kernel.file).filename().string();
    double warp_instructions = 0;
    for (auto _ : state) {
      warp_instructions += static_cast<double>(trace(program, launch, memory, options).run.warp_instructions);
    }
    state.counters["warp_instructions_per_s"] =
        benchmark::Counter(warp_instructions, benchmark::Counter::kIsRate);
    return;
  }
  state.SkipWithError(("no case " + name).c_str());
}

const std::string scalar = "flash_scalar/xor_swizzle M32 N64 W8 V8";
const std::string mma = "flash_mma/xor_swizzle";

BENCHMARK_CAPTURE(interpret, flash_scalar_plain, scalar, plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interpret, flash_scalar_counting, scalar, counting)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interpret, flash_scalar_checking, scalar, checking)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interpret, flash_mma_plain, mma, plain)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interpret, flash_mma_counting, mma, counting)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interpret, flash_mma_checking, mma, checking)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilescope

BENCHMARK_MAIN();
