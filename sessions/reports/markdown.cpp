#include <algorithm>

#include "base/text/format.hpp"
#include "base/text/markdown.hpp"
#include "sessions/reports/report_document.hpp"

namespace tilescope {
namespace {

std::string table_markdown(const ReportTable& table, std::size_t max_rows) {
  if (table.rows.empty()) return "";
  std::vector<std::string> header;
  std::vector<bool> is_number;
  header.reserve(table.columns.size());
  is_number.reserve(table.columns.size());
  for (const ReportTable::Column& column : table.columns) {
    header.push_back(column.header);
    is_number.push_back(column.is_number);
  }
  std::string text = markdown_row(header) + markdown_rule(is_number);
  const std::size_t shown = std::min(max_rows, table.rows.size());
  for (std::size_t i = 0; i < shown; ++i) text += markdown_row(table.rows[i].cells);
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
