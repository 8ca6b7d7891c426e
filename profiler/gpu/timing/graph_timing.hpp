#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/gpu/timing/latency_timer.hpp"

namespace tilescope {

/// Times launches on a GPU, for time_latency: of one kernel, or of the kernels that a library enqueues for one result.
/// The GPU and the probe must outlive it. Throws cuda::CudaError and what the launch throws.
///
/// A run is a CUDA graph whose first and last nodes record events, so that it includes neither the path from the host
/// to the GPU nor the launch of the graph.
/// - L2-warm: [start] launch x n [stop]. The time per launch includes the gap between two kernels of a graph (about
///   1 us), as in a chain of kernels in a program.
/// - L2-cold: [start] (clear, launch) x n [stop], minus [start] clear x n [stop], run one after the other. A clear
///   writes a buffer of L2's size. Limits of the method: the gap after a clear counts for the kernel, as in the warm
///   series; lines of the cleared buffer that are written back while the kernel runs cost it bandwidth, as any previous
///   kernel might; and the difference has the noise of both, so that for kernels much shorter than a clear (about 20 us
///   on an H200) p10 and p90 are wider than the kernel's own spread, and a sample of nearly no time can be negative.
///   Nothing is clipped.
///
/// After the stop event the graph reads the SM clock with kernels/micro/sm_clock_probe.cu, right after the load.
class GraphTimingDevice {
 public:
  /// `launch` enqueues one launch on the GPU's stream, which is then being captured into a graph. `clock_probe` is the
  /// entry sm_clock_probe.
  GraphTimingDevice(const cuda::GpuRunner& gpu, std::function<void()> launch,
                    const cuda::LoadedKernel& clock_probe);

  /// Times other launches from now on. Resources of the GPU alone, such as the memory for clearing L2, are
  /// kept.
  void time_instead(std::function<void()> launch);

  void prepare(CacheState state, std::int64_t launches);
  TimedRun run();
  void finish() noexcept;
  double default_clock_mhz() const { return default_clock_mhz_; }
  double now_s() const;

 private:
  /// A graph between two events.
  struct Timed {
    cuda::Event start;
    cuda::Event stop;
    cuda::GraphExec graph;
  };

  void clear_l2();
  void enqueue_probe();
  double probed_clock_mhz() const;

  const cuda::GpuRunner& gpu_;
  std::function<void()> launch_;
  const cuda::LoadedKernel& clock_probe_;
  double default_clock_mhz_;
  /// [cycles, ns]
  cuda::PinnedBuffer probe_result_;
  /// As large as L2, once a cold series was prepared.
  cuda::DeviceBuffer scratch_;
  Timed launches_;
  Timed clears_;
};

static_assert(TimingDevice<GraphTimingDevice>);

}  // namespace tilescope
