#include "app/widgets/bank_grid_zoom.hpp"

#include <algorithm>
#include <cmath>

#include "profiler/views/memory/bank_grid.hpp"

namespace tilescope {

namespace {

/// Width of a large cell over its height: so that a word's text fits in one line.
constexpr float large_cell = 2.4F;
/// Share of the area that the largest cell fills.
constexpr float largest_share = 0.9F;

}  // namespace

void BankGridZoom::set_area(float width, float height, std::int64_t rows, float largest_row) {
  width_ = std::max(width, 1.0F);
  height_ = std::max(height, 1.0F);
  rows_ = std::max<std::int64_t>(rows, 1);
  largest_row_ = largest_row;
  keep_inside();
}

float BankGridZoom::whole_row() const {
  return std::min(height_ / static_cast<float>(rows_), largest_row_);
}

float BankGridZoom::most() const {
  const float largest = largest_share * std::min(height_, width_ / large_cell);
  return std::max(1.0F, largest / whole_row());
}

float BankGridZoom::width_at(float factor) const {
  const float whole = width_ / static_cast<float>(grid_banks);
  return std::max(whole, std::min(large_cell * whole_row() * factor, whole * factor));
}

float BankGridZoom::cell_width() const {
  return width_at(factor_);
}

std::int64_t BankGridZoom::first_row() const {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(top_)), 0, rows_);
}
std::int64_t BankGridZoom::end_row() const {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(row_at(height_))), 0, rows_);
}
std::int64_t BankGridZoom::first_bank() const {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(left_)), 0, grid_banks);
}
std::int64_t BankGridZoom::end_bank() const {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(bank_at(width_))), 0, grid_banks);
}

void BankGridZoom::zoom(float factor, float x, float y) {
  const double bank = bank_at(x), row = row_at(y);
  factor_ *= factor;
  factor_ = std::clamp(factor_, 1.0F, most());
  left_ = bank - x / cell_width();
  top_ = row - y / cell_height();
  keep_inside();
}

void BankGridZoom::pan(float x, float y) {
  left_ -= x / cell_width();
  top_ -= y / cell_height();
  keep_inside();
}

void BankGridZoom::fit(std::int64_t first_row, std::int64_t end_row, std::int64_t first_bank,
                       std::int64_t end_bank) {
  const auto rows = static_cast<float>(std::max<std::int64_t>(end_row - first_row, 1));
  const auto banks = static_cast<float>(std::max<std::int64_t>(end_bank - first_bank, 1));
  factor_ = most();
  constexpr float step = 0.98F;
  while (factor_ > 1 && (whole_row() * factor_ * rows > height_ || width_at(factor_) * banks > width_ + 1))
    factor_ *= step;
  factor_ = std::max(factor_, 1.0F);
  top_ = static_cast<double>(first_row);
  left_ = static_cast<double>(first_bank);
  keep_inside();
}

void BankGridZoom::reset() {
  factor_ = 1;
  top_ = left_ = 0;
}

void BankGridZoom::keep_inside() {
  factor_ = std::clamp(factor_, 1.0F, most());
  const double seen_rows = height_ / cell_height(), seen_banks = width_ / cell_width();
  top_ = std::clamp(top_, 0.0, std::max(0.0, static_cast<double>(rows_) - seen_rows));
  left_ = std::clamp(left_, 0.0, std::max(0.0, static_cast<double>(grid_banks) - seen_banks));
}

}  // namespace tilescope
