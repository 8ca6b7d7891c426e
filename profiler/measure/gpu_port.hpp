#pragma once

#include <memory>
#include <optional>

#include "profiler/compile/compiler.hpp"
#include "profiler/cuda/gpu_runner.hpp"
#include "profiler/measure/gpu_sequence.hpp"
#include "profiler/measure/kernel_arguments.hpp"

namespace tilescope {

/// The GPU that the measuring sequence runs on. Inputs are made on the device by the generator that the host
/// has too. Every call throws cuda::CudaError.
class GpuPort {
 public:
  /// Compiles the helpers that it launches (inputs, poison, clock probe) from `kernels`. Throws what Compiler
  /// throws.
  GpuPort(const DeviceModel& device, const Compiler& compiler, const std::filesystem::path& kernels);

  void load(const GpuPlan& plan);
  int max_active_blocks(const GpuPlan& plan);
  void upload(const CheckedProblem& problem);
  void poison();
  void launch(const GpuPlan& plan);
  std::vector<std::uint16_t> output();
  Latency time(const GpuPlan& plan, const MeasureControl& control);

  /// What a reader of the last timing must know, in sentences.
  const std::vector<std::string>& timing_notes() const { return timing_notes_; }
  /// The inputs as the device made them, for the test that holds them against the host's.
  reference::AttentionInputs inputs();

 private:
  struct Tensors {
    cuda::DeviceBuffer q, k, v, o, lse;
  };

  cuda::LoadedKernel helper(const Compiler& compiler, const std::filesystem::path& file, const char* entry,
                            const char* dtype) const;
  void fill(const cuda::DeviceBuffer& tensor, reference::InputTensor number);
  cuda::KernelArguments arguments(const GpuPlan& plan) const;

  DeviceModel device_;
  cuda::GpuRunner runner_;
  cuda::LoadedKernel fill_fp16_, fill_bf16_, poison_shared_, clock_probe_;
  std::optional<cuda::LoadedKernel> kernel_;
  std::optional<Tensors> tensors_;
  std::vector<cuda::DeviceBuffer> scratch_;  // of the loaded kernel, zeros before its first launch
  reference::AttentionSizes sizes_;
  std::uint64_t seed_ = 0;
  std::vector<std::string> timing_notes_;
};

static_assert(MeasuringGpu<GpuPort>);

}  // namespace tilescope
