#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/panels/source_search.hpp"
#include "profiler/views/listing_diff.hpp"

namespace tilescope {

/// The machine code of the compared point against that of the configuration under the sliders.
class SourceDifference {
 public:
  /// Asks for the compared code, and compares it where it is there. Once per frame in which it is shown.
  void update(Explorer& explorer, const std::shared_ptr<const ListedCode>& here);
  /// The header with the buttons, and the lines. Returns a chosen row of the code here.
  std::optional<std::uint32_t> draw(Explorer& explorer, const SourceSearch& search);
  /// For the search and for CSV.
  const std::vector<std::string>& lines() const { return lines_; }
  std::string csv() const;
  void scroll_to(std::uint32_t row) { scroll_to_ = row; }
  /// Counts up whenever lines() changes.
  std::uint64_t revision() const { return revision_; }

 private:
  void draw_header(const Explorer& explorer);
  void go_to_hunk(bool forward);

  std::shared_ptr<const ListedCode> here_, compared_;
  ListingDiff diff_;
  std::vector<std::string> lines_;
  std::size_t longest_ = 0;
  /// The row that was clicked or gone to.
  std::optional<std::uint32_t> cursor_;
  std::optional<std::uint32_t> scroll_to_;
  std::uint64_t revision_ = 0;
};

}  // namespace tilescope
