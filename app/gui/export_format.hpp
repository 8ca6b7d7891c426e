#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace tilescope {

/// File formats of a panel: a picture of pixels, a picture of shapes and text, its table.
enum class ExportFormat { png, svg, csv };

/// ".png", ".svg", ".csv"
std::string extension_of(ExportFormat format);
/// "PNG picture", "SVG picture", "CSV table"
std::string to_words(ExportFormat format);

/// A file whose extension is none of the formats', or a panel that has no table: the message says what there is.
class ExportError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// By the file's extension, in any case. Throws ExportError with the extensions that there are.
ExportFormat export_format_of(const std::filesystem::path& file);

}  // namespace tilescope
