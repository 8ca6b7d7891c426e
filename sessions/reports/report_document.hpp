#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// A table of a report, its cells as they are shown.
struct ReportTable {
  enum class RowKind {
    plain,
    /// Its latency is a prediction.
    predicted,
    /// An incorrect result, or none.
    failed,
  };
  struct Column {
    std::string header;
    /// Text of a tooltip; "" for none.
    std::string help = {};
    /// Set right, so that digits align.
    bool is_number = false;
    /// Long texts of minor interest, which are set smaller.
    bool is_long = false;
    /// Texts that may be broken into lines.
    bool wraps = false;
  };
  struct Row {
    std::vector<std::string> cells;
    RowKind kind = RowKind::plain;
  };

  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// A plot as an <svg> element, with what a reader sees in it.
struct ReportFigure {
  std::string svg;
  std::string caption;
};

/// An entry of a list, such as a diagnosis.
struct ReportItem {
  enum class Tone { fault, cost, hint, plain };
  Tone tone = Tone::plain;
  /// "bank_conflicts, flash_scalar"; "" for none.
  std::string title;
  std::string text;
  /// Under the text, in small: the evidence, what would repair it.
  std::vector<std::string> details;
};

/// Contents under one heading, in this order.
struct ReportSection {
  std::string heading;
  std::vector<std::string> paragraphs;
  std::vector<ReportFigure> figures;
  ReportTable table;
  std::vector<ReportItem> items;
};

/// A report of a session, or of a comparison, before it is written in a format.
struct ReportDocument {
  std::string title;
  /// Under the title: "57 points, H200, 2025-11-02".
  std::string subtitle;
  std::vector<ReportSection> sections;
  /// At the end: what wrote the report.
  std::string footer;
};

/// A self-contained HTML page: no script, no other file. It follows the reader's light or dark theme, and prints light.
std::string to_html(const ReportDocument& report);

/// GitHub's Markdown, without figures. Tables of more than `max_rows` rows end with the number that is left out.
std::string to_markdown(const ReportDocument& report, std::size_t max_rows);

}  // namespace tilescope
