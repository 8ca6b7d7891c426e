#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// The shortest text that reads back as the same number, without digit groups; whole numbers without an exponent.
std::string csv_number(double value);
/// "" for a figure that there is not.
std::string csv_number(std::optional<double> value);

/// Comma-separated values (RFC 4180), made line by line.
class CsvText {
 public:
  /// Fields with commas, quotes or line breaks are quoted.
  void add(const std::vector<std::string>& fields);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tilescope
