#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/reference/number_formats.hpp"

namespace tilescope::reference {

/// What is computed from Q, K and V.
enum class Result {
  /// O = softmax(Q K^T / sqrt(D)) V, rows of D elements.
  attention,
  /// S = Q K^T / sqrt(D), rows of Sk elements: a matrix product only, without a mask.
  scores,
};

/// Q [B, Hq, Sq, D], K and V [B, Hkv, Sk, D], the result [B, Hq, Sq, D] or [B, Hq, Sq, Sk], contiguous. With `causal`,
/// query i sees keys j <= i + (Sk - Sq).
struct AttentionSizes {
  std::int64_t B = 1, Hq = 1, Hkv = 1, Sq = 1, Sk = 1, D = 1;
  bool causal = false;
  Format format = Format::fp16;
  Result result = Result::attention;

  std::int64_t query_elements() const { return B * Hq * Sq * D; }
  std::int64_t key_elements() const { return B * Hkv * Sk * D; }
  std::int64_t rows() const { return B * Hq * Sq; }
  std::int64_t result_columns() const { return result == Result::attention ? D : Sk; }
  std::int64_t result_elements() const { return rows() * result_columns(); }
  bool operator==(const AttentionSizes&) const = default;
};

/// Q, K and V as the kernels read them.
struct AttentionInputs {
  std::vector<std::uint16_t> q, k, v;
};

/// Random Q, K and V, different from each other, from the generator that the device uses too (device/random_input.cuh).
AttentionInputs make_inputs(const AttentionSizes& sizes, std::uint64_t seed);

/// The tensors' numbers in the generator.
enum class InputTensor : unsigned { q = 1, k = 2, v = 3 };

/// The result in float64, and the error of a plain implementation in the kernels' precision on the same inputs.
struct AttentionReference {
  /// The rows that were computed, (b * Hq + h) * Sq + i, ascending.
  std::vector<std::int64_t> rows;
  /// [rows, result_columns]
  std::vector<double> output;
  /// [rows] natural log-sum-exp of the scaled scores, -inf for a row without keys; with Result::attention only
  std::vector<double> lse;
  double max_abs_output = 0;
  /// The largest error of the plain implementation: scores and weights rounded to the format, sums in float.
  double plain_max_error = 0;
};

/// Computes at most `most_rows` rows, spread evenly over all heads and positions (all if there are no more). A row
/// costs 2*Sk*D multiply-adds twice. Stops early and returns no rows when `cancelled` returns true.
AttentionReference compute_attention(const AttentionSizes& sizes, const AttentionInputs& inputs,
                                     std::int64_t most_rows, const std::function<bool()>& cancelled = {});

/// The same for the given rows, (b * Hq + h) * Sq + i, ascending.
AttentionReference compute_attention_rows(const AttentionSizes& sizes, const AttentionInputs& inputs,
                                          std::vector<std::int64_t> rows,
                                          const std::function<bool()>& cancelled = {});

/// `count` of `total` rows spread evenly, the first and the last among them, ascending; all if there are not more.
std::vector<std::int64_t> spread_rows(std::int64_t total, std::int64_t count);

/// How far a result may be from the float64 reference: twice the error of the plain implementation, plus one rounding
/// of the largest output (FlashAttention's own test rule with a derived absolute term).
double tolerance(const AttentionReference& reference, Format format);

/// The comparison's outcome. NaN anywhere makes max_abs NaN, and `within` false.
struct Comparison {
  double max_abs = 0;
  /// max_abs over the reference's largest magnitude
  double max_rel = 0;
  double tolerance = 0;
  bool within = false;
  /// Row of the result, and the column in it.
  std::int64_t worst_row = 0;
  std::int64_t worst_column = 0;
};

/// The comparison's outcome when the largest difference, `max_abs`, was found elsewhere, at element `element` of the
/// reference's output. Needs of the reference its rows (none: all of the result's) and its two maxima.
Comparison judge_difference(const AttentionReference& reference, const AttentionSizes& sizes, double max_abs,
                            std::int64_t element);

/// Compares all rows of the reference with the whole result. `written` limits the comparison to the elements for which
/// it is true, for a result that is written in part; without it all elements are compared.
Comparison compare(const AttentionReference& reference, const AttentionSizes& sizes,
                   const std::vector<std::uint16_t>& output, const std::vector<bool>* written = nullptr);

}  // namespace tilescope::reference
