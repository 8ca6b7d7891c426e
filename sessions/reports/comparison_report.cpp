#include "sessions/reports/comparison_report.hpp"

#include <memory>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/compare/comparison_table.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/reports/environment.hpp"

namespace tilescope {
namespace {

std::string letter(std::size_t side) {
  return std::string(1, static_cast<char>('A' + static_cast<int>(side)));
}

ReportSection verdict_section(std::span<const Comparison> comparisons) {
  ReportSection section;
  section.heading = "Verdict";
  const std::vector<std::string> names = side_names(comparisons);
  for (std::size_t i = 0; i < names.size(); ++i) section.paragraphs.push_back(letter(i) + ": " + names[i]);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const Comparison& comparison = comparisons[i];
    section.items.push_back({ReportItem::Tone::plain, comparisons.size() > 1 ? letter(i + 1) + " as B" : "",
                             comparison_paragraph(comparison), comparison.remarks});
  }
  return section;
}

ReportSection parts_section(const Comparison& comparison) {
  const TimeDifference& difference = *comparison.difference;
  ReportSection section;
  section.heading = "From A to B";
  if (!difference.why_no_parts.empty()) section.paragraphs.push_back(difference.why_no_parts);
  const bool is_predicted = comparison.basis == Basis::predicted;
  section.figures.push_back({waterfall_svg(comparison),
                             "Parts of the predicted times, B's minus A's; the residual is what they do not "
                             "explain of the difference."});
  section.table.columns = {{"part"},
                           {.header = "time", .is_number = true},
                           {.header = "share", .is_number = true},
                           {.header = "counts", .wraps = true}};
  for (const PartRow& row : part_rows(difference)) {
    section.table.rows.push_back(
        {{row.name, row.microseconds, row.share, row.text},
         is_predicted ? ReportTable::RowKind::predicted : ReportTable::RowKind::plain});
  }
  return section;
}

// Empty where there is nothing to say.
ReportSection lines_section(std::string heading, const Comparison& comparison, const SideSources& sources) {
  LineChanges changes = line_changes(comparison, sources);
  ReportSection section;
  section.heading = std::move(heading);
  if (!changes.why_none.empty()) section.paragraphs.push_back(std::move(changes.why_none));
  if (changes.lines.empty()) return section;
  section.table.columns = {{"line"},
                           {.header = "A", .is_number = true},
                           {.header = "B", .is_number = true},
                           {.header = "change", .is_number = true},
                           {"source"}};
  for (const LineChange& change : changes.lines) {
    section.table.rows.push_back(
        {{place_text(change), format_latency(change.a_us), format_latency(change.b_us),
          signed_latency(change.microseconds()), line_text(change, sources)},
         ReportTable::RowKind::predicted});
  }
  return section;
}

void add_lines(const std::string& of_what, const Comparison& comparison, const SideSources& sources,
               ReportDocument& report) {
  ReportSection lines = lines_section("Lines whose predicted time changes" + of_what, comparison, sources);
  if (lines.paragraphs.empty() && lines.table.rows.empty()) return;
  report.sections.push_back(std::move(lines));
}

ReportSection shapes_section(const ShapeComparisons& compared) {
  const ShapeComparisonsTable shown = shape_comparisons_table(compared);
  ReportSection section;
  section.heading = "Verdicts";
  section.paragraphs = {"A: " + shown.a, "B: " + shown.b, shown.summary};
  section.paragraphs.insert(section.paragraphs.end(), shown.remarks.begin(), shown.remarks.end());
  for (const std::string& header : shown.header) {
    section.table.columns.push_back({.header = header, .is_number = !is_text_column(header)});
  }
  for (const auto& row : shown.rows) section.table.rows.push_back({row});
  return section;
}

/// Why, at one shape.
ReportSection shape_section(const Comparison& comparison) {
  ReportSection section;
  if (comparison.difference && comparison.difference->is_decided) section = parts_section(comparison);
  section.heading = to_string(comparison.a.shape);
  section.paragraphs.insert(section.paragraphs.begin(), comparison_paragraph(comparison));
  return section;
}

ReportSection figures_section(std::span<const Comparison> comparisons) {
  ReportSection section;
  section.heading = "Side by side";
  ComparisonTable table = comparison_table(comparisons);
  for (const std::string& name : table.header)
    section.table.columns.push_back({.header = name, .is_number = !name.empty()});
  for (auto& row : table.rows) section.table.rows.push_back({std::move(row)});
  return section;
}

PointList points_of(std::span<const Comparison> comparisons) {
  PointList points{std::make_shared<const Measurement>(comparisons.front().a)};
  for (const Comparison& comparison : comparisons)
    points.push_back(std::make_shared<const Measurement>(comparison.b));
  return points;
}

}  // namespace

ReportDocument comparison_report(std::span<const Comparison> comparisons,
                                 const std::string& tilescope_version, std::span<const SideSources> sources) {
  const Measurement& a = comparisons.front().a;
  ReportDocument report;
  report.title = "Comparison of " + a.kernel;
  for (const Comparison& comparison : comparisons) {
    if (comparison.b.kernel != a.kernel) report.title += " and " + comparison.b.kernel;
  }
  report.subtitle = problem_words(a) + ", " + a.device.name;
  report.sections.push_back(verdict_section(comparisons));
  const bool is_one = comparisons.size() == 1;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const Comparison& comparison = comparisons[i];
    if (is_one && comparison.difference && comparison.difference->is_decided)
      report.sections.push_back(parts_section(comparison));
    add_lines(is_one ? "" : ", " + letter(i + 1) + " as B", comparison, sources_at(sources, i), report);
  }
  report.sections.push_back(figures_section(comparisons));
  report.sections.push_back(environment_section(points_of(comparisons), {}));
  report.footer = "Written by Tilescope " + tilescope_version + ".";
  return report;
}

ReportDocument shape_comparisons_report(const ShapeComparisons& compared,
                                        const std::string& tilescope_version,
                                        std::span<const SideSources> sources) {
  const ShapeComparisonsTable shown = shape_comparisons_table(compared);
  ReportDocument report;
  report.title = "Comparison of " + shown.a + " and " + shown.b;
  report.subtitle = shown.common;
  report.sections.push_back(shapes_section(compared));
  PointList points;
  for (std::size_t i = 0; i < compared.comparisons.size(); ++i) {
    const Comparison& comparison = compared.comparisons[i];
    report.sections.push_back(shape_section(comparison));
    add_lines(" at " + to_string(comparison.b.shape), comparison, sources_at(sources, i), report);
    points.push_back(std::make_shared<const Measurement>(comparison.a));
    points.push_back(std::make_shared<const Measurement>(comparison.b));
  }
  report.sections.push_back(environment_section(points, {}));
  report.footer = "Written by Tilescope " + tilescope_version + ".";
  return report;
}

}  // namespace tilescope
