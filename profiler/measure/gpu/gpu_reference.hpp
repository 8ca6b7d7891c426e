#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/reference/attention.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/measure/interpret/result_check.hpp"

namespace tilescope {

/// A float64 reference in the memory of the GPU.
struct DeviceReference {
  /// Its rows (none where it has all of the result's) and its maxima, without the output.
  reference::AttentionReference summary;
  std::int64_t row_count = 0;
  /// [row_count] of int64; empty where it has all rows.
  cuda::DeviceBuffer rows;
  /// [row_count, result_columns] of double
  cuda::DeviceBuffer output;
};

/// The inputs of a problem in the memory of the GPU.
struct DeviceInputs {
  CUdeviceptr q = 0, k = 0, v = 0;
};

/// Computes float64 references on the GPU and compares results with them there, so that neither a reference
/// nor a result is copied. Gives the figures of kernels/reference on the host, except for rounding in
/// float64, and the plain implementation's error, whose sums are in another order. Every call throws
/// cuda::CudaError.
class GpuReference {
 public:
  /// Compiles its kernels from `kernels`. Throws what Compiler throws. `gpu` must outlive it.
  GpuReference(const cuda::GpuRunner& gpu, const DeviceModel& device, const Compiler& compiler,
               const std::filesystem::path& kernels);

  /// Whether the kernels can compute this head dimension; otherwise the host does.
  static bool supports(const reference::AttentionSizes& sizes);
  /// The rows that are computed before a result counts as checked: all, unless this GPU would take about a second, or
  /// the reference 4 GB.
  std::int64_t affordable_rows(const reference::AttentionSizes& sizes) const;
  /// `count` rows, spread evenly. nullopt when cancelled, which is asked every few milliseconds.
  std::optional<DeviceReference> compute(const reference::AttentionSizes& sizes, const DeviceInputs& inputs,
                                         std::int64_t count, const std::function<bool()>& cancelled) const;
  ResultCheck check(const DeviceReference& reference, const reference::AttentionSizes& sizes,
                    const cuda::DeviceBuffer& output) const;
  /// The whole reference on the host, without lse.
  reference::AttentionReference download(const DeviceReference& reference) const;

 private:
  LaunchGeometry geometry() const;
  void read_maxima(const cuda::DeviceBuffer& maxima, reference::AttentionReference& summary) const;
  reference::Comparison compare(const DeviceReference& reference, const reference::AttentionSizes& sizes,
                                const cuda::DeviceBuffer& output) const;
  UnwrittenRows poisoned_rows(const reference::AttentionSizes& sizes, const cuda::DeviceBuffer& output) const;

  const cuda::GpuRunner& gpu_;
  DeviceModel device_;
  cuda::LoadedKernel attention_, compare_, find_poisoned_;
};

}  // namespace tilescope
