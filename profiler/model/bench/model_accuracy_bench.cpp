// How far predicted latencies are from measured ones.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "profiler/installation.hpp"
#include "profiler/measure/executed_launch.hpp"
#include "profiler/model/bench/launch_file.hpp"
#include "profiler/model/fit.hpp"
#include "profiler/model/instruction_cost.hpp"
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
  const std::string use = argc > 4 ? argv[4] : "all";
  DeviceModel fitted_device = *device;
  if (mode == "fit") {
    std::vector<model::ExecutedLaunch> launches;
    std::vector<double> measured;
    for (std::size_t i = 0; i < session.points.size(); ++i) {
      if (std::getenv("CELLS") &&
          !((std::string("naive flash_scalar wmma_full mma_flash").find(session.points[i]->kernel) !=
             std::string::npos) &&
            i / 84 < 5))
        continue;
      auto launch = model::read_launch(cache / (std::to_string(i) + ".cbor"));
      if (!launch) continue;
      launches.push_back(std::move(*launch));
      measured.push_back(session.points[i]->latency->p50_us);
    }
    std::vector<model::MeasuredLaunch> m;
    for (std::size_t i = 0; i < launches.size(); ++i) m.push_back({&launches[i], measured[i]});
    model::FitOptions options;
    options.source = "test";
    options.progress = [](double p) { std::fprintf(stderr, "%.2f ", p); };
    const model::Fit f = model::fit(m, *device, options);
    fitted_device.fitted = f.figures;
    std::printf("%zu before %.4f after %.4f\n", m.size(), f.error_before, f.error_after);
    write_device_table(argv[4], fitted_device);
    return 0;
  }
  const model::ModelParameters parameters =
      model::model_parameters(*device, use == "all"        ? model::TableUse::all
                                       : use == "measured" ? model::TableUse::measured
                                                           : model::TableUse::datasheet);
  for (std::size_t i = 0; i < session.points.size(); ++i) {
    if (const char* stride = std::getenv("STRIDE"))
      if (static_cast<int>(i) % std::atoi(stride) != std::atoi(std::getenv("AT"))) continue;
    if (const char* only = std::getenv("KERNEL"))
      if (session.points[i]->kernel != only) continue;
    const auto launch = model::read_launch(cache / (std::to_string(i) + ".cbor"));
    if (!launch) continue;
    const Measurement& point = *session.points[i];
    const auto start = std::chrono::steady_clock::now();
    const model::LaunchTime time = model::launch_time(launch->kernel, launch->plan, parameters);
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const auto costs = model::instruction_costs(launch->kernel, parameters);
    double lsu = 0, issue = 0, l2 = 0, glob = 0, un = 0;
    for (std::size_t k = 0; k < costs.size(); ++k) {
      const double n = launch->kernel.code[k].executions / parameters.sms / parameters.clock_mhz;
      issue += n / 4;
      if (costs[k].unit == model::Unit::lsu) lsu += n * static_cast<double>(costs[k].busy_cycles);
      if (costs[k].effect == model::Effect::global_load)
        glob += n * static_cast<double>(costs[k].busy_cycles);
      l2 += n * static_cast<double>(costs[k].l2_bytes) / parameters.l2_bytes_of_sm;
      if (costs[k].shared_along == 0)
        un += n * static_cast<double>(costs[k].l2_bytes) / parameters.l2_bytes_of_sm;
    }
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
                 {"b_lsu", lsu},
                 {"b_issue", issue},
                 {"b_l2", l2},
                 {"b_glob", glob},
                 {"b_un", un},
                 {"cold", point.latency->l2_cold ? point.latency->l2_cold->p50_us : 0.0},
                 {"regs", point.resources->registers},
                 {"bps", point.occupancy->blocks_per_sm},
                 {"warps", point.occupancy->warps_per_sm},
                 {"waves", point.occupancy->waves},
                 {"grid", *point.occupancy->grid_blocks}};
    std::printf("%s\n", line.dump().c_str());
  }
}
