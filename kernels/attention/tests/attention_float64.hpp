#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device/attention_problem.cuh"
#include "kernels/reference/number_formats.hpp"
#include "sessions/experiment.hpp"

/// Attention in float64 over tensors of any strides, and how far a kernel's result may differ from it.
namespace tilescope {

/// 16-bit elements [B, H, S, D] in memory of their own. Elements that are not written hold NaN.
struct StridedTensor {
  std::vector<std::uint16_t> elements;
  TensorStrides strides{};
  std::int64_t batches = 0, heads = 0, rows = 0, columns = 0;
  reference::Format format{};

  std::size_t index(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const;
  double at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const;
  /// Sets every element to `value`(row, column), called for every batch and head.
  void fill(const std::function<float(std::int64_t, std::int64_t)>& value);
  /// Whether the elements between the rows still hold the NaN that they were filled with.
  bool is_clean_between_rows() const;
};

struct AttentionTensors {
  /// `rows_first`: [B, S, H, D] with 8 unused elements after each S, else [B, H, S, D].
  AttentionTensors(const Shape& shape, bool rows_first);
  StridedTensor q, k, v, o;
};

/// Describes the first wrong element of O or LSE, or a write outside O; "" when everything is correct. Rows that see
/// one of the last `hidden_keys` keys are not checked, and LSE only with `lse`. `absolute` is a tolerance in addition
/// to the derived one.
std::string why_wrong(const Shape& shape, const AttentionTensors& tensors, const std::vector<float>& lse,
                      std::int64_t hidden_keys, double absolute);

}  // namespace tilescope
