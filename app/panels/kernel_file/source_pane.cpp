#include "app/panels/kernel_file/source_pane.hpp"

#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/code_list.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

const LineFigures& file_of(const OpenedFileView& view, const std::string& name) {
  const auto found = std::ranges::find(view.files, name, &LineFigures::file);
  return found == view.files.end() ? view.files.front() : *found;
}

// As a stepped block names the file: "" for the one that has the kernel, without its folder for others.
std::string name_in_block(const LineFigures& file, const BlockStepping& stepping) {
  const auto stop = stepping.stop();
  std::string name = std::filesystem::path(file.file).filename().string();
  return stop && name == stop->main_file ? "" : name;
}

// A kernel with a race or an incorrect result has no times of interest.
HeatMetric metric_in(const LineFigures& file, std::size_t faults, std::optional<HeatMetric> chosen) {
  const auto has = [&](HeatMetric metric) {
    return std::ranges::find(file.metrics, metric) != file.metrics.end();
  };
  if (chosen && has(*chosen)) return *chosen;
  if (faults > 0 && has(HeatMetric::findings)) return HeatMetric::findings;
  return file.metrics.empty() ? HeatMetric::time : file.metrics.front();
}

void explain(const LineFigures& file, const CodeList& list, const CodeListAction& action) {
  if (!action.hovered) return;
  const bool takes_click = list.takes_breakpoints && action.is_over_gutter;
  if (!takes_click && file.words[*action.hovered].empty()) return;
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(em() * 34);
  if (!file.words[*action.hovered].empty()) ImGui::TextUnformatted(file.words[*action.hovered].c_str());
  if (takes_click)
    text_muted("Click: set or clear a breakpoint, which the button with the triangle goes on to.");
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void draw_metric_choice(const LineFigures& file, HeatMetric current, std::optional<HeatMetric>& chosen) {
  SegmentedChoice choice{"metric", {}};
  choice.fills_width = false;
  choice.current = static_cast<std::size_t>(std::ranges::find(file.metrics, current) - file.metrics.begin());
  for (const HeatMetric metric : file.metrics)
    choice.segments.push_back({to_words(metric), "kernel_file.metric." + tag_of(metric), ""});
  if (const auto clicked = segmented_choice(choice).chosen) chosen = file.metrics[*clicked];
}

}  // namespace

void SourcePane::forget() {
  scrolls_ = true;
}

void SourcePane::show_metric(HeatMetric metric) {
  if (metric != metric_) scrolls_ = true;
  metric_ = metric;
}

void SourcePane::draw_controls(const OpenedFileView& view, std::optional<HeatMetric>& chosen) {
  const LineFigures& file = file_of(view, file_);
  if (view.files.size() > 1) {
    ImGui::SetNextItemWidth(em() * 14);
    const bool is_open = ImGui::BeginCombo("##file", file.file.c_str());
    landmark("kernel_file.file");
    if (is_open) {
      for (const LineFigures& other : view.files) {
        if (ImGui::Selectable(other.file.c_str(), &other == &file)) {
          file_ = other.file;
          scrolls_ = true;
        }
        landmark("kernel_file.file." + other.file);
      }
      ImGui::EndCombo();
    }
    ImGui::SameLine();
  }
  if (file.metrics.empty()) {
    ImGui::AlignTextToFramePadding();
    return text_muted("No line has a figure: the code has no line information (nvcc's -lineinfo).");
  }
  draw_metric_choice(file, metric_, chosen);
  landmark("kernel_file.shown_metric." + tag_of(metric_));
}

CodeRow SourcePane::row_of(const LineFigures& file, HeatMetric metric, std::size_t row) const {
  const double most = file.most(metric), value = file.of(metric)[row];
  CodeRow drawn;
  drawn.label = std::to_string(row + 1);
  drawn.text = file.lines[row];
  drawn.color = file.words[row].empty() ? palette().muted : palette().text;
  drawn.heat = most > 0 ? static_cast<float>(value / most) : 0;
  drawn.figure = figure_words(metric, value);
  drawn.is_chosen = cursor_ == row;
  play_head_.mark(static_cast<std::uint32_t>(row) + 1, drawn);
  return drawn;
}

void SourcePane::draw_lines(const LineFigures& file, BlockStepping* stepping) {
  const HeatMetric metric = metric_;
  CodeList list;
  list.id = "kernel_file.source";
  list.count = file.lines.size();
  list.label_columns = std::to_string(file.lines.size()).size();
  for (const std::string& line : file.lines) list.text_columns = std::max(list.text_columns, line.size());
  list.has_heat = !file.metrics.empty();
  list.heat_color = is_bad(metric) ? palette().error : palette().series[0];
  list.cursor = cursor_;
  list.has_signs = list.takes_breakpoints = stepping != nullptr && play_head_.is_shown();
  if (std::exchange(scrolls_, false) && file.most(metric) > 0 && !list.has_signs) {
    const std::vector<double>& values = file.of(metric);
    list.scroll_to = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  }
  if (const auto line = std::exchange(scroll_to_, std::nullopt)) list.scroll_to = line;
  list.row = [&](std::size_t row) { return row_of(file, metric, row); };
  const CodeListAction action = code_list(list);
  if (action.chosen && list.has_signs && action.is_over_gutter && action.chosen == action.hovered) {
    stepping->toggle_breakpoint(
        {name_in_block(file, *stepping), static_cast<std::uint32_t>(*action.chosen) + 1});
  } else if (action.chosen) {
    cursor_ = action.chosen;
  }
  explain(file, list, action);
}

void SourcePane::show_line(const std::string& file, std::uint32_t line) {
  if (line == 0) return;
  file_ = file;
  scroll_to_ = cursor_ = line - 1;
}

void SourcePane::follow_play_head(const OpenedFileView& view, const BlockStepping& stepping) {
  play_head_.update(stepping, name_in_block(file_of(view, file_), stepping));
  if (!play_head_.has_moved()) return;
  if (const auto line = play_head_.line()) {
    scroll_to_ = *line - 1;
    return;
  }
  const std::string name = PlayHeadLines::file_to_show(stepping);
  const LineFigures& other = file_of(view, name.empty() ? stepping.stop()->main_file : name);
  if (other.file == file_of(view, file_).file) return;
  file_ = other.file;
  play_head_.forget();  // its line there is followed in the next frame
}

void SourcePane::draw(const OpenedFileView& view, std::optional<HeatMetric>& chosen,
                      BlockStepping* stepping) {
  if (view.files.empty()) {
    empty_state("No source", view.source.name.empty()
                                 ? "The machine code names no source."
                                 : "'" + view.source.name + "' is not beside the file, or is not text.");
    return;
  }
  if (stepping != nullptr && stepping->stop()) follow_play_head(view, *stepping);
  show_metric(metric_in(file_of(view, file_), view.faults, chosen));
  draw_controls(view, chosen);
  draw_lines(file_of(view, file_), stepping);
}

}  // namespace tilescope
