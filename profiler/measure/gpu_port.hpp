#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "profiler/baselines/library_attention.hpp"
#include "profiler/compile/compiler.hpp"
#include "profiler/cuda/gpu_runner.hpp"
#include "profiler/measure/gpu_sequence.hpp"
#include "profiler/measure/kernel_arguments.hpp"

namespace tilescope {

/// The GPU on which the measuring sequence runs our kernels and those that a library launches. Inputs are made on the
/// device, by the same generator as on the host. Every call throws cuda::CudaError and, for a library, what
/// profiler/baselines throws.
class GpuPort {
 public:
  /// Compiles its helper kernels (inputs, poison, clock probe) from `kernels`. Throws what Compiler throws.
  GpuPort(const DeviceModel& device, const Compiler& compiler, const std::filesystem::path& kernels);

  void load(const GpuPlan& plan);
  void load(const LibraryPlan& plan);
  int max_active_blocks(const GpuPlan& plan);
  int max_active_blocks(const LibraryPlan&) { return 0; }
  void upload(const CheckedProblem& problem);
  void poison();
  void launch(const GpuPlan& plan);
  void launch(const LibraryPlan& plan);
  std::vector<std::uint16_t> output();
  Latency time(const GpuPlan& plan, const MeasureControl& control);
  Latency time(const LibraryPlan& plan, const MeasureControl& control);

  /// "cuDNN 9.19.0": the library of the last loaded LibraryPlan.
  std::string library_version() const { return library_ ? library_->version() : ""; }
  /// Notes on the last timing, in sentences.
  const std::vector<std::string>& timing_notes() const { return timing_notes_; }
  /// The inputs that the device made, for the test that compares them with the host's.
  reference::AttentionInputs inputs();

 private:
  struct Tensors {
    cuda::DeviceBuffer q, k, v, o, lse;
  };

  cuda::LoadedKernel helper(const Compiler& compiler, const std::filesystem::path& file, const char* entry,
                            const char* dtype) const;
  void fill(const cuda::DeviceBuffer& tensor, reference::InputTensor number);
  cuda::KernelArguments arguments(const GpuPlan& plan) const;
  void enqueue_library();
  Latency time_launches(std::function<void()> launch, double budget_s, const MeasureControl& control);

  DeviceModel device_;
  cuda::GpuRunner runner_;
  cuda::LoadedKernel fill_fp16_, fill_bf16_, poison_shared_, clock_probe_;
  std::optional<cuda::LoadedKernel> kernel_;
  std::unique_ptr<LibraryAttention> library_;
  std::optional<Tensors> tensors_;
  std::vector<cuda::DeviceBuffer> scratch_;  // for the loaded kernel, zeros before its first launch
  reference::AttentionSizes sizes_;
  std::uint64_t seed_ = 0;
  std::vector<std::string> timing_notes_;
};

static_assert(MeasuringGpu<GpuPort, GpuPlan> && MeasuringGpu<GpuPort, LibraryPlan>);

}  // namespace tilescope
