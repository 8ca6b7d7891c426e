#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/gpu/baselines/library_attention.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/gpu/timing/graph_timing.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/measure/caches/reference_cache.hpp"
#include "profiler/measure/gpu/gpu_reference.hpp"
#include "profiler/measure/gpu/gpu_sequence.hpp"
#include "profiler/measure/prepare/kernel_arguments.hpp"

namespace tilescope {

/// The GPU on which the measuring sequence runs our kernels and those that a library launches. Inputs are made on the
/// device, by the same generator as on the host, and so is the float64 reference; where that fails, or the GPU's kernels
/// do not support the problem, the host computes the reference. The latest problems and binaries stay loaded. Every call
/// throws cuda::CudaError and, for a library, what profiler/gpu/baselines throws.
class GpuPort {
 public:
  /// Compiles its helper kernels (inputs, poison, clock probe) from `kernels`. Throws what Compiler throws. `compiler`
  /// must outlive it.
  GpuPort(const DeviceModel& device, const Compiler& compiler, const std::filesystem::path& kernels);

  void load(const Prepared& prepared);
  /// 0 for a library, which does not say.
  int max_active_blocks(const Prepared& prepared);
  void upload(const GpuProblem& problem);
  void poison();
  void launch(const Prepared& prepared);
  std::optional<ResultCheck> check(CheckedRows rows, const MeasureControl& control);
  ProvisionalLatency time_provisional(const Prepared& prepared, const MeasureControl& control);
  Latency time(const Prepared& prepared, const TimingBudget& timing, const MeasureControl& control,
               const std::function<void(const Latency&)>& warm_is_final);
  /// Times what `launch` enqueues on the runner's stream.
  Latency time_launches(
      std::function<void()> launch, const TimingBudget& timing, const MeasureControl& control,
      const std::function<void(const Latency&)>& warm_is_final = [](const Latency&) {});
  const cuda::GpuRunner& runner() const { return runner_; }
  /// On the last timing, in sentences.
  const std::vector<std::string>& timing_notes() const { return timing_notes_; }

  /// A kernel that stays ready to run beside others, on the problem for which it was made ready.
  struct Ready {
    std::vector<cuda::DeviceBuffer> scratch;
    std::unique_ptr<LibraryAttention> library;
    std::unique_ptr<GraphTimingDevice> timing;
  };
  /// The loaded kernel on the uploaded problem, as a run of `launches` launches. It must be loaded again
  /// before anything else is done with it here. The port keeps its binary among the latest ones and must
  /// outlive it.
  Ready make_ready(const Prepared& prepared, std::int64_t launches);
  double default_clock_mhz() const { return runner_.default_sm_clock_mhz(); }

  /// "cuDNN 9.19.0": the library whose kernel was loaded last.
  std::string library_version() const { return library_ ? library_->version() : ""; }
  /// On the last timing, and on the reference of the problem in use, in sentences.
  std::vector<std::string> notes() const;
  /// The inputs that the device made and the result, for tests that compare them with the host's.
  reference::AttentionInputs inputs();
  std::vector<std::uint16_t> output();
  /// The reference that the device computed last for the uploaded problem; nothing if the host did.
  std::optional<reference::AttentionReference> device_reference();

 private:
  /// A problem on the device.
  struct Problem {
    GpuProblem what;
    cuda::DeviceBuffer q, k, v, o, lse;
    std::optional<DeviceReference> sample, all;
    bool is_host_reference = false;
    /// Why the device failed to compute the reference; "" if it did not.
    std::string why_host_reference;

    std::size_t bytes() const;
  };
  struct Binary {
    std::string key;
    cuda::LoadedKernel kernel;
  };

  cuda::LoadedKernel helper(const std::filesystem::path& file, const char* entry, const char* dtype) const;
  Problem allocate_problem(const GpuProblem& what) const;
  void make_room(std::size_t bytes);
  /// Allocates; if the GPU has too little memory, again without the problems that only wait to be asked for once more.
  /// The newest `in_use` of them stay.
  template <class Allocate>
  auto with_room(std::size_t in_use, Allocate allocate);
  void fill(const cuda::DeviceBuffer& tensor, reference::InputTensor number);
  Problem& problem() { return problems_.front(); }
  cuda::LoadedKernel& kernel() { return binaries_.front().kernel; }
  /// nullptr when cancelled. Computed where it is not kept.
  const DeviceReference* reference_on_device(CheckedRows rows, const std::function<bool()>& cancelled);
  std::optional<ResultCheck> check_on_host(const MeasureControl& control);
  void load_binary(const Prepared& prepared);
  void load_library(const Prepared& prepared);
  cuda::KernelArguments arguments(const Prepared& prepared);
  std::function<void()> launches_of(const Prepared& prepared);
  void enqueue_library();
  GraphTimingDevice& timing_of(std::function<void()> launch);

  DeviceModel device_;
  const Compiler& compiler_;
  std::filesystem::path kernels_;
  cuda::GpuRunner runner_;
  cuda::LoadedKernel fill_fp16_, fill_bf16_, poison_shared_, clock_probe_;
  std::optional<GpuReference> reference_;
  /// References of problems that the device's reference does not support.
  ReferenceCache host_references_;
  /// Both newest first; the first one is in use.
  std::list<Binary> binaries_;
  std::list<Problem> problems_;
  std::unique_ptr<LibraryAttention> library_;
  std::vector<cuda::DeviceBuffer> scratch_;  // for the loaded kernel, zeros before its first launch
  std::optional<GraphTimingDevice> timing_;
  /// [us] of the last provisional timing of the loaded kernel; 0 without one.
  double expected_us_ = 0;
  std::vector<std::string> timing_notes_;
};

static_assert(MeasuringGpu<GpuPort>);

}  // namespace tilescope
