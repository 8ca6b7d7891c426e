#include "profiler/measure/gpu/gpu_reference.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/device/reference_problem.cuh"

namespace tilescope {
namespace {

constexpr unsigned threads = 256;          // as in the kernels
constexpr std::int64_t blocks_per_sm = 8;  // each has scratch for a row of scores

// Multiply-adds in double of a whole reference and of one launch, about 1 s and 10 ms: GPUs for data centers finish 32
// or 64 in a clock and SM, the others 2.
constexpr std::int64_t affordable_on_data_center_gpus = std::int64_t{1} << 40;
constexpr std::int64_t affordable_elsewhere = std::int64_t{1} << 36;
constexpr std::int64_t launches_of_a_reference = 64;
constexpr std::int64_t affordable_bytes = std::int64_t{4} << 30;

bool has_fast_double(const DeviceModel& device) {
  return device.compute_minor == 0 && device.compute_major >= 6 && device.compute_major != 12;
}

std::int64_t affordable_products(const DeviceModel& device) {
  return has_fast_double(device) ? affordable_on_data_center_gpus : affordable_elsewhere;
}

std::int64_t products_per_row(const reference::AttentionSizes& sizes) {
  return (sizes.result == reference::Result::attention ? 2 : 1) * sizes.Sk * sizes.D;
}

template <class T>
const T* pointer(CUdeviceptr address) {
  return reinterpret_cast<const T*>(address);
}

template <class T>
cuda::DeviceBuffer allocate(const cuda::GpuRunner& gpu, std::int64_t count) {
  return gpu.allocate(static_cast<std::size_t>(count) * sizeof(T));
}

template <class T>
std::vector<T> download_all(const cuda::GpuRunner& gpu, const cuda::DeviceBuffer& buffer) {
  const std::vector<std::byte> bytes = gpu.download(buffer);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

int flag(bool value) {
  return value ? 1 : 0;
}

ReferenceProblem problem_of(const reference::AttentionSizes& sizes, const DeviceInputs& inputs,
                            const DeviceReference& reference) {
  ReferenceProblem problem{};
  problem.q = pointer<unsigned short>(inputs.q);
  problem.k = pointer<unsigned short>(inputs.k);
  problem.v = pointer<unsigned short>(inputs.v);
  problem.rows = pointer<long long>(reference.rows.get());
  problem.output = reinterpret_cast<double*>(reference.output.get());
  problem.query_heads = static_cast<int>(sizes.Hq);
  problem.key_heads = static_cast<int>(sizes.Hkv);
  problem.queries = static_cast<int>(sizes.Sq);
  problem.keys = static_cast<int>(sizes.Sk);
  problem.head_dim = static_cast<int>(sizes.D);
  problem.is_causal = flag(sizes.causal);
  problem.is_bf16 = flag(sizes.format == reference::Format::bf16);
  problem.is_scores = flag(sizes.result == reference::Result::scores);
  return problem;
}

cuda::LoadedKernel load(const Compiler& compiler, const std::filesystem::path& file, const char* entry,
                        const DeviceModel& device) {
  return {compiler.compile_file(file, entry, {}, device.arch).cubin, entry};
}

}  // namespace

GpuReference::GpuReference(const cuda::GpuRunner& gpu, const DeviceModel& device, const Compiler& compiler,
                           const std::filesystem::path& kernels)
    : gpu_(gpu),
      device_(device),
      attention_(load(compiler, kernels / "device/attention_float64.cu", "attention_float64", device)),
      compare_(load(compiler, kernels / "device/compare_output.cu", "compare_output", device)),
      find_poisoned_(load(compiler, kernels / "device/compare_output.cu", "find_poisoned_rows", device)) {}

bool GpuReference::supports(const reference::AttentionSizes& sizes) {
  return sizes.D % 8 == 0 && sizes.D <= threads;
}

std::int64_t GpuReference::affordable_rows(const reference::AttentionSizes& sizes) const {
  const std::int64_t in_time = affordable_products(device_) / products_per_row(sizes);
  const std::int64_t in_memory =
      affordable_bytes / (sizes.result_columns() * static_cast<std::int64_t>(sizeof(double)));
  return std::clamp<std::int64_t>(std::min(in_time, in_memory), 1, sizes.rows());
}

LaunchGeometry GpuReference::geometry() const {
  LaunchGeometry geometry;
  geometry.grid_x = blocks_per_sm * device_.sm_count;
  geometry.threads = threads;
  return geometry;
}

std::optional<DeviceReference> GpuReference::compute(const reference::AttentionSizes& sizes,
                                                     const DeviceInputs& inputs, std::int64_t count,
                                                     const std::function<bool()>& cancelled) const {
  DeviceReference reference;
  reference.row_count = std::min(count, sizes.rows());
  if (reference.row_count < sizes.rows()) {
    reference.summary.rows = reference::spread_rows(sizes.rows(), count);
    reference.rows = gpu_.upload(std::as_bytes(std::span(reference.summary.rows)));
  }
  reference.output = allocate<double>(gpu_, reference.row_count * sizes.result_columns());
  const std::int64_t blocks = blocks_per_sm * device_.sm_count;
  const cuda::DeviceBuffer scratch = allocate<double>(gpu_, blocks * sizes.Sk);
  const cuda::DeviceBuffer plain_scratch = allocate<float>(gpu_, blocks * sizes.Sk);
  cuda::DeviceBuffer maxima = allocate<std::uint64_t>(gpu_, 2);
  maxima.fill(0, gpu_.stream());

  ReferenceProblem problem = problem_of(sizes, inputs, reference);
  problem.scratch = reinterpret_cast<double*>(scratch.get());
  problem.plain_scratch = reinterpret_cast<float*>(plain_scratch.get());
  problem.maxima = reinterpret_cast<unsigned long long*>(maxima.get());
  const std::int64_t rows_per_launch =
      std::max(affordable_products(device_) / launches_of_a_reference / products_per_row(sizes), blocks);
  for (std::int64_t first = 0; first < reference.row_count; first += rows_per_launch) {
    if (cancelled()) return std::nullopt;
    problem.first_row = first;
    problem.last_row = std::min(first + rows_per_launch, reference.row_count);
    gpu_.launch(attention_, geometry(), cuda::KernelArguments().add(problem));
    gpu_.synchronize();
  }
  read_maxima(maxima, reference.summary);
  return reference;
}

void GpuReference::read_maxima(const cuda::DeviceBuffer& maxima,
                               reference::AttentionReference& summary) const {
  const auto bits = download_all<std::uint64_t>(gpu_, maxima);
  summary.max_abs_output = std::bit_cast<double>(bits[0]);
  summary.plain_max_error = std::bit_cast<double>(bits[1]);
}

ResultCheck GpuReference::check(const DeviceReference& reference, const reference::AttentionSizes& sizes,
                                const cuda::DeviceBuffer& output) const {
  return {compare(reference, sizes, output), poisoned_rows(sizes, output), reference.row_count};
}

reference::Comparison GpuReference::compare(const DeviceReference& reference,
                                            const reference::AttentionSizes& sizes,
                                            const cuda::DeviceBuffer& output) const {
  const cuda::DeviceBuffer found = allocate<WorstElement>(gpu_, geometry().grid_x);
  cuda::KernelArguments arguments;
  arguments.add(output.get()).add(reference.output.get()).add(reference.rows.get());
  arguments.add(static_cast<long long>(reference.row_count * sizes.result_columns()));
  arguments.add(static_cast<int>(sizes.result_columns()));
  arguments.add(flag(sizes.format == reference::Format::bf16)).add(found.get());
  gpu_.launch(compare_, geometry(), arguments);
  WorstElement worst{};
  for (const WorstElement& block : download_all<WorstElement>(gpu_, found)) {
    const bool is_worse = block.difference > worst.difference ||
                          (block.difference == worst.difference && block.element < worst.element);
    if (is_worse) worst = block;
  }
  const bool is_nan = worst.difference == std::numeric_limits<unsigned long long>::max();
  return reference::judge_difference(
      reference.summary, sizes,
      is_nan ? std::numeric_limits<double>::quiet_NaN() : std::bit_cast<double>(worst.difference),
      worst.element);
}

UnwrittenRows GpuReference::poisoned_rows(const reference::AttentionSizes& sizes,
                                          const cuda::DeviceBuffer& output) const {
  const cuda::DeviceBuffer found = allocate<PoisonedRows>(gpu_, geometry().grid_x);
  cuda::KernelArguments arguments;
  arguments.add(output.get()).add(static_cast<long long>(sizes.rows()));
  arguments.add(static_cast<int>(sizes.result_columns())).add(found.get());
  gpu_.launch(find_poisoned_, geometry(), arguments);
  UnwrittenRows rows;
  rows.total = sizes.rows();
  for (const PoisonedRows& block : download_all<PoisonedRows>(gpu_, found)) {
    if (block.count == 0) continue;
    rows.first = rows.count == 0 ? block.first : std::min<std::int64_t>(rows.first, block.first);
    rows.count += block.count;
    rows.in_part += block.in_part;
  }
  return rows;
}

reference::AttentionReference GpuReference::download(const DeviceReference& reference) const {
  reference::AttentionReference whole = reference.summary;
  whole.output = download_all<double>(gpu_, reference.output);
  if (whole.rows.empty()) {
    whole.rows.resize(static_cast<std::size_t>(reference.row_count));
    std::iota(whole.rows.begin(), whole.rows.end(), 0);
  }
  return whole;
}

}  // namespace tilescope
