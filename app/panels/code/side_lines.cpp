#include "app/panels/code/side_lines.hpp"

#include <algorithm>
#include <vector>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "base/text/csv.hpp"

namespace tilescope {

bool SideLines::are_compared(const Explorer& explorer) {
  if (!explorer.comparison_is_shown()) return false;
  const auto& pair = explorer.board().get<ComparisonPair>();
  const auto is_of_file = [&](Side side) { return pair.is_of_file(side); };
  const auto is_live = [&](Side side) { return pair.is_live(side); };
  return std::ranges::any_of(both_sides, is_of_file) && std::ranges::none_of(both_sides, is_live);
}

void SideLines::show(const SharedMeasurement& point, const Explorer& explorer) {
  if (point == point_) return;
  point_ = point;
  view_ = {};
  pane_.forget();
  if (!point_) return;
  if (!sources_) sources_.emplace(explorer.board());
  if (const SourceFile* source = sources_->find(*point_)) {
    view_.source = *source;
    view_.files = line_figures(*point_, *source);
  }
  view_.faults = static_cast<std::size_t>(std::ranges::count_if(point_->findings, is_fault));
}

void SideLines::choose_side(Side shown, const Explorer& explorer) {
  const auto& pair = explorer.board().get<ComparisonPair>();
  SegmentedChoice choice{"side", {}};
  choice.fills_width = choice.strikes_disabled = false;
  choice.current = index_of(shown);
  for (const Side side : both_sides)
    choice.segments.push_back(
        {to_string(side), "source.side." + to_string(side), pair.point(side) ? "" : "This side is empty."});
  if (const auto chosen = segmented_choice(choice).chosen) side_ = both_sides[*chosen];
}

void SideLines::draw(Explorer& explorer) {
  const auto& pair = explorer.board().get<ComparisonPair>();
  const Side shown = pair.point(side_) ? side_ : other_side(side_);
  show(pair.point(shown), explorer);
  choose_side(shown, explorer);
  if (!point_) return;
  const std::string name = point_->kernel;
  same_line_if_fits(name);
  text_muted(name);
  landmark("source.side_name");
  if (!view_.files.empty()) return pane_.draw(view_, metric_);
  empty_state("No source", "No copy of the source of this side is left.");
}

std::string SideLines::csv() const {
  CsvText csv;
  csv.add({"file", "line", "metric", "value", "text"});
  for (const LineFigures& file : view_.files) {
    for (const HeatMetric metric : file.metrics) {
      const std::vector<double>& values = file.of(metric);
      for (std::size_t row = 0; row < values.size(); ++row) {
        if (values[row] > 0)
          csv.add({file.file, std::to_string(row + 1), to_words(metric), csv_number(values[row]),
                   file.lines[row]});
      }
    }
  }
  return csv.text();
}

}  // namespace tilescope
