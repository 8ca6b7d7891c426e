#include "sessions/compare/line_changes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace tilescope {
namespace {

// Share of the longer latency. A line that changes by less is one of many.
constexpr double notable_share = 0.01;
constexpr std::size_t most_lines = 10;

bool has_line_times(const Measurement& point) {
  return point.prediction && !point.prediction->lines.empty();
}

std::string lines_lacking_words(const Measurement& a, const Measurement& b) {
  const char* const sides = has_line_times(b) ? "A" : has_line_times(a) ? "B" : "A and B";
  return std::string("The times of single lines are not known of ") + sides + ".";
}

bool is_of_one_source(const Measurement& a, const Measurement& b) {
  const std::string &of_a = a.provenance.source_sha256, &of_b = b.provenance.source_sha256;
  return a.kernel == b.kernel && of_a == of_b;
}

std::vector<LineChange> changes_of(const Prediction& a, const Prediction& b) {
  std::map<std::pair<std::int64_t, std::string>, LineChange> by_place;
  const auto change_at = [&](const LineTime& line) -> LineChange& {
    LineChange& change = by_place[{line.line, line.inlined_place}];
    change.line = line.line;
    change.inlined_place = line.inlined_place;
    return change;
  };
  for (const LineTime& line : a.lines) change_at(line).a_us += line.us();
  for (const LineTime& line : b.lines) change_at(line).b_us += line.us();
  const double notable = notable_share * std::max(a.p50_us, b.p50_us);
  std::vector<LineChange> changes;
  for (auto& [place, change] : by_place) {
    if (std::abs(change.microseconds()) >= notable) changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes, std::greater{},
                           [](const LineChange& change) { return std::abs(change.microseconds()); });
  if (changes.size() > most_lines) changes.resize(most_lines);
  return changes;
}

}  // namespace

std::string place_text(const LineChange& change) {
  if (!change.inlined_place.empty()) return change.inlined_place;
  return change.line == 0 ? "-" : std::to_string(change.line);
}

LineChanges line_changes(const Comparison& comparison) {
  const Measurement &a = comparison.a, &b = comparison.b;
  if (!comparison.difference || !comparison.difference->is_decided) return {};
  if (!a.prediction || !b.prediction) return {};
  if (!has_line_times(a) || !has_line_times(b)) return {{}, lines_lacking_words(a, b)};
  if (!is_of_one_source(a, b)) return {{}, "The sides have different sources: their lines are not compared."};
  const double predicted = b.prediction->p50_us - a.prediction->p50_us;
  if (predicted * comparison.difference->microseconds() <= 0)
    return {{},
            "The model predicts a difference of the other sign: its times by line do not explain this one."};
  std::vector<LineChange> changes = changes_of(*a.prediction, *b.prediction);
  if (changes.empty()) return {{}, "No line's predicted time changes by more than 1 % of the latency."};
  return {std::move(changes), ""};
}

}  // namespace tilescope
