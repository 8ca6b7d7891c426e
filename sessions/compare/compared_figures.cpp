#include "sessions/compare/compared_figures.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"

namespace tilescope {
namespace {

std::optional<std::int64_t> count_of(const Measurement& point, const std::string& pipe) {
  if (!point.memory || point.memory->instructions.empty()) return std::nullopt;
  const auto found = point.memory->instructions.find(pipe);
  return found == point.memory->instructions.end() ? 0 : found->second;
}

std::string count_words(const std::optional<std::int64_t>& count) {
  return count ? format_short(*count) : "-";
}

bool is_recorded(const Measurement& point) {
  return point.latency && point.latency->kind == LatencyKind::recorded;
}

// Without the heading of its section "Largest" says nothing.
std::string label_of(const DetailSection& section, const DetailRow& row) {
  return section.title == "Error" ? row.label + " error" : row.label;
}

}  // namespace

std::vector<ComparedFigure> compared_figures(const Measurement& a, const Measurement& b) {
  std::vector<ComparedFigure> figures;
  const std::vector<DetailSection> sections =
      compared_details(point_details(b, is_recorded(b)), point_details(a, is_recorded(a)));
  for (const DetailSection& section : sections) {
    if (section.title == excess_by_line) continue;
    for (const DetailRow& row : section.rows) {
      if (!row.has_number) continue;
      figures.push_back(
          {label_of(section, row), row.other, row.value, row.difference, row.difference_tone, section.title});
    }
  }
  return figures;
}

std::vector<ComparedFigure> compared_instructions(const Measurement& a, const Measurement& b) {
  std::set<std::string> pipes;
  for (const Measurement* point : {&a, &b}) {
    if (!point->memory) continue;
    for (const auto& [pipe, count] : point->memory->instructions) {
      if (count > 0) pipes.insert(pipe);
    }
  }
  const auto larger = [&](const std::string& pipe) {
    return std::max(count_of(a, pipe).value_or(0), count_of(b, pipe).value_or(0));
  };
  std::vector<std::string> order(pipes.begin(), pipes.end());
  std::ranges::stable_sort(order, std::greater{}, larger);
  std::vector<ComparedFigure> figures;
  figures.reserve(order.size());
  for (const std::string& pipe : order) {
    const auto of_a = count_of(a, pipe), of_b = count_of(b, pipe);
    ComparedFigure figure{pipe, count_words(of_a), count_words(of_b), "", Tone::plain, "Instruction mix"};
    if (of_a && of_b)
      figure.difference =
          difference_words(static_cast<double>(*of_b), static_cast<double>(*of_a), Unit::count);
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::string compared_figures_csv(const std::vector<ComparedFigure>& figures) {
  CsvText csv;
  csv.add({"section", "figure", "A", "B", "B relative to A"});
  for (const ComparedFigure& figure : figures)
    csv.add({figure.section, figure.label, figure.a, figure.b, figure.difference});
  return csv.text();
}

}  // namespace tilescope
