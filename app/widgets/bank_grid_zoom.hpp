#pragma once

#include <cstdint>

namespace tilescope {

/// Which part of a bank grid is seen, and how large its cells are. At first all rows fit and all banks; cells then grow
/// in height until they are half as high as wide, then in both directions. Sizes in pixels.
class BankGridZoom {
 public:
  /// The area of the cells; `largest_row` is how high a row is at most when everything is seen.
  void set_area(float width, float height, std::int64_t rows, float largest_row);

  float cell_width() const;
  float cell_height() const { return whole_row() * factor_; }
  /// From the area's corner.
  float x_of(double bank) const { return static_cast<float>((bank - left_) * cell_width()); }
  float y_of(double row) const { return static_cast<float>((row - top_) * cell_height()); }
  double bank_at(float x) const { return left_ + x / cell_width(); }
  double row_at(float y) const { return top_ + y / cell_height(); }

  /// The rows and banks that are seen, at least in part: half-open.
  std::int64_t first_row() const;
  std::int64_t end_row() const;
  std::int64_t first_bank() const;
  std::int64_t end_bank() const;

  /// Enlarges by `factor`; what lies at this place stays there.
  void zoom(float factor, float x, float y);
  void pan(float x, float y);
  /// So that these rows and banks fill the area.
  void fit(std::int64_t first_row, std::int64_t end_row, std::int64_t first_bank, std::int64_t end_bank);
  void reset();
  bool is_whole() const { return factor_ <= 1; }

 private:
  float whole_row() const;
  float most() const;
  float width_at(float factor) const;
  void keep_inside();

  float width_ = 1, height_ = 1, largest_row_ = 1;
  std::int64_t rows_ = 1;
  float factor_ = 1;
  // The row and the bank at the area's corner.
  double top_ = 0, left_ = 0;
};

}  // namespace tilescope
