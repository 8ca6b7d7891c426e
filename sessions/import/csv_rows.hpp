#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// One record of a CSV file.
struct CsvRow {
  /// From 1, where the record begins in the file.
  std::size_t line = 0;
  std::vector<std::string> fields;
};

/// The records of comma-separated text: fields may be quoted, and then hold commas, line breaks and doubled quotes.
/// Empty lines are skipped. `first_line` is the number of the text's first line in its file.
std::vector<CsvRow> read_csv(std::string_view text, std::size_t first_line);

}  // namespace tilescope
