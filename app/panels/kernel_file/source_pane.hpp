#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

/// The source of an opened file with a figure beside each line: predicted time, conflicts, sectors, executions or
/// findings.
class SourcePane {
 public:
  /// Marks "kernel_file.metric.TAG", "kernel_file.file" and the rows "kernel_file.source.row.N", counted from 0.
  void draw(const OpenedFileView& view);
  /// Another answer is shown from now on: the hottest line is brought into view where another file is.
  void forget();

 private:
  void draw_controls(const OpenedFileView& view);
  void draw_lines(const LineFigures& file);
  HeatMetric metric_in(const LineFigures& file) const;

  std::optional<HeatMetric> chosen_;
  std::string file_;
  std::optional<std::size_t> cursor_;
  bool scrolls_ = true;
};

}  // namespace tilescope
