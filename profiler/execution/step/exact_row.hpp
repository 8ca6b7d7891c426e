#pragma once

#include <cstdint>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "profiler/execution/simt/address_space.hpp"

namespace tilescope {

/// One query row in float64.
class ExactRow;

/// Softmax and output of the keys that were added, in float64.
class ExactSums {
 public:
  explicit ExactSums(const ExactRow& row);
  /// Nothing for a key that the row does not see.
  void add(std::int64_t key);

  /// The largest scaled score, -inf without keys; the sum of exp(score - m); their weighted rows of V, divided by it, 0
  /// without keys. [D]
  double m() const { return m_; }
  double l() const { return l_; }
  std::vector<double> output() const;

 private:
  const ExactRow& row_;
  double m_ = 0, l_ = 0;
  std::vector<double> sums_;
};

class ExactRow {
 public:
  /// `head`: b * Hq + h. `row`: in the sequence.
  ExactRow(const reference::AttentionSizes& sizes, const reference::AttentionInputs& inputs,
           std::int64_t head, std::int64_t row);

  bool sees(std::int64_t key) const;
  /// Q K^T / sqrt(D)
  double score(std::int64_t key) const;
  double value(std::int64_t key, std::int64_t column) const;
  std::int64_t columns() const { return sizes_.D; }
  ExactSums all_keys() const;

 private:
  const reference::AttentionSizes& sizes_;
  const reference::AttentionInputs& inputs_;
  std::int64_t row_ = 0;
  std::int64_t key_head_ = 0;  // b * Hkv + h
  std::vector<double> query_;
};

/// The rows of O that a launch has written to global memory.
class OutputRows {
 public:
  /// `head`: b * Hq + h.
  OutputRows(const reference::AttentionSizes& sizes, const simt::GlobalMemory& memory, std::int64_t head);
  /// [D] Empty where the launch has no O, or where nothing was written to the row: a block of split keys may leave that
  /// to another one.
  std::vector<double> row(std::int64_t row) const;

 private:
  const reference::AttentionSizes& sizes_;
  const simt::Allocation* output_ = nullptr;
  std::int64_t head_ = 0;
};

}  // namespace tilescope
