#include "app/gui/export_format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {

std::string extension_of(ExportFormat format) {
  switch (format) {
    case ExportFormat::png:
      return ".png";
    case ExportFormat::svg:
      return ".svg";
    case ExportFormat::csv:
      return ".csv";
  }
  return {};
}

std::string to_words(ExportFormat format) {
  switch (format) {
    case ExportFormat::png:
      return "PNG picture";
    case ExportFormat::svg:
      return "SVG picture";
    case ExportFormat::csv:
      return "CSV table";
  }
  return {};
}

ExportFormat export_format_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const ExportFormat format : {ExportFormat::png, ExportFormat::svg, ExportFormat::csv}) {
    if (extension == extension_of(format)) return format;
  }
  throw ExportError(fmt::format("'{}' is no file type to export to: name the file .png, .svg or .csv",
                                file.filename().string()));
}

}  // namespace tilescope
