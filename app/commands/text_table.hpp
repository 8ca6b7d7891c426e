#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// Rows under headers, each column as wide as it needs to be.
class TextTable {
 public:
  enum class Align { left, right };
  void add_column(std::string header, Align align);
  void add_row(std::vector<std::string> cells);
  /// The table as lines that end in a newline each, with `indent` spaces before every line.
  std::string text(std::size_t indent = 0) const;

 private:
  struct Column {
    std::string header;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks a text between words into lines of at most `width` characters; every line except the first starts with
/// `indent` spaces. Keeps the text's line breaks and the spaces after them.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace tilescope
