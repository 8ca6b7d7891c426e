#include "profiler/execution/step/exact_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilescope {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

}  // namespace

ExactSums::ExactSums(const ExactRow& row)
    : row_(row), m_(minus_infinity), sums_(static_cast<std::size_t>(row.columns()), 0) {}

void ExactSums::add(std::int64_t key) {
  if (!row_.sees(key)) return;
  const double score = row_.score(key);
  const double larger = std::max(m_, score);
  const double rescale = m_ == minus_infinity ? 0 : std::exp(m_ - larger);
  const double weight = std::exp(score - larger);
  m_ = larger;
  l_ = l_ * rescale + weight;
  for (std::int64_t column = 0; column < row_.columns(); ++column) {
    double& sum = sums_[static_cast<std::size_t>(column)];
    sum = sum * rescale + weight * row_.value(key, column);
  }
}

std::vector<double> ExactSums::output() const {
  std::vector<double> output = sums_;
  for (double& value : output) value = l_ > 0 ? value / l_ : 0;
  return output;
}

ExactRow::ExactRow(const reference::AttentionSizes& sizes, const reference::AttentionInputs& inputs,
                   std::int64_t head, std::int64_t row)
    : sizes_(sizes), inputs_(inputs), row_(row) {
  const std::int64_t batch = head / sizes.Hq, query_head = head % sizes.Hq;
  key_head_ = batch * sizes.Hkv + query_head / (sizes.Hq / sizes.Hkv);
  query_.reserve(static_cast<std::size_t>(sizes.D));
  for (std::int64_t column = 0; column < sizes.D; ++column) {
    const auto at = static_cast<std::size_t>((head * sizes.Sq + row) * sizes.D + column);
    query_.push_back(reference::to_float(inputs.q[at], sizes.format));
  }
}

bool ExactRow::sees(std::int64_t key) const {
  if (key < 0 || key >= sizes_.Sk) return false;
  return !sizes_.causal || key <= row_ + sizes_.Sk - sizes_.Sq;
}

double ExactRow::score(std::int64_t key) const {
  double sum = 0;
  for (std::int64_t column = 0; column < sizes_.D; ++column) {
    const auto at = static_cast<std::size_t>((key_head_ * sizes_.Sk + key) * sizes_.D + column);
    sum += query_[static_cast<std::size_t>(column)] * reference::to_float(inputs_.k[at], sizes_.format);
  }
  return sum / std::sqrt(static_cast<double>(sizes_.D));
}

double ExactRow::value(std::int64_t key, std::int64_t column) const {
  const auto at = static_cast<std::size_t>((key_head_ * sizes_.Sk + key) * sizes_.D + column);
  return reference::to_float(inputs_.v[at], sizes_.format);
}

ExactSums ExactRow::all_keys() const {
  ExactSums sums(*this);
  for (std::int64_t key = 0; key < sizes_.Sk; ++key) sums.add(key);
  return sums;
}

OutputRows::OutputRows(const reference::AttentionSizes& sizes, const simt::GlobalMemory& memory,
                       std::int64_t head)
    : sizes_(sizes), head_(head) {
  for (const simt::Allocation& allocation : memory.allocations()) {
    if (allocation.name == "O") output_ = &allocation;
  }
}

std::vector<double> OutputRows::row(std::int64_t row) const {
  std::vector<double> values;
  const auto columns = static_cast<std::size_t>(sizes_.D);
  const std::size_t first = static_cast<std::size_t>(head_ * sizes_.Sq + row) * columns;
  if (output_ == nullptr || (first + columns) * 2 > output_->bytes) return values;
  constexpr std::uint16_t unwritten = 0xFFFF;  // what the interpreter fills O with
  bool is_written = false;
  values.reserve(columns);
  for (std::size_t column = 0; column < columns; ++column) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, output_->data + (first + column) * 2, sizeof bits);
    is_written = is_written || bits != unwritten;
    values.push_back(reference::to_float(bits, sizes_.format));
  }
  if (!is_written) values.clear();
  return values;
}

}  // namespace tilescope
