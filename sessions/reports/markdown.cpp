#include <algorithm>
#include <cctype>

#include "sessions/reports/report_document.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {
namespace {

/// Characters that Markdown or the HTML in it would read are escaped, line breaks become spaces.
std::string markdown_escaped(const std::string& text) {
  std::string escaped;
  const auto is_inside_word = [&](std::size_t i) {
    const auto is_letter = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    return i > 0 && is_letter(i - 1) && is_letter(i + 1);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '_' && is_inside_word(i)) {  // BLOCK_M stays as it is; only _this_ is emphasis.
      escaped += letter;
      continue;
    }
    switch (letter) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '|':
      case '[':
      case ']':
      case '#':
      case '~':
        escaped += '\\';
        escaped += letter;
        break;
      case '\n':
      case '\r':
        escaped += ' ';
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

std::string table_markdown(const ReportTable& table, std::size_t max_rows) {
  if (table.rows.empty()) return "";
  std::string text = "|";
  std::string rule = "|";
  for (const ReportTable::Column& column : table.columns) {
    text += " " + markdown_escaped(column.header) + " |";
    rule += column.is_number ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  const std::size_t shown = std::min(max_rows, table.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += "|";
    for (const std::string& cell : table.rows[i].cells) text += " " + markdown_escaped(cell) + " |";
    text += "\n";
  }
  const std::size_t left = table.rows.size() - shown;
  if (left > 0) {
    text += "\n" + format_count(static_cast<std::int64_t>(left)) + (left == 1 ? " more row" : " more rows") +
            ": the report as HTML or CSV has them all.\n";
  }
  return text + "\n";
}

std::string item_markdown(const ReportItem& item) {
  std::string text = "- ";
  if (item.tone == ReportItem::Tone::fault) text += "**fault** ";
  if (item.tone == ReportItem::Tone::cost) text += "**cost** ";
  if (item.tone == ReportItem::Tone::hint) text += "**hint** ";
  if (!item.title.empty()) text += markdown_escaped(item.title) + ": ";
  text += markdown_escaped(item.text);
  for (const std::string& detail : item.details) text += " " + markdown_escaped(detail);
  return text + "\n";
}

}  // namespace

std::string to_markdown(const ReportDocument& report, std::size_t max_rows) {
  std::string text =
      "## " + markdown_escaped(report.title) + "\n\n" + markdown_escaped(report.subtitle) + "\n\n";
  for (const ReportSection& section : report.sections) {
    text += "### " + markdown_escaped(section.heading) + "\n\n";
    for (const std::string& paragraph : section.paragraphs) text += markdown_escaped(paragraph) + "\n\n";
    text += table_markdown(section.table, max_rows);
    for (const ReportItem& item : section.items) text += item_markdown(item);
    if (!section.items.empty()) text += "\n";
  }
  return text + markdown_escaped(report.footer) + "\n";
}

}  // namespace tilescope
