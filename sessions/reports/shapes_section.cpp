#include "sessions/reports/shapes_section.hpp"

#include <algorithm>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/compare/shape_matrix.hpp"
#include "sessions/compare/shape_matrix_text.hpp"

namespace tilescope {
namespace {

/// Rows of the matrix: more than a reader looks at make a page long.
constexpr std::size_t most_rows = 50;

ReportTable::RowKind kind_of(const ShapeRow& row) {
  const bool is_predicted = std::ranges::all_of(
      row.cells, [](const ShapeCell& cell) { return cell.kind == LadderKind::predicted; });
  return is_predicted ? ReportTable::RowKind::predicted : ReportTable::RowKind::plain;
}

std::string configurations(std::size_t count) {
  return format_count(static_cast<std::int64_t>(count)) + (count == 1 ? " configuration" : " configurations");
}

ReportTable table_of(const ShapeMatrix& matrix, const ShapeMatrixTable& shown, std::size_t rows) {
  ReportTable table;
  table.columns.reserve(shown.header.size());
  for (const std::string& header : shown.header)
    table.columns.push_back({.header = header, .is_number = true});
  table.columns.front() = {.header = shown.header.front(), .wraps = true};
  table.columns.back().is_number = false;
  table.rows.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) table.rows.push_back({shown.rows[i], kind_of(matrix.rows[i])});
  return table;
}

ReportSection section_of(ShapeMatrix matrix) {
  const std::size_t without_regret =
      std::erase_if(matrix.rows, [](const ShapeRow& row) { return !row.regret.has_value(); });
  const std::size_t with_regret = matrix.rows.size();
  const std::size_t rows = std::min(with_regret, most_rows);
  ReportSection section;
  section.heading = "Over " + format_count(static_cast<std::int64_t>(matrix.columns.size())) + " shapes on " +
                    matrix.device;
  if (with_regret < 2) {
    section.paragraphs.emplace_back(
        "No two configurations have a ranked latency at each shape: there is nothing to compare over them.");
    return section;
  }
  const ShapeMatrixTable shown = shape_matrix_table(matrix);
  section.paragraphs.push_back(shown.caption);
  section.paragraphs.insert(section.paragraphs.end(), shown.common.begin(), shown.common.end());
  section.paragraphs.insert(section.paragraphs.end(), shown.notes.begin(), shown.notes.end());
  if (rows < with_regret) {
    section.paragraphs.push_back("The first " + configurations(rows) + " of " +
                                 format_count(static_cast<std::int64_t>(with_regret)) +
                                 ", those with the smallest worst regret.");
  }
  if (without_regret > 0) section.paragraphs.emplace_back("Rows without a regret are left out.");
  section.table = table_of(matrix, shown, rows);
  return section;
}

}  // namespace

std::vector<ReportSection> shapes_sections(const PointList& points) {
  std::vector<ReportSection> sections;
  for (ShapeMatrix& matrix : shape_matrices(points)) {
    if (matrix.columns.size() > 1) sections.push_back(section_of(std::move(matrix)));
  }
  return sections;
}

}  // namespace tilescope
