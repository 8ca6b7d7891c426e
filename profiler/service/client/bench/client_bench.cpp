// The time that the way to the worker and back adds to a point, without the measuring itself.

#include <benchmark/benchmark.h>

#include <string>

#include "profiler/service/client/wait.hpp"
#include "profiler/service/requests/measure.hpp"

namespace tilescope {
namespace {

Client::Options fake_worker() {
  Client::Options options;
  options.command = {TILESCOPE_BUILD_DIR "/tests/fake_worker"};
  options.is_own_worker = true;
  return options;
}

void ask(Client& client, const std::string& kernel, benchmark::State& state) {
  Experiment experiment;
  experiment.kernel = kernel;
  if (ask_and_wait<Measure>(client, {experiment}).status != Status::ok)
    state.SkipWithError("the fake worker failed");
}

/// A request and its answer, with nothing measured between them.
void round_trip(benchmark::State& state) {
  Client client(fake_worker());
  ask(client, "quick", state);
  for (auto _ : state) ask(client, "quick", state);
}
BENCHMARK(round_trip)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// A round trip with a compiler's log of 3 MiB in the answer.
void round_trip_with_long_log(benchmark::State& state) {
  Client client(fake_worker());
  ask(client, "log", state);
  for (auto _ : state) ask(client, "log", state);
}
BENCHMARK(round_trip_with_long_log)->Unit(benchmark::kMillisecond)->UseRealTime();

/// From no worker to its first answer, and its end: what a lost worker costs beside its service's own start.
void start_and_end(benchmark::State& state) {
  for (auto _ : state) {
    Client client(fake_worker());
    ask(client, "quick", state);
  }
}
BENCHMARK(start_and_end)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tilescope

BENCHMARK_MAIN();
