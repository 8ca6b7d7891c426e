#include "profiler/measure/gpu_port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiler/baselines/cublas_attention.hpp"
#include "profiler/baselines/cudnn_attention.hpp"
#include "profiler/timing/gpu_timing.hpp"

namespace tilescope {
namespace {

constexpr std::size_t input_bytes = 2;  // [B] of an fp16 or bf16 element

cuda::LaunchShape launch_shape(const LaunchGeometry& geometry) {
  cuda::LaunchShape shape;
  shape.grid = {static_cast<unsigned>(geometry.grid_x), static_cast<unsigned>(geometry.grid_y),
                static_cast<unsigned>(geometry.grid_z)};
  shape.block = {static_cast<unsigned>(geometry.threads), 1, 1};
  shape.dynamic_shared_bytes = static_cast<std::size_t>(geometry.dynamic_shared_bytes);
  return shape;
}

std::vector<std::uint16_t> elements(const std::vector<std::byte>& bytes) {
  std::vector<std::uint16_t> values(bytes.size() / input_bytes);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

GpuPort::GpuPort(const DeviceModel& device, const Compiler& compiler, const std::filesystem::path& kernels)
    : device_(device),
      runner_(device.ordinal),
      fill_fp16_(helper(compiler, kernels / "device/fill_random.cu", "fill_random", "fp16")),
      fill_bf16_(helper(compiler, kernels / "device/fill_random.cu", "fill_random", "bf16")),
      poison_shared_(helper(compiler, kernels / "device/poison_shared.cu", "poison_shared", "fp16")),
      clock_probe_(helper(compiler, kernels / "micro/sm_clock_probe.cu", "sm_clock_probe", "fp16")) {
  poison_shared_.allow_dynamic_shared(static_cast<std::size_t>(device_.shared_bytes_per_block_optin));
}

cuda::LoadedKernel GpuPort::helper(const Compiler& compiler, const std::filesystem::path& file,
                                   const char* entry, const char* dtype) const {
  return {compiler.compile_file(file, entry, {{"DTYPE", dtype}}, device_.arch).cubin, entry};
}

void GpuPort::load(const GpuPlan& plan) {
  kernel_.emplace(plan.compiled.cubin, plan.kernel.entry);
  kernel_->allow_dynamic_shared(static_cast<std::size_t>(plan.geometry.dynamic_shared_bytes));
  scratch_.clear();
  for (const std::int64_t bytes : scratch_bytes(plan.kernel, plan.complete, plan.shape, device_)) {
    scratch_.push_back(runner_.allocate(static_cast<std::size_t>(bytes)));
  }
}

void GpuPort::load(const LibraryPlan& plan) {
  kernel_.reset();
  scratch_.clear();
  library_.reset();
  if (plan.kernel.library == KernelLibrary::cudnn) {
    library_ = open_cudnn_attention(plan.shape);
  } else {
    library_ = open_cublas_attention(plan.shape, cuda::LoadedKernel(plan.compiled.cubin, plan.kernel.entry));
  }
  scratch_.push_back(runner_.allocate(std::max<std::size_t>(library_->workspace_bytes(), 1)));
}

int GpuPort::max_active_blocks(const GpuPlan& plan) {
  return kernel_->blocks_per_sm(launch_shape(plan.geometry));
}

void GpuPort::upload(const CheckedProblem& problem) {
  if (tensors_ && sizes_ == problem.sizes && seed_ == problem.seed) return;
  tensors_.reset();  // frees the memory before the new tensors are allocated
  const auto bytes = [](std::int64_t count, std::size_t size) {
    return static_cast<std::size_t>(count) * size;
  };
  const std::int64_t queries = problem.sizes.query_elements(), keys = problem.sizes.key_elements();
  const std::int64_t results = problem.sizes.result_elements();
  tensors_ =
      Tensors{runner_.allocate(bytes(queries, input_bytes)), runner_.allocate(bytes(keys, input_bytes)),
              runner_.allocate(bytes(keys, input_bytes)), runner_.allocate(bytes(results, input_bytes)),
              runner_.allocate(bytes(problem.sizes.rows(), sizeof(float)))};
  sizes_ = problem.sizes;
  seed_ = problem.seed;
  fill(tensors_->q, reference::InputTensor::q);
  fill(tensors_->k, reference::InputTensor::k);
  fill(tensors_->v, reference::InputTensor::v);
  runner_.synchronize();
}

void GpuPort::fill(const cuda::DeviceBuffer& tensor, reference::InputTensor number) {
  cuda::KernelArguments arguments;
  arguments.add(tensor.get()).add(static_cast<unsigned long long>(tensor.bytes() / input_bytes));
  arguments.add(static_cast<unsigned long long>(seed_)).add(static_cast<unsigned>(number));
  cuda::LaunchShape shape;
  shape.grid[0] = static_cast<unsigned>(4 * device_.sm_count);
  shape.block[0] = 256;
  runner_.launch(sizes_.format == reference::Format::fp16 ? fill_fp16_ : fill_bf16_, shape, arguments);
}

void GpuPort::poison() {
  runner_.poison(tensors_->o);
  runner_.poison(tensors_->lse);
  for (cuda::DeviceBuffer& scratch : scratch_) scratch.fill(0, runner_.stream());
  cuda::LaunchShape shape;
  shape.grid[0] = static_cast<unsigned>(device_.sm_count);
  shape.block[0] = 1024;
  shape.dynamic_shared_bytes = static_cast<std::size_t>(device_.shared_bytes_per_block_optin);
  cuda::KernelArguments arguments;
  runner_.launch(poison_shared_, shape, arguments.add(static_cast<int>(shape.dynamic_shared_bytes / 4)));
}

void GpuPort::launch(const GpuPlan& plan) {
  runner_.launch(*kernel_, launch_shape(plan.geometry), arguments(plan));
  runner_.synchronize();
}

void GpuPort::launch(const LibraryPlan&) {
  enqueue_library();
  runner_.synchronize();
}

void GpuPort::enqueue_library() {
  const AttentionPointers tensors{tensors_->q.get(), tensors_->k.get(), tensors_->v.get(), tensors_->o.get()};
  library_->enqueue(runner_.stream().get(), tensors, scratch_.front().get());
}

cuda::KernelArguments GpuPort::arguments(const GpuPlan& plan) const {
  TensorAddresses addresses{tensors_->q.get(), tensors_->k.get(),   tensors_->v.get(),
                            tensors_->o.get(), tensors_->lse.get(), {}};
  for (const cuda::DeviceBuffer& scratch : scratch_) addresses.scratch.push_back(scratch.get());
  cuda::KernelArguments arguments;
  for (auto& bytes : kernel_arguments(plan.kernel, plan.complete, plan.shape, device_, addresses)) {
    arguments.add_bytes(std::move(bytes));
  }
  return arguments;
}

std::vector<std::uint16_t> GpuPort::output() {
  return elements(runner_.download(tensors_->o));
}

reference::AttentionInputs GpuPort::inputs() {
  return {elements(runner_.download(tensors_->q)), elements(runner_.download(tensors_->k)),
          elements(runner_.download(tensors_->v))};
}

Latency GpuPort::time(const GpuPlan& plan, const MeasureControl& control) {
  const auto launch = [this, shape = launch_shape(plan.geometry), arguments = arguments(plan)] {
    runner_.launch(*kernel_, shape, arguments);
  };
  return time_launches(launch, plan.timing_budget_s, control);
}

Latency GpuPort::time(const LibraryPlan& plan, const MeasureControl& control) {
  return time_launches([this] { enqueue_library(); }, plan.timing_budget_s, control);
}

Latency GpuPort::time_launches(std::function<void()> launch, double budget_s, const MeasureControl& control) {
  GpuTimingDevice device(runner_, std::move(launch), clock_probe_);
  TimingOptions options;
  options.budget_s = budget_s;
  options.time_limit_s = 4 * budget_s;
  options.cancelled = control.cancelled;
  options.progress = [&](double fraction) { control.report({"time", 0.5 + 0.45 * fraction}); };
  std::optional<TimedLatency> timed = time_latency(device, options);
  if (!timed) return {};  // cancelled: the sequence checks that and discards the result
  timing_notes_ = std::move(timed->notes);
  return std::move(timed->latency);
}

}  // namespace tilescope
