#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// A text as a cell that a spreadsheet shows and does not run: control characters become visible_text(), and what would
/// be a formula ("=1+1", "@SUM(A1)") gets an apostrophe in front. Numbers stay as they are.
std::string spreadsheet_cell(const std::string& text);

/// The shortest text that reads back as the same number, without digit groups; whole numbers without an exponent.
std::string csv_number(double value);
/// "" for a figure that there is not.
std::string csv_number(std::optional<double> value);

/// Comma-separated values (RFC 4180), made line by line.
class CsvText {
 public:
  /// Each field becomes a spreadsheet_cell(). Those with commas, semicolons, tabs, quotes or line breaks are quoted.
  void add(const std::vector<std::string>& fields);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tilescope
