#include "app/panels/kernel_file/source_pane.hpp"

#include <imgui.h>

#include <algorithm>
#include <utility>

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

HeatMetric SourcePane::metric_in(const LineFigures& file) const {
  const bool has_chosen = chosen_ && std::ranges::find(file.metrics, *chosen_) != file.metrics.end();
  if (has_chosen) return *chosen_;
  return file.metrics.empty() ? HeatMetric::time : file.metrics.front();
}

void SourcePane::draw_controls(const OpenedFileView& view) {
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
  const HeatMetric before = metric_in(file);
  draw_metric_choice(file, before, chosen_);
  if (metric_in(file) != before) scrolls_ = true;
}

void SourcePane::draw_lines(const LineFigures& file) {
  const HeatMetric metric = metric_in(file);
  const std::vector<double>& values = file.of(metric);
  const double most = file.most(metric);
  CodeList list;
  list.id = "kernel_file.source";
  list.count = file.lines.size();
  list.label_columns = std::to_string(file.lines.size()).size();
  for (const std::string& line : file.lines) list.text_columns = std::max(list.text_columns, line.size());
  list.has_heat = !file.metrics.empty();
  list.heat_color = is_bad(metric) ? palette().error : palette().series[0];
  list.cursor = cursor_;
  if (std::exchange(scrolls_, false) && most > 0)
    list.scroll_to = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  list.row = [&](std::size_t row) {
    CodeRow drawn;
    drawn.label = std::to_string(row + 1);
    drawn.text = file.lines[row];
    drawn.color = file.words[row].empty() ? palette().muted : palette().text;
    drawn.heat = most > 0 ? static_cast<float>(values[row] / most) : 0;
    drawn.figure = figure_words(metric, values[row]);
    drawn.is_chosen = cursor_ == row;
    return drawn;
  };
  const CodeListAction action = code_list(list);
  if (action.chosen) cursor_ = action.chosen;
  if (!action.hovered || file.words[*action.hovered].empty() || !ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(em() * 34);
  ImGui::TextUnformatted(file.words[*action.hovered].c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void SourcePane::draw(const OpenedFileView& view) {
  if (view.files.empty()) {
    empty_state("No source", view.source.name.empty()
                                 ? "The machine code names no source."
                                 : "'" + view.source.name + "' is not beside the file, or is not text.");
    return;
  }
  draw_controls(view);
  draw_lines(file_of(view, file_));
}

}  // namespace tilescope
