#include "app/commands/compare_shapes.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>

#include "app/commands/compare_text.hpp"
#include "app/commands/compared_side.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "sessions/compare/comparison_table.hpp"
#include "sessions/reports/comparison_report.hpp"

namespace tilescope {
namespace {

std::string table_text(const ShapeComparisonsTable& shown) {
  TextTable table;
  for (const std::string& header : shown.header) {
    table.add_column(header, is_text_column(header) ? TextTable::Align::left : TextTable::Align::right);
  }
  for (const auto& row : shown.rows) table.add_row(row);
  return table.text();
}

std::string shape_comparisons_text(const ShapeComparisons& compared, std::span<const SideSources> sources) {
  const ShapeComparisonsTable shown = shape_comparisons_table(compared);
  std::string text = fmt::format("A  {}\nB  {}\n", shown_line(shown.a), shown_line(shown.b));
  if (!shown.common.empty()) text += "   " + shown.common + "\n";
  text += "\n" + table_text(shown) + "\n" + prose(shown.summary, 0) + "\n";
  for (const std::string& remark : shown.remarks) text += prose("Note: " + remark, 0) + "\n";
  const std::optional<ShapeLines> lines = lines_of_largest_difference(compared, sources);
  if (!lines) return text;
  return text + line_changes_text(lines->heading, lines->changes, sources_at(sources, lines->comparison));
}

}  // namespace

ShapeComparisons compare_at_shapes(const std::vector<Shape>& shapes,
                                   const std::function<Comparison(const Shape&)>& compare_at) {
  ShapeComparisons compared;
  std::exception_ptr no_point;
  for (const Shape& shape : shapes) {
    if (interrupted()) {
      compared.not_compared.push_back({shape, "cancelled"});
      continue;
    }
    try {
      Comparison comparison = compare_at(shape);
      if (interrupted()) {
        compared.not_compared.push_back({shape, "cancelled"});
        continue;
      }
      say(fmt::format("[{}/{}] {}: {}", compared.shapes() + 1, shapes.size(), to_string(shape),
                      to_string(comparison.verdict)));
      compared.comparisons.push_back(std::move(comparison));
    } catch (const NoFittingPoint& error) {
      no_point = std::current_exception();
      compared.not_compared.push_back({shape, error.what()});
    }
  }
  if (compared.comparisons.empty() && no_point && !interrupted()) std::rethrow_exception(no_point);
  return compared;
}

std::string shape_comparisons_in(const std::string& format, const ShapeComparisons& compared,
                                 std::span<const SideSources> sources) {
  if (format == "csv") return comparison_csv(compared.comparisons);
  if (format == "markdown") return shape_comparisons_markdown(compared, sources);
  if (format == "html") return to_html(shape_comparisons_report(compared, tilescope_version(), sources));
  return shape_comparisons_text(compared, sources);
}

}  // namespace tilescope
