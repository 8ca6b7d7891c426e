#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/explorer/compare/side_choice.hpp"
#include "app/explorer/explorer.hpp"
#include "app/explorer/points/point_sources.hpp"
#include "app/panels/kernel_file/source_pane.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

/// The source of a compared side with a figure beside each line, for kernels of files: they are not under the sliders.
class SideLines {
 public:
  /// Whether Compare is shown, has a kernel of a file as a side, and no side with sliders.
  static bool are_compared(const Explorer& explorer);
  void draw(Explorer& explorer);
  /// Lines with their figures.
  std::string csv() const;

 private:
  void show(const SharedMeasurement& point, const Explorer& explorer);
  void choose_side(Side shown, const Explorer& explorer);

  /// The other one where it is empty.
  Side side_ = Side::a;
  std::optional<PointSources> sources_;
  SharedMeasurement point_;
  OpenedFileView view_;
  std::optional<HeatMetric> metric_;
  SourcePane pane_;
};

}  // namespace tilescope
