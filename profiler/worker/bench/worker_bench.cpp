// What the way to the worker and back costs a point, beside the measuring itself.

#include <benchmark/benchmark.h>

#include <future>
#include <string>

#include "profiler/worker/client.hpp"

namespace tilescope {
namespace {

WorkerClient::Options fake_worker() {
  WorkerClient::Options options;
  options.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
  return options;
}

void ask(WorkerClient& client, const std::string& kernel, benchmark::State& state) {
  std::promise<Status> answered;
  Experiment experiment;
  experiment.kernel = kernel;
  client.measure(experiment, [&](const Measurement& point) { answered.set_value(point.status); });
  if (answered.get_future().get() != Status::ok) state.SkipWithError("the fake worker failed");
}

/// A request and its answer, with nothing measured between them.
void round_trip(benchmark::State& state) {
  WorkerClient client(fake_worker());
  ask(client, "quick", state);
  for (auto _ : state) ask(client, "quick", state);
}
BENCHMARK(round_trip)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// The same with a compiler's log of 3 MiB in the answer.
void round_trip_with_long_log(benchmark::State& state) {
  WorkerClient client(fake_worker());
  ask(client, "log", state);
  for (auto _ : state) ask(client, "log", state);
}
BENCHMARK(round_trip_with_long_log)->Unit(benchmark::kMillisecond)->UseRealTime();

/// From no worker to its first answer, and its end: what a lost worker costs beside its service's own start.
void start_and_end(benchmark::State& state) {
  for (auto _ : state) {
    WorkerClient client(fake_worker());
    ask(client, "quick", state);
  }
}
BENCHMARK(start_and_end)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tilescope

BENCHMARK_MAIN();
