#include "sessions/compare/shape_matrix_text.hpp"

#include <algorithm>
#include <set>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "base/text/markdown.hpp"
#include "sessions/shape_set.hpp"
#include "sessions/trust.hpp"

namespace tilescope {
namespace {

using Cells = std::vector<std::string>;

std::set<LadderKind> kinds_of(const ShapeMatrix& matrix) {
  std::set<LadderKind> kinds;
  for (const ShapeRow& row : matrix.rows) {
    for (const ShapeCell& cell : row.cells) {
      if (cell.kind) kinds.insert(*cell.kind);
    }
  }
  return kinds;
}

/// A letter behind latencies, where a matrix has several kinds. None for what was measured.
std::string kind_sign(LadderKind kind) {
  switch (kind) {
    case LadderKind::recorded:
      return " r";
    case LadderKind::predicted:
      return " p";
    case LadderKind::measured:
      break;
  }
  return "";
}

std::string standing_words(const ShapeCell& cell) {
  if (!cell.ratio) return cell.why_not_ranked == "part of attention" ? cell.why_not_ranked : "not ranked";
  if (cell.is_best) return "best";
  return format_number(*cell.ratio, 3) + (cell.ties_with_best ? "x ~" : "x");
}

std::string cell_words(const ShapeCell& cell, bool has_signs) {
  if (!cell.point) return "-";
  if (!cell.kind) return cell.why_not_ranked;
  const std::string mark = cell.kind == LadderKind::predicted ? "" : distrust_mark(*cell.point);
  return format_us(cell.p50_us) + (has_signs ? kind_sign(*cell.kind) : "") + " (" + standing_words(cell) +
         ")" + mark;
}

std::string worst_words(const ShapeRow& row, const std::vector<std::string>& headings) {
  if (row.regret) {
    const std::string percent = format_percent(row.regret->worst);
    return row.regret->worst > 0 ? percent + " at " + headings[row.regret->worst_column] : percent;
  }
  const auto ranked =
      std::ranges::count_if(row.cells, [](const ShapeCell& cell) { return cell.ratio.has_value(); });
  return "none: " + std::to_string(ranked) + " of " + std::to_string(row.cells.size()) + " shapes ranked";
}

Cells row_words(const ShapeRow& row, const std::vector<std::string>& headings, bool has_signs) {
  Cells cells{row.name};
  cells.reserve(row.cells.size() + 3);
  for (const ShapeCell& cell : row.cells) cells.push_back(cell_words(cell, has_signs));
  cells.push_back(row.regret ? format_percent(row.regret->mean) : "none");
  cells.push_back(worst_words(row, headings));
  return cells;
}

/// The kernels in the order of their first rows.
std::vector<std::string> kernels_of(const ShapeMatrix& matrix) {
  std::vector<std::string> kernels;
  for (const ShapeRow& row : matrix.rows) {
    if (std::ranges::find(kernels, row.kernel) == kernels.end()) kernels.push_back(row.kernel);
  }
  return kernels;
}

std::string common_settings(const ShapeMatrix& matrix, const std::string& kernel) {
  const auto first = std::ranges::find(matrix.rows, kernel, &ShapeRow::kernel);
  Configuration common = first->parameters;
  for (const ShapeRow& row : matrix.rows) {
    if (row.kernel != kernel) continue;
    std::erase_if(common, [&](const auto& setting) {
      const auto own = row.parameters.find(setting.first);
      return own == row.parameters.end() || own->second != setting.second;
    });
  }
  return common.empty() ? "" : kernel + ": " + to_string(common);
}

std::string latency_words(const std::set<LadderKind>& kinds) {
  if (kinds.size() != 1) return "p50 [µs]";
  return to_string(*kinds.begin()) + " p50 [µs]";
}

bool has_ties(const ShapeMatrix& matrix) {
  return std::ranges::any_of(matrix.rows, [](const ShapeRow& row) {
    return std::ranges::any_of(row.cells, [](const ShapeCell& cell) { return cell.ties_with_best; });
  });
}

std::string signs_sentence(const std::set<LadderKind>& kinds) {
  std::string text;
  if (kinds.contains(LadderKind::predicted)) text += "p: predicted. ";
  if (kinds.contains(LadderKind::recorded)) text += "r: recorded. ";
  return text + (kinds.contains(LadderKind::measured) ? "Without a letter: measured." : "");
}

std::vector<std::string> notes_of(const ShapeMatrix& matrix, const std::set<LadderKind>& kinds) {
  std::vector<std::string> notes = matrix.notes;
  if (kinds.size() > 1) notes.push_back(signs_sentence(kinds));
  if (has_ties(matrix)) {
    notes.push_back("~: cannot be told from the best of the column; a comparison of the two says why.");
  }
  notes.push_back(
      "In brackets: latency over the best of the column. Regret: that ratio - 1, over all shapes of the "
      "row.");
  return notes;
}

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

Cells csv_fields(const ShapeMatrix& matrix, const ShapeRow& row, std::size_t at) {
  const ShapeCell& cell = row.cells[at];
  const auto latency = [&](double us) { return cell.kind ? csv_number(us) : std::string(); };
  return {row.kernel,
          to_string(row.parameters),
          to_string(row.compiler),
          matrix.device,
          to_string(matrix.columns[at].shape),
          cell.point ? to_string(cell.point->status) : "",
          cell.kind ? to_string(*cell.kind) : "",
          latency(cell.low_us),
          latency(cell.p50_us),
          latency(cell.high_us),
          csv_number(cell.ratio),
          cell.ratio ? yes_or_no(cell.is_best || cell.ties_with_best) : "",
          cell.why_not_ranked,
          row.regret ? csv_number(row.regret->mean) : "",
          row.regret ? csv_number(row.regret->worst) : ""};
}

}  // namespace

ShapeMatrixTable shape_matrix_table(const ShapeMatrix& matrix) {
  std::vector<Shape> shapes;
  shapes.reserve(matrix.columns.size());
  for (const ShapeColumn& column : matrix.columns) shapes.push_back(column.shape);
  const ShapeHeadings headings = shape_headings(shapes);
  const std::set<LadderKind> kinds = kinds_of(matrix);
  const std::vector<std::string> kernels = kernels_of(matrix);

  ShapeMatrixTable table;
  table.caption = (kernels.size() == 1 ? kernels.front() : std::to_string(kernels.size()) + " kernels") +
                  " on " + matrix.device + (headings.common.empty() ? "" : ", " + headings.common) + ": " +
                  latency_words(kinds);
  for (const std::string& kernel : kernels) {
    if (std::string common = common_settings(matrix, kernel); !common.empty())
      table.common.push_back(std::move(common));
  }
  table.header = {"configuration"};
  table.header.insert(table.header.end(), headings.each.begin(), headings.each.end());
  table.header.insert(table.header.end(), {"mean regret", "worst regret"});
  table.rows.reserve(matrix.rows.size());
  for (const ShapeRow& row : matrix.rows)
    table.rows.push_back(row_words(row, headings.each, kinds.size() > 1));
  table.notes = notes_of(matrix, kinds);
  return table;
}

std::string shape_matrix_markdown(const ShapeMatrix& matrix, std::size_t most_rows) {
  ShapeMatrixTable table = shape_matrix_table(matrix);
  const std::size_t all = table.rows.size();
  if (all > most_rows) table.rows.resize(most_rows);
  std::string text = "**" + markdown_escaped(table.caption) + "**\n\n";
  for (const std::string& common : table.common) text += "- " + markdown_escaped(common) + "\n";
  if (!table.common.empty()) text += "\n";
  text += markdown_table(table.header, table.rows) + "\n";
  if (all > table.rows.size()) text += "- " + std::to_string(all - table.rows.size()) + " more rows\n";
  for (const std::string& note : table.notes) text += "- " + markdown_escaped(note) + "\n";
  return text;
}

std::string shape_matrix_csv(const ShapeMatrix& matrix) {
  CsvText text;
  text.add({"kernel", "parameters", "compiler", "device", "shape", "status", "kind", "low_us", "p50_us",
            "high_us", "ratio", "within_noise_of_best", "why_not_ranked", "mean_regret", "worst_regret"});
  for (const ShapeRow& row : matrix.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) text.add(csv_fields(matrix, row, i));
  }
  return text.text();
}

}  // namespace tilescope
