#include <benchmark/benchmark.h>

#include "profiler/explanation/layouts/tests/recorded_case.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"

// How fast the solver ranks layouts: one tile of a recorded block, with all its sites.
namespace tilescope {
namespace {

CompiledKernel compile(const Installation& installation, const KernelCase& one) {
  const Compiler compiler(
      Nvrtc::open({.toolkit = "", .dependencies = installation.dependencies, .driver_cuda = {}}),
      Compiler::Folders{.kernels = installation.kernels,
                        .cache = installation.cache,
                        .dependencies = installation.dependencies});
  return compiler.compile(one.kernel, one.kernel.complete(one.chosen), one.shape, "sm_89");
}

const TileRange& find_tile(const RecordedCase& recorded, const std::string& name) {
  for (const TileRange& tile : recorded.tiles) {
    if (tile.name == name) return tile;
  }
  throw std::runtime_error("no tile " + name);
}

void solve(benchmark::State& state, const std::string& name, const std::string& tile,
           const Configuration& chosen) {
  const Installation installation = find_installation();
  const std::vector<DeviceModel> devices = load_device_tables(installation.devices);
  const DeviceModel& device = *match_device(devices, "L4");
  const KernelDeclaration kernel = Catalogue(installation.kernels).find(name);
  Shape shape;
  shape.Hq = shape.Hkv = 1;
  const KernelCase one{kernel, chosen, shape};
  const RecordedCase recorded(one, compile(installation, one), device);
  const SolverQuestion question = question_about(find_tile(recorded, tile), one, device);
  double layouts = 0, accesses = 0, distinct = 0;
  for (auto _ : state) {
    const auto solved = solve_layouts(recorded.recording, question);
    layouts += static_cast<double>(solved->layouts.size());
    accesses = static_cast<double>(solved->accesses.executions);
    distinct = static_cast<double>(solved->accesses.accesses.size());
  }
  state.counters["layouts_per_s"] = benchmark::Counter(layouts, benchmark::Counter::kIsRate);
  state.counters["layouts"] = benchmark::Counter(layouts, benchmark::Counter::kAvgIterations);
  state.counters["accesses"] = accesses;
  state.counters["distinct_accesses"] = distinct;
}

const Configuration row_major{{"SMEM_LAYOUT", "row_major"}};
const Configuration narrow{{"SMEM_LAYOUT", "row_major"}, {"VEC_WIDTH", std::int64_t{1}}};

BENCHMARK_CAPTURE(solve, mma_flash, "mma_flash", "K 0", row_major)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solve, flash_scalar, "flash_scalar", "K", row_major)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solve, flash_scalar_2_byte_loads, "flash_scalar", "V", narrow)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solve, tiled_scores, "tiled", "S", row_major)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilescope

BENCHMARK_MAIN();
