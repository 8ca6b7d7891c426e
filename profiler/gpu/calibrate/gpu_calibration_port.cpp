#include "profiler/gpu/calibrate/gpu_calibration_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "profiler/gpu/timing/graph_timing.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

constexpr std::uint64_t warm_up_ns =
    300'000'000;  // [ns] an idle GPU needs a few tenths of a second to raise its clocks
constexpr std::uint64_t probe_ns = 20'000;  // [ns] about 20 steps of the coarsest timer
constexpr std::size_t line_bytes = 128;     // as in chase_ring.cu
constexpr std::size_t l1_ring_bytes = std::size_t{16} << 10;
constexpr std::size_t l2_bytes = std::size_t{2}
                                 << 20;  // more than any L1 (256 KB), less than any L2 since sm_80 (6 MB)
constexpr std::size_t dram_in_l2s = 16;  // so at most a sixteenth of it is still in L2
constexpr double stream_budget_s = 0.1;

// As in kernels/micro/stopwatch.cuh.
struct WarpSpan {
  std::uint64_t start;
  std::uint64_t end;
};

double span_of(const std::vector<WarpSpan>& warps) {
  std::uint64_t start = warps.front().start, end = warps.front().end;
  for (const WarpSpan& warp : warps) {
    start = std::min(start, warp.start);
    end = std::max(end, warp.end);
  }
  return static_cast<double>(end - start);
}

}  // namespace

GpuCalibrationPort::GpuCalibrationPort(const DeviceModel& device, const Compiler& compiler,
                                       std::filesystem::path kernels)
    : device_(device),
      compiler_(compiler),
      kernels_(std::move(kernels)),
      runner_(device.ordinal),
      clock_probe_(helper("sm_clock_probe")),
      chase_ring_(helper("chase_ring")),
      probe_result_(2 * sizeof(std::uint64_t)) {}

cuda::LoadedKernel GpuCalibrationPort::helper(const char* name) const {
  const std::filesystem::path file = kernels_ / "micro" / (std::string(name) + ".cu");
  return {compiler_.compile_file(file, name, {}, device_.arch).cubin, name};
}

void GpuCalibrationPort::warm_up() {
  probed_clock_mhz(warm_up_ns);
}

void GpuCalibrationPort::prepare(const MicroRun& run) {
  const KernelDeclaration kernel = read_kernel_declaration(kernels_ / "micro" / (run.kernel + ".cu"));
  const Configuration complete = kernel.complete(run.parameters);
  Shape shape;
  shape.dtype = run.dtype;
  if (const std::string why = why_invalid(kernel, complete, shape, device_); !why.empty()) {
    throw std::runtime_error(kernel.name + " " + to_string(complete) + ": " + why);
  }
  geometry_ = launch_geometry(kernel, complete, shape, device_);
  kernel_.emplace(compiler_.compile(kernel, complete, shape, device_.arch).cubin, kernel.entry);
  run_ = run;
  const auto threads = static_cast<std::size_t>(geometry_.threads);
  const std::size_t warps = (threads + 31) / 32;
  spans_ = runner_.allocate(static_cast<std::size_t>(geometry_.grid_x) * warps * sizeof(WarpSpan));
  sink_ = runner_.allocate(threads * sizeof(unsigned));
  prepare_memory(run);
}

