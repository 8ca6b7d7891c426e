#include "app/commands/shape_matrix_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "sessions/compare/shape_matrix_text.hpp"

namespace tilescope {

std::string shape_matrix_text(const ShapeMatrix& matrix, std::size_t most_rows) {
  const ShapeMatrixTable shown = shape_matrix_table(matrix);
  TextTable table;
  for (std::size_t i = 0; i < shown.header.size(); ++i) {
    const bool is_last = i + 1 == shown.header.size();
    table.add_column(shown.header[i], i == 0 || is_last ? TextTable::Align::left : TextTable::Align::right);
  }
  const std::size_t rows = std::min(most_rows, shown.rows.size());
  for (std::size_t i = 0; i < rows; ++i) table.add_row(shown.rows[i]);
  std::string text = shown.caption + "\n";
  for (const std::string& common : shown.common) text += prose(common, 2) + "\n";
  text += table.text();
  if (rows < shown.rows.size())
    text += fmt::format("{} more rows: --json prints all of them\n", shown.rows.size() - rows);
  for (const std::string& note : shown.notes) text += prose(note, 0) + "\n";
  return text;
}

}  // namespace tilescope
