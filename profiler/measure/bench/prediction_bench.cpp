// Where the time of a predicted point goes without a GPU, one part after the other in one thread: configurations that were
// never compiled, then the same ones with the binary and nvdisasm's text on disk. B1 H8 S512 D64 for the L4 (sm_89).
// nvdisasm alone stands beside the one that waits with its tables made. Prints the median of each part.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// [ms] by part, of all points.
class Parts {
 public:
  template <class Run>
  auto time(const std::string& part, Run&& run) {
    const auto start = Clock::now();
    auto result = run();
    const std::chrono::duration<double, std::milli> passed = Clock::now() - start;
    if (!times_.contains(part)) order_.push_back(part);
    times_[part].push_back(passed.count());
    return result;
  }

  void print(const std::string& which) {
    for (const std::string& part : order_) {
      std::vector<double>& times = times_[part];
      std::ranges::sort(times);
      fmt::print("{:<44} {:8.2f} ms (median of {})\n", which + ", " + part, times[times.size() / 2],
                 times.size());
    }
    std::fflush(stdout);
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> times_;
};

void predict_point(Workbench& bench, const Experiment& experiment, const sass::Disassembler* alone,
                   Parts& parts) {
  Preparation judged = judge(bench, experiment, Purpose::measure);
  if (!judged.kernel) return;
  Prepared& prepared = *judged.kernel;
  prepared.compiled = parts.time("compiler", [&] {
    return bench.compiler().compile(prepared.kernel, prepared.complete, experiment.shape,
                                    prepared.device.arch);
  });
  if (alone != nullptr)
    parts.time("nvdisasm alone", [&] { return alone->print_alone(prepared.compiled.cubin); });
  parts.time("nvdisasm", [&] { return bench.disassemblies().get(prepared.compiled.cubin); });
  const std::string& entry = prepared.kernel.entry;
  parts.time("PTX, decoded", [&] { return bench.programs().ptx(prepared.compiled, entry); });
  parts.time("machine code, decoded",
             [&] { return bench.programs().machine_code(prepared.compiled, entry); });
  prepared.geometry = launch_geometry(prepared.kernel, prepared.complete, prepared.shape(), prepared.device);
  prepared.resources = prepared.compiled.resources;
  prepared.resources->dynamic_shared_bytes = prepared.geometry.dynamic_shared_bytes;
  prepared.occupancy = occupancy(prepared.device, *prepared.resources, prepared.geometry);
  prepared.inputs(bench.references());
  const MeasureControl control{[](RequestProgress) {}, [] { return false; }};
  Counted counted =
      parts.time("interpretation and check", [&] { return count(bench, prepared, {}, control); });
  const std::optional<model::ExecutedLaunch> launch = std::move(counted.launch);
  Measurement point;
  add_counted(std::move(counted), point);
  parts.time("simulation", [&] {
    add_prediction(prepared, launch, false, point);
    return 0;
  });
  if (!point.prediction) throw std::runtime_error(experiment.kernel + " has no prediction: " + point.reason);
}

void predict_points(const Installation& installation, const Experiment& base, bool is_new) {
  Workbench bench(installation);
  const std::string architecture = "sm_89";
  bench.disassemblies().prepare(architecture);
  const sass::Disassembler alone = sass::Disassembler::find({{}, installation.dependencies, {}});
  Parts parts;
  const KernelDeclaration kernel = bench.catalogue().find(base.kernel);
  const std::vector<ParameterValue> keys{std::int64_t{16}, std::int64_t{32}, std::int64_t{64}};
  const std::vector<ParameterValue> warps{std::int64_t{2}, std::int64_t{4}, std::int64_t{8}};
  const std::vector<ParameterValue> queries{std::int64_t{32}, std::int64_t{64}};
  for (Configuration& parameters : expand_grid(
           kernel, base.parameters, {{"BLOCK_N", keys}, {"NUM_WARPS", warps}, {"BLOCK_M", queries}})) {
    Experiment experiment = base;
    experiment.parameters = std::move(parameters);
    predict_point(bench, experiment, is_new ? &alone : nullptr, parts);
  }
  parts.print(base.kernel + (is_new ? ", new" : ", cached"));
}

void run() {
  const TemporaryFolder scratch;
  Installation installation = find_installation();
  installation.cache = scratch.path();
  for (const char* kernel : {"flash_scalar", "mma_flash"}) {
    Experiment experiment;
    experiment.kernel = kernel;
    experiment.device = "L4";
    predict_points(installation, experiment, true);
    predict_points(installation, experiment, false);
  }
}

}  // namespace
}  // namespace tilescope

int main() {
  tilescope::run();
}
