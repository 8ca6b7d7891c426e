#pragma once

#include <filesystem>
#include <optional>

#include "profiler/gpu/calibrate/calibration.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/kernels/compile/compiler.hpp"

namespace tilescope {

/// Runs the microbenchmarks of kernels/micro/ on a present GPU. Every call throws cuda::CudaError and what Compiler
/// throws; prepare also throws std::runtime_error for a run that this device does not support.
class GpuCalibrationPort : public CalibrationPort {
 public:
  GpuCalibrationPort(const DeviceModel& device, const Compiler& compiler, std::filesystem::path kernels);

  void warm_up() override;
  void prepare(const MicroRun& run) override;
  double cycles(int repeats) override;
  StreamTiming stream() override;
  double sm_clock_mhz() override;

 private:
  cuda::LoadedKernel helper(const char* name) const;
  void prepare_memory(const MicroRun& run);
  void lay_ring();
  void clear_l2();
  cuda::KernelArguments arguments(int repeats) const;
  double probed_clock_mhz(std::uint64_t nanoseconds);

  DeviceModel device_;
  const Compiler& compiler_;
  std::filesystem::path kernels_;
  cuda::GpuRunner runner_;
  cuda::LoadedKernel clock_probe_, chase_ring_;
  /// [cycles, ns]
  cuda::PinnedBuffer probe_result_;

  MicroRun run_;
  std::optional<cuda::LoadedKernel> kernel_;
  LaunchGeometry geometry_;
  cuda::DeviceBuffer spans_, sink_;
  /// As large as the largest run so far; a run uses its beginning.
  cuda::DeviceBuffer memory_;
  /// [B] used by the prepared run
  std::size_t used_bytes_ = 0;
  /// As large as L2.
  cuda::DeviceBuffer clearing_;
};

}  // namespace tilescope
