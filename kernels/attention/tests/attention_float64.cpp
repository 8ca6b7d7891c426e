#include "kernels/attention/tests/attention_float64.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

using reference::Format;

constexpr std::uint16_t poison = 0xFFFF;  // NaN of both formats
constexpr std::int64_t spare = 8;  // unused elements after each row of heads; rows stay aligned to 16 bytes

StridedTensor make_tensor(std::int64_t batches, std::int64_t heads, std::int64_t rows, std::int64_t columns,
                          bool rows_first, Format format) {
  StridedTensor tensor;
  tensor.batches = batches;
  tensor.heads = heads;
  tensor.rows = rows;
  tensor.columns = columns;
  tensor.format = format;
  const std::int64_t line = heads * columns + spare;
  tensor.strides = rows_first ? TensorStrides{rows * line, columns, line}
                              : TensorStrides{heads * rows * columns, rows * columns, columns};
  tensor.elements.assign(static_cast<std::size_t>(batches * tensor.strides.batch), poison);
  return tensor;
}

// The expected values of one row of the result.
struct ExpectedRow {
  std::vector<double> output;
  double lse = 0;
  double largest_score = 0;  // magnitudes
  double largest_value = 0;
};

ExpectedRow expected_row(const Shape& shape, const AttentionTensors& tensors, std::int64_t b, std::int64_t h,
                         std::int64_t row, std::int64_t seen) {
  const std::int64_t key_head = h / (shape.Hq / shape.Hkv);
  ExpectedRow expected;
  expected.output.assign(static_cast<std::size_t>(shape.D), 0);
  std::vector<double> weights(static_cast<std::size_t>(seen));
  double maximum = -INFINITY;
  for (std::int64_t j = 0; j < seen; ++j) {
    double sum = 0;
    for (std::int64_t d = 0; d < shape.D; ++d)
      sum += tensors.q.at(b, h, row, d) * tensors.k.at(b, key_head, j, d);
    const double score = sum / std::sqrt(static_cast<double>(shape.D));
    weights[static_cast<std::size_t>(j)] = score;
    maximum = std::max(maximum, score);
    expected.largest_score = std::max(expected.largest_score, std::abs(score));
  }
  double weight_sum = 0;
  for (double& weight : weights) weight_sum += weight = std::exp(weight - maximum);
  expected.lse = seen > 0 ? maximum + std::log(weight_sum) : -INFINITY;
  for (std::int64_t j = 0; j < seen; ++j) {
    for (std::int64_t d = 0; d < shape.D; ++d) {
      const double value = tensors.v.at(b, key_head, j, d);
      expected.output[static_cast<std::size_t>(d)] +=
          weights[static_cast<std::size_t>(j)] / weight_sum * value;
      expected.largest_value = std::max(expected.largest_value, std::abs(value));
    }
  }
  return expected;
}

// A score is a float: its rounding error, about 32 units over a sum of D products, changes a weight by the same
// relative amount.
constexpr double score_error = 0x1p-19;
constexpr double lse_error = 2e-6;

// Weights and output are rounded to 16 bits once each, and the sum of the weights may be that of the rounded ones.
double output_tolerance(const ExpectedRow& expected, Format format) {
  return expected.largest_value *
         (3 * reference::rounding_unit(format) + expected.largest_score * score_error);
}

bool is_right_lse(float lse, const ExpectedRow& expected) {
  if (std::isinf(expected.lse)) return lse == expected.lse;
  const double allowed = lse_error * (10 + std::abs(expected.lse)) + expected.largest_score * score_error / 2;
  return std::abs(lse - expected.lse) <= allowed;
}

}  // namespace

std::size_t StridedTensor::index(std::int64_t batch, std::int64_t head, std::int64_t row,
                                 std::int64_t column) const {
  return static_cast<std::size_t>(batch * strides.batch + head * strides.head + row * strides.row + column);
}

double StridedTensor::at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const {
  return reference::to_float(elements[index(batch, head, row, column)], format);
}

void StridedTensor::fill(const std::function<float(std::int64_t, std::int64_t)>& value) {
  for (std::int64_t b = 0; b < batches; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
          elements[index(b, h, row, column)] = reference::from_float(value(row, column), format);
        }
      }
    }
  }
}

bool StridedTensor::is_clean_between_rows() const {
  const std::int64_t line = heads * columns;
  if (strides.row <= line) return true;  // contiguous
  for (std::int64_t start = 0; start < batches * strides.batch; start += strides.row) {
    const auto behind = elements.begin() + start + line;
    if (!std::all_of(behind, behind + spare, [](std::uint16_t bits) { return bits == poison; })) return false;
  }
  return true;
}

AttentionTensors::AttentionTensors(const Shape& shape, bool rows_first) {
  const Format format = shape.dtype == DataType::fp16 ? Format::fp16 : Format::bf16;
  q = make_tensor(shape.B, shape.Hq, shape.Sq, shape.D, rows_first, format);
  o = q;
  k = make_tensor(shape.B, shape.Hkv, shape.Sk, shape.D, rows_first, format);
  v = k;
}

std::string why_wrong(const Shape& shape, const AttentionTensors& tensors, const std::vector<float>& lse,
                      std::int64_t hidden_keys, double absolute) {
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.Hq; ++h) {
      for (std::int64_t row = 0; row < shape.Sq; ++row) {
        const std::int64_t visible =
            shape.causal ? std::clamp<std::int64_t>(row + shape.Sk - shape.Sq + 1, 0, shape.Sk) : shape.Sk;
        if (visible > shape.Sk - hidden_keys) continue;
        const ExpectedRow expected = expected_row(shape, tensors, b, h, row, visible);
        const std::string place =
            " of b" + std::to_string(b) + " h" + std::to_string(h) + " row " + std::to_string(row);
        const double tolerance = output_tolerance(expected, tensors.q.format) + absolute;
        for (std::int64_t d = 0; d < shape.D; ++d) {
          const double right = expected.output[static_cast<std::size_t>(d)], got = tensors.o.at(b, h, row, d);
          if (!(std::abs(got - right) <= tolerance)) {
            return "O" + place + " column " + std::to_string(d) + " is " + std::to_string(got) + ", not " +
                   std::to_string(right) + " within " + std::to_string(tolerance);
          }
        }
        if (lse.empty()) continue;
        const float got = lse[static_cast<std::size_t>((b * shape.Hq + h) * shape.Sq + row)];
        if (!is_right_lse(got, expected)) {
          return "LSE" + place + " is " + std::to_string(got) + ", not " + std::to_string(expected.lse);
        }
      }
    }
  }
  return tensors.o.is_clean_between_rows() ? "" : "something was written between the rows of O";
}

}  // namespace tilescope
