#include "profiler/gpu/timing/graph_timing.hpp"

#include <chrono>
#include <cstring>
#include <utility>

namespace tilescope {
namespace {

constexpr std::uint64_t probe_ns = 20'000;  // [ns] Some 20 steps of the coarsest timer, 40,000 cycles.

}  // namespace

GraphTimingDevice::GraphTimingDevice(const cuda::GpuRunner& gpu, std::function<void()> launch,
                                     const cuda::LoadedKernel& clock_probe)
    : gpu_(gpu),
      launch_(std::move(launch)),
      clock_probe_(clock_probe),
      default_clock_mhz_(gpu.default_sm_clock_mhz()),
      probe_result_(2 * sizeof(std::uint64_t)) {}

void GraphTimingDevice::time_instead(std::function<void()> launch) {
  finish();
  launch_ = std::move(launch);
}

void GraphTimingDevice::prepare(CacheState state, std::int64_t launches) {
  finish();
  const bool cold = state == CacheState::l2_cold;
  if (cold && scratch_.bytes() == 0) scratch_ = cuda::DeviceBuffer(gpu_.l2_bytes());
  launches_.graph = cuda::GraphExec::capture(gpu_.stream(), [&] {
    launches_.start.record_in_graph(gpu_.stream());
    for (std::int64_t launch = 0; launch < launches; ++launch) {
      if (cold) clear_l2();
      launch_();
    }
    launches_.stop.record_in_graph(gpu_.stream());
    enqueue_probe();
  });
  if (!cold) return;
  clears_.graph = cuda::GraphExec::capture(gpu_.stream(), [&] {
    clears_.start.record_in_graph(gpu_.stream());
    for (std::int64_t launch = 0; launch < launches; ++launch) clear_l2();
    clears_.stop.record_in_graph(gpu_.stream());
  });
}

TimedRun GraphTimingDevice::run() {
  // The rest of an aborted run must not be read as the clock of this one.
  std::memset(probe_result_.get(), 0, probe_result_.bytes());
  const double begin_s = now_s();
  launches_.graph.launch(gpu_.stream());
  if (clears_.graph) clears_.graph.launch(gpu_.stream());
  gpu_.synchronize();
  const double waited_us = (now_s() - begin_s) * 1e6;
  TimedRun run;
  run.elapsed_us = launches_.stop.microseconds_since(launches_.start);
  if (clears_.graph) run.elapsed_us -= clears_.stop.microseconds_since(clears_.start);
  run.sm_clock_mhz = probed_clock_mhz();
  run.host_us = waited_us;
  return run;
}

void GraphTimingDevice::finish() noexcept {
  launches_.graph = {};
  clears_.graph = {};
}

double GraphTimingDevice::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void GraphTimingDevice::clear_l2() {
  scratch_.fill(0, gpu_.stream());
}

void GraphTimingDevice::enqueue_probe() {
  cuda::KernelArguments arguments;
  arguments.add(probe_result_.device_address()).add(probe_ns);
  gpu_.launch(clock_probe_, {}, arguments);
}

double GraphTimingDevice::probed_clock_mhz() const {
  std::uint64_t result[2];
  std::memcpy(result, probe_result_.get(), sizeof result);
  return result[1] == 0 ? 0.0 : static_cast<double>(result[0]) / static_cast<double>(result[1]) * 1e3;
}

}  // namespace tilescope
