#include "profiler/measure/gpu/gpu_port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiler/gpu/baselines/cublas_attention.hpp"
#include "profiler/gpu/baselines/cudnn_attention.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"

namespace tilescope {
namespace {

constexpr std::size_t input_bytes = 2;  // [B] of an fp16 or bf16 element
constexpr std::size_t kept_binaries = 32;
constexpr std::size_t kept_problems = 4;
constexpr std::size_t kept_problem_bytes = std::size_t{2} << 30;  // of all but the one in use
constexpr std::int64_t sampled_rows = 256;

std::vector<std::uint16_t> elements(const std::vector<std::byte>& bytes) {
  std::vector<std::uint16_t> values(bytes.size() / input_bytes);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

GpuPort::GpuPort(const DeviceModel& device, const Compiler& compiler, const std::filesystem::path& kernels)
    : device_(device),
      compiler_(compiler),
      kernels_(kernels),
      runner_(device.ordinal),
      fill_fp16_(helper("device/fill_random.cu", "fill_random", "fp16")),
      fill_bf16_(helper("device/fill_random.cu", "fill_random", "bf16")),
      poison_shared_(helper("device/poison_shared.cu", "poison_shared", "fp16")),
      clock_probe_(helper("micro/sm_clock_probe.cu", "sm_clock_probe", "fp16")) {
  poison_shared_.allow_dynamic_shared(static_cast<std::size_t>(device_.shared_bytes_per_block_optin));
}

cuda::LoadedKernel GpuPort::helper(const std::filesystem::path& file, const char* entry,
                                   const char* dtype) const {
  return {compiler_.compile_file(kernels_ / file, entry, {{"DTYPE", dtype}}, device_.arch).cubin, entry};
}

template <class Allocate>
auto GpuPort::with_room(std::size_t in_use, Allocate allocate) {
  try {
    return allocate();
  } catch (const cuda::CudaError& error) {
    if (error.result() != CUDA_ERROR_OUT_OF_MEMORY || problems_.size() <= in_use) throw;
  }
  problems_.resize(in_use);
  return allocate();
}

void GpuPort::load(const Prepared& prepared) {
  expected_us_ = 0;
  if (prepared.kernel.is_launched_by_library()) {
    load_library(prepared);
  } else {
    load_binary(prepared);
  }
}

void GpuPort::load_binary(const Prepared& prepared) {
  const std::string key = prepared.compiled.key + ' ' + prepared.kernel.entry;
  const auto known = std::find_if(binaries_.begin(), binaries_.end(),
                                  [&](const Binary& binary) { return binary.key == key; });
  if (known != binaries_.end()) {
    binaries_.splice(binaries_.begin(), binaries_, known);
  } else {
    binaries_.push_front({key, cuda::LoadedKernel(prepared.compiled.cubin, prepared.kernel.entry)});
    if (binaries_.size() > kept_binaries) binaries_.pop_back();
  }
  kernel().allow_dynamic_shared(static_cast<std::size_t>(prepared.geometry.dynamic_shared_bytes));
  with_room(0, [&] {
    scratch_.clear();
    for (const std::int64_t bytes :
         scratch_bytes(prepared.kernel, prepared.complete, prepared.shape(), device_)) {
      scratch_.push_back(runner_.allocate(static_cast<std::size_t>(bytes)));
    }
  });
}

void GpuPort::load_library(const Prepared& prepared) {
  scratch_.clear();
  library_.reset();
  if (prepared.kernel.library == KernelLibrary::cudnn) {
    library_ = open_cudnn_attention(prepared.shape());
  } else {
    library_ = open_cublas_attention(prepared.shape(),
                                     cuda::LoadedKernel(prepared.compiled.cubin, prepared.kernel.entry));
  }
  scratch_.push_back(
      with_room(0, [&] { return runner_.allocate(std::max<std::size_t>(library_->workspace_bytes(), 1)); }));
}

int GpuPort::max_active_blocks(const Prepared& prepared) {
  if (prepared.kernel.is_launched_by_library()) return 0;
  return kernel().blocks_per_sm(prepared.geometry);
}

std::size_t GpuPort::Problem::bytes() const {
  std::size_t sum = q.bytes() + k.bytes() + v.bytes() + o.bytes() + lse.bytes();
  for (const auto* reference : {&sample, &all}) {
    if (*reference) sum += (*reference)->rows.bytes() + (*reference)->output.bytes();
  }
  return sum;
}

void GpuPort::upload(const GpuProblem& what) {
  const auto known = std::find_if(problems_.begin(), problems_.end(), [&](const Problem& problem) {
    return problem.what.sizes == what.sizes && problem.what.seed == what.seed;
  });
  if (known != problems_.end()) return problems_.splice(problems_.begin(), problems_, known);
  const auto elements = static_cast<std::size_t>(what.sizes.query_elements() + 2 * what.sizes.key_elements() +
                                                 what.sizes.result_elements());
  make_room(elements * input_bytes);
  problems_.push_front(with_room(0, [&] { return allocate_problem(what); }));
  try {
    fill(problem().q, reference::InputTensor::q);
    fill(problem().k, reference::InputTensor::k);
    fill(problem().v, reference::InputTensor::v);
    runner_.synchronize();
  } catch (...) {
    problems_.pop_front();  // or the next point would take it for filled
    throw;
  }
}

// Before `bytes` are allocated.
void GpuPort::make_room(std::size_t bytes) {
  const auto used = [&] {
    std::size_t sum = bytes;
    for (const Problem& problem : problems_) sum += problem.bytes();
    return sum;
  };
  while (!problems_.empty() && (problems_.size() >= kept_problems || used() > kept_problem_bytes)) {
    problems_.pop_back();
  }
}

GpuPort::Problem GpuPort::allocate_problem(const GpuProblem& what) const {
  const auto tensor = [&](std::int64_t count, std::size_t size) {
    return runner_.allocate(static_cast<std::size_t>(count) * size);
  };
  Problem made;
  made.what = what;
  made.q = tensor(what.sizes.query_elements(), input_bytes);
  made.k = tensor(what.sizes.key_elements(), input_bytes);
  made.v = tensor(what.sizes.key_elements(), input_bytes);
  made.o = tensor(what.sizes.result_elements(), input_bytes);
  made.lse = tensor(what.sizes.rows(), sizeof(float));
  return made;
}

void GpuPort::fill(const cuda::DeviceBuffer& tensor, reference::InputTensor number) {
  cuda::KernelArguments arguments;
  arguments.add(tensor.get()).add(static_cast<unsigned long long>(tensor.bytes() / input_bytes));
  arguments.add(static_cast<unsigned long long>(problem().what.seed)).add(static_cast<unsigned>(number));
  LaunchGeometry geometry;
  geometry.grid_x = 4 * device_.sm_count;
  geometry.threads = 256;
  const bool is_fp16 = problem().what.sizes.format == reference::Format::fp16;
  runner_.launch(is_fp16 ? fill_fp16_ : fill_bf16_, geometry, arguments);
}

void GpuPort::poison() {
  runner_.poison(problem().o);
  runner_.poison(problem().lse);
  for (cuda::DeviceBuffer& scratch : scratch_) scratch.fill(0, runner_.stream());
  LaunchGeometry geometry;
  geometry.grid_x = device_.sm_count;
  geometry.threads = 1024;
  geometry.dynamic_shared_bytes = device_.shared_bytes_per_block_optin;
  cuda::KernelArguments arguments;
  runner_.launch(poison_shared_, geometry,
                 arguments.add(static_cast<int>(geometry.dynamic_shared_bytes / 4)));
}

void GpuPort::launch(const Prepared& prepared) {
  launches_of(prepared)();
  runner_.synchronize();
}

void GpuPort::enqueue_library() {
  const AttentionPointers tensors{problem().q.get(), problem().k.get(), problem().v.get(), problem().o.get()};
  library_->enqueue(runner_.stream().get(), tensors, scratch_.front().get());
}

cuda::KernelArguments GpuPort::arguments(const Prepared& prepared) {
  TensorAddresses addresses{problem().q.get(), problem().k.get(),   problem().v.get(),
                            problem().o.get(), problem().lse.get(), {}};
  for (const cuda::DeviceBuffer& scratch : scratch_) addresses.scratch.push_back(scratch.get());
  cuda::KernelArguments arguments;
  for (auto& bytes :
       kernel_arguments(prepared.kernel, prepared.complete, prepared.shape(), device_, addresses)) {
    arguments.add_bytes(std::move(bytes));
  }
  return arguments;
}

std::vector<std::uint16_t> GpuPort::output() {
  return elements(runner_.download(problem().o));
}

reference::AttentionInputs GpuPort::inputs() {
  return {elements(runner_.download(problem().q)), elements(runner_.download(problem().k)),
          elements(runner_.download(problem().v))};
}

std::optional<reference::AttentionReference> GpuPort::device_reference() {
  const Problem& known = problem();
  if (known.is_host_reference || !reference_ || (!known.all && !known.sample)) return std::nullopt;
  return reference_->download(known.all ? *known.all : *known.sample);
}

const DeviceReference* GpuPort::reference_on_device(CheckedRows rows,
                                                    const std::function<bool()>& cancelled) {
  Problem& known = problem();
  if (known.all) return &*known.all;
  if (rows == CheckedRows::sample && known.sample) return &*known.sample;
  if (!reference_) reference_.emplace(runner_, device_, compiler_, kernels_);
  const std::int64_t affordable = reference_->affordable_rows(known.what.sizes);
  const bool is_sample = rows == CheckedRows::sample && sampled_rows < affordable;
  std::optional<DeviceReference>& wanted = is_sample ? known.sample : known.all;
  wanted = with_room(1, [&] {
    return reference_->compute(known.what.sizes, {known.q.get(), known.k.get(), known.v.get()},
                               is_sample ? sampled_rows : affordable, cancelled);
  });
  return wanted ? &*wanted : nullptr;
}

std::optional<ResultCheck> GpuPort::check(CheckedRows rows, const MeasureControl& control) {
  Problem& known = problem();
  if (!GpuReference::supports(known.what.sizes)) known.is_host_reference = true;
  if (known.is_host_reference) return check_on_host(control);
  try {
    const DeviceReference* reference = reference_on_device(rows, control.cancelled);
    if (reference == nullptr) return std::nullopt;
    return reference_->check(*reference, known.what.sizes, known.o);
  } catch (const cuda::CudaError& error) {
    if (error.is_sticky()) throw;
    known.why_host_reference = error.what();
  } catch (const CompileFailed& error) {  // of a kernel of the reference, not of the point's
    known.why_host_reference = error.what();
  }
  known.is_host_reference = true;
  return check_on_host(control);
}

std::vector<std::string> GpuPort::notes() const {
  std::vector<std::string> notes = timing_notes_;
  if (const std::string& why = problems_.front().why_host_reference; !why.empty())
    notes.push_back("The float64 reference was computed on the host, since the GPU could not: " + why);
  return notes;
}

std::optional<ResultCheck> GpuPort::check_on_host(const MeasureControl& control) {
  const GpuProblem& what = problem().what;
  const auto known = host_references_.get(what.sizes, what.seed, control.cancelled);
  if (!known) return std::nullopt;
  return check_result(known->reference, what.sizes, output());
}

std::function<void()> GpuPort::launches_of(const Prepared& prepared) {
  if (prepared.kernel.is_launched_by_library()) return [this] { enqueue_library(); };
  return [this, geometry = prepared.geometry, arguments = arguments(prepared)] {
    runner_.launch(kernel(), geometry, arguments);
  };
}

GraphTimingDevice& GpuPort::timing_of(std::function<void()> launch) {
  if (timing_) {
    timing_->time_instead(std::move(launch));
  } else {
    timing_.emplace(runner_, std::move(launch), clock_probe_);
  }
  return *timing_;
}

GpuPort::Ready GpuPort::make_ready(const Prepared& prepared, std::int64_t launches) {
  Ready ready;
  ready.timing = std::make_unique<GraphTimingDevice>(runner_, launches_of(prepared), clock_probe_);
  ready.timing->prepare(CacheState::l2_warm, launches);
  ready.scratch = std::move(scratch_);
  scratch_.clear();
  if (prepared.kernel.is_launched_by_library()) ready.library = std::move(library_);
  return ready;
}

ProvisionalLatency GpuPort::time_provisional(const Prepared& prepared, const MeasureControl& control) {
  const auto timed = tilescope::time_provisional(timing_of(launches_of(prepared)), control.cancelled);
  if (!timed) return {};
  expected_us_ = timed->latency.p50_us;
  return *timed;
}

Latency GpuPort::time(const Prepared& prepared, const TimingBudget& timing, const MeasureControl& control,
                      const std::function<void(const Latency&)>& warm_is_final) {
  return time_launches(launches_of(prepared), timing, control, warm_is_final);
}

Latency GpuPort::time_launches(std::function<void()> launch, const TimingBudget& timing,
                               const MeasureControl& control,
                               const std::function<void(const Latency&)>& warm_is_final) {
  TimingOptions options;
  options.budget_s = timing.l2_warm_s;
  options.time_limit_s = 4 * timing.l2_warm_s;
  options.cold_share = timing.cold_share;
  options.expected_us = expected_us_;
  options.cancelled = control.cancelled;
  options.progress = [&](double fraction) { control.report({"time", 0.5 + 0.45 * fraction}); };
  options.warm_is_final = warm_is_final;
  std::optional<TimedLatency> timed = time_latency(timing_of(std::move(launch)), options);
  if (!timed) return {};  // cancelled: the sequence checks that and discards the result
  timing_notes_ = std::move(timed->notes);
  return std::move(timed->latency);
}

}  // namespace tilescope
