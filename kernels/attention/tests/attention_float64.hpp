#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device/attention_problem.cuh"
#include "kernels/reference/number_formats.hpp"
#include "sessions/experiment.hpp"

/// Attention in float64 over tensors of any strides, and what a kernel's result may differ from it.
namespace tilescope {

/// Elements [B, H, S, D] of 16 bits in memory of their own, poisoned with NaN where nobody writes.
struct StridedTensor {
  std::vector<std::uint16_t> elements;
  TensorStrides strides{};
  std::int64_t batches = 0, heads = 0, rows = 0, columns = 0;
  reference::Format format{};

  std::size_t index(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const;
  double at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const;
  /// `value` of (row, column), called for every batch and head.
  void fill(const std::function<float(std::int64_t, std::int64_t)>& value);
  /// The elements that belong to no row are as poisoned as they were.
  bool is_clean_between_rows() const;
};

struct AttentionTensors {
  /// `rows_first`: [B, S, H, D] with 8 elements behind each S, else [B, H, S, D].
  AttentionTensors(const Shape& shape, bool rows_first);
  StridedTensor q, k, v, o;
};

/// The first element of O or LSE that is not what it should be, in words, "" when all are; also when something was
/// written beside O. Rows that see one of the last `hidden_keys` keys are not looked at, and without `lse` it is
/// not either. `absolute` is a tolerance
/// besides the derived one.
std::string why_wrong(const Shape& shape, const AttentionTensors& tensors, const std::vector<float>& lse,
                      std::int64_t hidden_keys, double absolute);

}  // namespace tilescope
