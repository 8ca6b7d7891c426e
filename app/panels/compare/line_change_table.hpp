#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/points/point_sources.hpp"
#include "sessions/compare/line_changes.hpp"

namespace tilescope {

/// The lines whose predicted time changes from A to B, with their text: a click shows one in Source.
class LineChangeTable {
 public:
  /// Derives the rows. `explorer` has to outlive this.
  void show(const Explorer& explorer, const Comparison& comparison);
  void clear() { changes_ = {}; }
  /// Draws nothing where there is nothing to say.
  void draw(Explorer& explorer) const;

 private:
  void draw_header() const;
  void draw_row(Explorer& explorer, std::size_t row) const;

  std::optional<PointSources> sources_;
  LineChanges changes_;
  /// By LineChanges::lines; "" where no copy of the source is left.
  std::vector<std::string> texts_;
};

}  // namespace tilescope
