#include "app/commands/compare_text.hpp"

#include <fmt/format.h>

#include "app/commands/shown_text.hpp"
#include "app/commands/text_table.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/compared_figures.hpp"
#include "sessions/compare/comparison_table.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/compare/explanation.hpp"

namespace tilescope {
namespace {

constexpr std::size_t line_width = 100;
constexpr const char* lines_heading = "Lines whose predicted time changes";

std::string heading(const Comparison& comparison) {
  const Measurement &a = comparison.a, &b = comparison.b;
  return fmt::format("A  {}\nB  {}\n   {} on {}\n", shown_line(side_name(a, b)), shown_line(side_name(b, a)),
                     shown_line(problem_words(b)), shown_line(b.device.name));
}

std::string paragraph(const std::string& text) {
  return wrapped(text, line_width, 0) + "\n";
}

/// Why, what speaks against it, and the remarks.
std::string explanation_paragraphs(const Comparison& comparison) {
  const Explanation explanation = explanation_of(comparison);
  std::string text;
  for (const std::string& words : {explanation.why, explanation.against}) {
    if (!words.empty()) text += paragraph(words);
  }
  for (const std::string& remark : comparison.remarks) text += paragraph("Note: " + remark);
  return text;
}

std::string parts_text(const TimeDifference& difference) {
  if (!difference.why_no_parts.empty() || !difference.is_decided) return "";
  TextTable table;
  table.add_column("From A to B", TextTable::Align::left);
  table.add_column("time", TextTable::Align::right);
  table.add_column("share", TextTable::Align::right);
  table.add_column("counts", TextTable::Align::left);
  for (const PartRow& row : part_rows(difference))
    table.add_row({row.name, row.microseconds, row.share, row.text});
  return "\n" + table.text();
}

std::string figures_text(const Comparison& comparison) {
  TextTable table;
  table.add_column("", TextTable::Align::left);
  for (const char* header : {"A", "B", "difference"}) table.add_column(header, TextTable::Align::right);
  for (const ComparedFigure& figure : compared_figures(comparison.a, comparison.b))
    table.add_row({figure.label, figure.a, figure.b, figure.difference});
  return "\n" + table.text();
}

}  // namespace

std::string line_changes_text(const std::string& heading, const LineChanges& changes,
                              const SideSources& sources) {
  if (changes.lines.empty()) return changes.why_none.empty() ? "" : "\n" + paragraph(changes.why_none);
  TextTable table;
  for (const char* title : {"line", "A us", "B us", "change"})
    table.add_column(title, TextTable::Align::right);
  table.add_column("source", TextTable::Align::left);
  for (const LineChange& change : changes.lines) {
    table.add_row({place_text(change), format_us(change.a_us), format_us(change.b_us),
                   signed_latency(change.microseconds()), line_text(change, sources)});
  }
  return "\n" + heading + "\n" + table.text(2);
}

std::string comparison_text(const Comparison& comparison, const SideSources& sources) {
  std::string text = heading(comparison) + "\n" + paragraph(verdict_sentence(comparison));
  text += paragraph(comparison.reason) + explanation_paragraphs(comparison);
  if (comparison.difference) text += parts_text(*comparison.difference);
  return text + line_changes_text(lines_heading, line_changes(comparison, sources), sources) +
         figures_text(comparison);
}

std::string comparisons_text(std::span<const Comparison> comparisons, std::span<const SideSources> sources) {
  const ComparisonTable table = comparison_table(comparisons);
  const Comparison& first = comparisons.front();
  const std::vector<std::string> names = side_names(comparisons);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}  {}\n", table.header[i + 1], shown_line(names[i]));
  text += fmt::format("   {} on {}\n", shown_line(problem_words(first.a)), first.a.device.name);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const std::string& letter = table.header[i + 2];
    const SideSources own = sources_at(sources, i);
    text += "\n" + paragraph(fmt::format("{} as B: {} {}", letter, verdict_sentence(comparisons[i]),
                                         comparisons[i].reason));
    text += explanation_paragraphs(comparisons[i]);
    text += line_changes_text(fmt::format("{}, {} as B", lines_heading, letter),
                              line_changes(comparisons[i], own), own);
  }
  TextTable figures;
  for (std::size_t i = 0; i < table.header.size(); ++i)
    figures.add_column(table.header[i], i == 0 ? TextTable::Align::left : TextTable::Align::right);
  for (const auto& row : table.rows) figures.add_row(row);
  return text + "\n" + figures.text();
}

}  // namespace tilescope
