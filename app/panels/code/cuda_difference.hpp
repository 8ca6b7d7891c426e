#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/code/cuda_difference.hpp"
#include "app/explorer/explorer.hpp"
#include "app/panels/code/difference_cursor.hpp"
#include "app/panels/code/source_search.hpp"

namespace tilescope {

/// The CUDA source of side A of the comparison against side B's.
class CudaDifferenceView {
 public:
  /// Asks for it. Once per frame in which it is shown.
  void update(Explorer& explorer);
  /// The sides with what is to be known of their sources, the buttons, and the lines.
  void draw(const SourceSearch& search);
  /// For the search; nullptr without a difference.
  const std::vector<std::string>* lines() const { return has_both() ? &sources_->diff.texts : nullptr; }
  std::string csv() const;
  void scroll_to(std::uint32_t row) { cursor_.scroll_to(row); }

 private:
  bool has_both() const { return sources_ && sources_->has_both(); }
  void draw_missing() const;
  void draw_header();
  void draw_remarks() const;
  void draw_rows(const SourceSearch& search);
  std::string label(std::size_t row) const;

  std::shared_ptr<const ComparedSources> sources_;
  /// Digits of the largest number of a line.
  int digits_ = 1;
  DifferenceCursor cursor_;
};

}  // namespace tilescope
