#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/panels/step/play_head_lines.hpp"
#include "app/widgets/code_list.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {

class BlockStepping;

/// The source of an opened file with a figure beside each line: predicted time, conflicts, sectors, executions or
/// findings.
class SourcePane {
 public:
  /// Marks "kernel_file.metric.TAG", "kernel_file.file" and the rows "kernel_file.source.row.N", counted from 0.
  /// `chosen`: the metric that the user chose, here or in another pane of the file; before, the lines with findings come
  /// first where one is a fault. With the play head of a block of its kernel: its lines and breakpoints stand beside the
  /// lines.
  void draw(const OpenedFileView& view, std::optional<HeatMetric>& chosen, BlockStepping* stepping = nullptr);
  /// Another answer is shown from now on: the hottest line is brought into view where another file is.
  void forget();
  /// Brings the line of the chosen warp into view.
  void show_play_head() { play_head_.forget(); }
  /// Brings a line of a file into view; file "" for the one that has the kernel.
  void show_line(const std::string& file, std::uint32_t line);

 private:
  void draw_controls(const OpenedFileView& view, std::optional<HeatMetric>& chosen);
  void draw_lines(const LineFigures& file, BlockStepping* stepping);
  CodeRow row_of(const LineFigures& file, HeatMetric metric, std::size_t row) const;
  void follow_play_head(const OpenedFileView& view, const BlockStepping& stepping);
  /// Brings the hottest line of another metric into view.
  void show_metric(HeatMetric metric);

  HeatMetric metric_ = HeatMetric::time;
  std::string file_;
  std::optional<std::size_t> cursor_;
  bool scrolls_ = true;
  std::optional<std::size_t> scroll_to_;
  PlayHeadLines play_head_;
};

}  // namespace tilescope
