// How far predicted latencies are from measured ones.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiler/installation.hpp"
#include "profiler/measure/executed_launch.hpp"
#include "profiler/model/bench/launch_file.hpp"
#include "profiler/model/latency_model.hpp"
#include "sessions/session.hpp"

using namespace tilescope;

int main(int argc, char** argv) {
  const std::string mode = argv[1];
  const Session session = load_session(argv[2]);
  const std::filesystem::path cache = argv[3];
  std::filesystem::create_directories(cache);
  const Installation installation = find_installation();
  Workbench bench(installation);
  const MeasureControl control{[](RequestProgress) {}, [] { return false; }};
  if (mode == "collect") {
    const int shard = std::atoi(argv[4]), shards = std::atoi(argv[5]);
    for (std::size_t i = 0; i < session.points.size(); ++i) {
      if (static_cast<int>(i) % shards != shard) continue;
      const auto file = cache / (std::to_string(i) + ".cbor");
      if (std::filesystem::exists(file)) continue;
      Experiment experiment = experiment_of(*session.points[i]);
      experiment.device = "H200";
      const ExecutedPoint executed = execute_launch(bench, experiment, control);
      const bool same = executed.point.resources &&
                        session.points[i]->resources->sass_sha256 == executed.point.resources->sass_sha256;
      if (!executed.launch || !same)
        std::printf("%zu %s: %s %s same=%d\n", i, experiment.kernel.c_str(),
                    to_string(executed.point.status).c_str(), executed.point.reason.c_str(), same);
      if (executed.launch) model::write_launch(file, *executed.launch);
    }
    return 0;
  }
  const DeviceModel* device = match_device(bench.tables(), "H200");
  model::ModelParameters parameters = model::model_parameters(*device);
  std::map<std::string, double*> names = {{"launch", &parameters.launch_us},
                                          {"jump", &parameters.jump_cycles},
                                          {"fetch", &parameters.instruction_fetch_cycles},
                                          {"start", &parameters.block_start_cycles},
                                          {"tensor", &parameters.tensor_slowdown},
                                          {"lsu", &parameters.lsu_slowdown},
                                          {"fma", &parameters.fma_slowdown},
                                          {"alu", &parameters.alu_slowdown},
                                          {"l2lat", &parameters.l2_latency},
                                          {"l2", &parameters.l2_slowdown},
                                          {"barrier", &parameters.barrier_latency}};
  for (int i = 4; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto eq = arg.find('=');
    *names.at(arg.substr(0, eq)) = std::stod(arg.substr(eq + 1));
  }
  for (std::size_t i = 0; i < session.points.size(); ++i) {
    const auto launch = model::read_launch(cache / (std::to_string(i) + ".cbor"));
    if (!launch) continue;
    const Measurement& point = *session.points[i];
    const auto start = std::chrono::steady_clock::now();
    const model::LaunchTime time = model::launch_time(launch->kernel, launch->plan, parameters);
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    Json line = {{"i", i},
                 {"kernel", point.kernel},
                 {"shape", to_string(point.shape)},
                 {"config", to_string(point.parameters)},
                 {"measured", point.latency->p50_us},
                 {"predicted", time.us},
                 {"launch", time.launch_us},
                 {"tail", time.tail_us},
                 {"issue", time.issue_us},
                 {"waits", time.waits_us},
                 {"ms", ms},
                 {"regs", point.resources->registers},
                 {"bps", point.occupancy->blocks_per_sm},
                 {"warps", point.occupancy->warps_per_sm},
                 {"waves", point.occupancy->waves},
                 {"grid", *point.occupancy->grid_blocks}};
    std::printf("%s\n", line.dump().c_str());
  }
}
