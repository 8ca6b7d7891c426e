#include <fmt/format.h>

#include "base/text/html.hpp"
#include "sessions/reports/report_document.hpp"
#include "sessions/reports/report_style.hpp"

namespace tilescope {
namespace {

/// Hatching of predicted bars. Plots refer to it, so it stands once in the page.
constexpr const char* hatch_pattern =
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs><pattern "
    "id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" "
    "y2=\"6\"/></pattern></defs></svg>\n";

/// Nothing is loaded from elsewhere and nothing runs, whatever a session's texts hold.
constexpr const char* policy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n";

std::string class_attribute(const std::string& classes) {
  return classes.empty() ? "" : " class=\"" + classes + "\"";
}

std::string column_class(const ReportTable::Column& column) {
  if (column.wraps) return "text";
  return column.is_long ? "long" : column.is_number ? "n" : "";
}

std::string row_class(ReportTable::RowKind kind) {
  switch (kind) {
    case ReportTable::RowKind::plain:
      return "";
    case ReportTable::RowKind::predicted:
      return "predicted";
    case ReportTable::RowKind::failed:
      return "failed";
  }
  return "";
}

std::string table_html(const ReportTable& table) {
  if (table.rows.empty()) return "";
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const ReportTable::Column& column : table.columns) {
    const std::string help = column.help.empty() ? "" : " title=\"" + html_escaped(column.help) + "\"";
    html += fmt::format("<th scope=\"col\"{}{}>{}</th>", class_attribute(column_class(column)), help,
                        html_escaped(column.header));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const ReportTable::Row& row : table.rows) {
    html += "<tr" + class_attribute(row_class(row.kind)) + ">";
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      html += "<td" + class_attribute(column_class(table.columns[i])) + ">" + html_escaped(row.cells[i]) +
              "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string tone_name(ReportItem::Tone tone) {
  switch (tone) {
    case ReportItem::Tone::fault:
      return "fault";
    case ReportItem::Tone::cost:
      return "cost";
    case ReportItem::Tone::hint:
      return "hint";
    case ReportItem::Tone::plain:
      return "";
  }
  return "";
}

std::string item_html(const ReportItem& item) {
  const std::string tone = tone_name(item.tone);
  std::string html = "<li" + (tone.empty() ? "" : " class=\"of-" + tone + "\"") + ">";
  if (!tone.empty()) html += fmt::format("<span class=\"tone {}\">{}</span>", tone, tone);
  if (!item.title.empty()) html += "<span class=\"title\">" + html_escaped(item.title) + "</span><br>";
  html += html_escaped(item.text);
  for (const std::string& detail : item.details) html += "<small>" + html_escaped(detail) + "</small>";
  return html + "</li>\n";
}

std::string section_html(const ReportSection& section) {
  std::string html = "<section>\n<h2>" + html_escaped(section.heading) + "</h2>\n";
  for (const std::string& paragraph : section.paragraphs) html += "<p>" + html_escaped(paragraph) + "</p>\n";
  for (const ReportFigure& figure : section.figures) {
    html +=
        "<figure>" + figure.svg + "<figcaption>" + html_escaped(figure.caption) + "</figcaption></figure>\n";
  }
  html += table_html(section.table);
  if (!section.items.empty()) {
    html += "<ul class=\"items\">\n";
    for (const ReportItem& item : section.items) html += item_html(item);
    html += "</ul>\n";
  }
  return html + "</section>\n";
}

}  // namespace

std::string to_html(const ReportDocument& report) {
  const std::string title = html_escaped(report.title);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + std::string(policy) +
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "name=\"color-scheme\" content=\"light dark\">\n<title>" +
      title + "</title>\n<style>" + report_style + "</style>\n</head>\n<body>\n" + hatch_pattern +
      "<main>\n<h1>" + title + "</h1>\n<p class=\"subtitle\">" + html_escaped(report.subtitle) + "</p>\n";
  for (const ReportSection& section : report.sections) html += section_html(section);
  return html + "<footer>" + html_escaped(report.footer) + "</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace tilescope
