#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/code/code_difference.hpp"
#include "app/explorer/explorer.hpp"
#include "app/panels/code/difference_cursor.hpp"
#include "app/panels/code/source_search.hpp"

namespace tilescope {

/// The machine code of side A of the comparison against side B's.
class SourceDifference {
 public:
  /// Asks for it. Once per frame in which it is shown.
  void update(Explorer& explorer);
  /// The header with the buttons, and the lines. Returns a chosen row of B's code, where that is the code under the
  /// sliders.
  std::optional<std::uint32_t> draw(const Explorer& explorer, const SourceSearch& search);
  /// For the search; nullptr without a difference.
  const std::vector<std::string>* lines() const { return code_ ? &code_->lines : nullptr; }
  std::string csv() const;
  void scroll_to(std::uint32_t row) { cursor_.scroll_to(row); }

 private:
  void draw_missing(const Explorer& explorer) const;
  void draw_header(const Explorer& explorer);
  void draw_doubt(const Explorer& explorer) const;

  std::string difference_of_names(std::size_t row) const;

  std::shared_ptr<const ComparedCode> code_;
  /// Digits of an address.
  std::size_t digits_ = 4;
  DifferenceCursor cursor_;
};

}  // namespace tilescope
