// The whole comparison of two configurations to a verdict on this machine's device: the request `compare` asked twice of
// the service in this process, and the verdict on its answer. The first request fills the caches, the second is timed. On
// a GPU both kernels take about 50 us and run in turns; without one the verdict rests on predictions. Prints one line, or
// one document with --benchmark_format=json.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "base/json.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/process/temporary_folder.hpp"
#include "profiler/service/requests/compare.hpp"
#include "sessions/compare/comparison.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double goal_s = 1.5;

Experiment with_layout(const char* layout) {
  Experiment experiment;
  experiment.kernel = "flash_scalar";
  experiment.parameters = {{"SMEM_LAYOUT", std::string(layout)}};
  return experiment;
}

Comparison ask(const Service& service) {
  const Compare::Params params{{with_layout("padded"), with_layout("xor_swizzle")}};
  MeasureControl control{[](RequestProgress) {}, [] { return false; }};
  control.send = [](const Json&) {};
  auto answer = (*service.find(Compare::name))(Json(params), control).get<Compare::Answer>();
  if (answer.status != Status::ok) throw std::runtime_error(answer.reason);
  return compare(std::move(answer.a), std::move(answer.b), std::move(answer.series));
}

Json run() {
  const TemporaryFolder scratch;
  Installation installation = find_installation();
  installation.cache = scratch.path();
  const Service service = make_measure_service(installation);
  ask(service);
  const auto start = Clock::now();
  const Comparison comparison = ask(service);
  const std::chrono::duration<double> passed = Clock::now() - start;
  if (!comparison.difference) throw std::runtime_error(comparison.reason);
  return {{"device", comparison.b.device.name},
          {"basis", to_string(comparison.basis)},
          {"verdict", to_string(comparison.verdict)},
          {"a_us", comparison.difference->a_us},
          {"b_us", comparison.difference->b_us},
          {"seconds", passed.count()},
          {"goal_s", goal_s}};
}

void print_line(const Json& report) {
  fmt::print(
      "two cached configurations to a verdict, {}, {}: {:.3f} s (goal: {} s); {}, {:.1f} and {:.1f} us\n",
      report.at("device").get<std::string>(), report.at("basis").get<std::string>(),
      report.at("seconds").get<double>(), report.at("goal_s").get<double>(),
      report.at("verdict").get<std::string>(), report.at("a_us").get<double>(),
      report.at("b_us").get<double>());
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  try {
    const tilescope::Json report = tilescope::run();
    if (argc == 2 && std::string(argv[1]) == "--benchmark_format=json") {
      fmt::print("{}\n", report.dump());
    } else {
      tilescope::print_line(report);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the comparison could not be timed: %s\n", error.what());
    return 1;
  }
}