void GpuCalibrationPort::prepare_memory(const MicroRun& run) {
  // All blocks take the same number of whole steps, and cp_async wraps around a power of two.
  const auto whole_steps = [&](std::size_t bytes) {
    const std::size_t step = static_cast<std::size_t>(run.bytes_at_once * geometry_.grid_x);
    return std::max<std::size_t>(bytes / step, 1) * step;
  };
  const bool streams = run.timing == MicroTiming::events;
  const std::size_t beyond_l2 = std::bit_ceil(dram_in_l2s * runner_.l2_bytes());
  const auto bytes_of = [&](MicroMemory memory) -> std::size_t {
    switch (memory) {
      case MicroMemory::none:
        return 0;
      case MicroMemory::l1_ring:
        return l1_ring_bytes;
      case MicroMemory::l2_ring:
        return l2_bytes;
      case MicroMemory::dram_ring:
        return beyond_l2;
      case MicroMemory::l2_region:
        return streams ? whole_steps(runner_.l2_bytes() / 4) : l2_bytes;
      case MicroMemory::dram_region:
        return whole_steps(beyond_l2);
    }
    return 0;
  };
  used_bytes_ = bytes_of(run.memory);
  if (memory_.bytes() < used_bytes_) {
    memory_ = {};  // frees the memory before the larger one is allocated
    memory_ = runner_.allocate(used_bytes_);
    memory_.fill(0, runner_.stream());
  }
  const bool ring = run.memory == MicroMemory::l1_ring || run.memory == MicroMemory::l2_ring ||
                    run.memory == MicroMemory::dram_ring;
  if (ring) lay_ring();
  runner_.synchronize();
}

void GpuCalibrationPort::lay_ring() {
  LaunchGeometry geometry;
  geometry.grid_x = 8 * device_.sm_count;
  geometry.threads = 256;
  cuda::KernelArguments arguments;
  arguments.add(memory_.get()).add(static_cast<unsigned>(used_bytes_ / line_bytes));
  runner_.launch(chase_ring_, geometry, arguments);
}

void GpuCalibrationPort::clear_l2() {
  if (clearing_.bytes() == 0) clearing_ = runner_.allocate(runner_.l2_bytes());
  clearing_.fill(0, runner_.stream());
}

cuda::KernelArguments GpuCalibrationPort::arguments(int repeats) const {
  cuda::KernelArguments arguments;
  arguments.add(spans_.get()).add(sink_.get()).add(used_bytes_ == 0 ? CUdeviceptr{0} : memory_.get());
  arguments.add(static_cast<long long>(used_bytes_)).add(repeats);
  return arguments;
}

double GpuCalibrationPort::cycles(int repeats) {
  if (run_.memory == MicroMemory::dram_ring) clear_l2();
  runner_.launch(*kernel_, geometry_, arguments(repeats));
  runner_.synchronize();
  const std::vector<std::byte> bytes = runner_.download(spans_);
  std::vector<WarpSpan> warps(bytes.size() / sizeof(WarpSpan));
  std::memcpy(warps.data(), bytes.data(), bytes.size());
  return span_of(warps);
}

StreamTiming GpuCalibrationPort::stream() {
  const auto launch = [this] { runner_.launch(*kernel_, geometry_, arguments(run_.many)); };
  GraphTimingDevice timed(runner_, launch, clock_probe_);
  TimingOptions options;
  options.budget_s = stream_budget_s;
  options.time_limit_s = 4 * stream_budget_s;
  std::vector<std::string> notes;  // about a low clock, for which the calibration has its own note
  const std::optional<SampleStatistics> statistics = time_series(timed, CacheState::l2_warm, options, notes);
  if (!statistics) throw std::runtime_error("the series was cancelled");
  return {statistics->p10_us, statistics->p50_us, statistics->p90_us,
          static_cast<double>(used_bytes_) * run_.many, statistics->sm_clock_mhz};
}

double GpuCalibrationPort::sm_clock_mhz() {
  return probed_clock_mhz(probe_ns);
}

double GpuCalibrationPort::probed_clock_mhz(std::uint64_t nanoseconds) {
  std::memset(probe_result_.get(), 0, probe_result_.bytes());
  cuda::KernelArguments arguments;
  arguments.add(probe_result_.device_address()).add(nanoseconds);
  runner_.launch(clock_probe_, {}, arguments);
  runner_.synchronize();
  std::uint64_t result[2];
  std::memcpy(result, probe_result_.get(), sizeof result);
  return result[1] == 0 ? 0.0 : static_cast<double>(result[0]) / static_cast<double>(result[1]) * 1e3;
}

}  // namespace tilescope
