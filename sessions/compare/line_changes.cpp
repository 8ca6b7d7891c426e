#include "sessions/compare/line_changes.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text/line_diff.hpp"

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

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A space is left where it keeps two words apart: a new loop around a line changes its indent, a formatter the rest.
std::string without_spaces(const std::string& line) {
  std::string text;
  bool is_apart = false;
  for (const char c : line) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      is_apart = true;
      continue;
    }
    if (is_apart && !text.empty() && is_word(text.back()) && is_word(c)) text += ' ';
    is_apart = false;
    text += c;
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(without_spaces(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

/// The lines of one source in another one.
class LineMatch {
 public:
  /// One source: each line is itself.
  LineMatch() = default;
  LineMatch(const SourceFile& a, const SourceFile& b)
      : name_a_(a.name), name_b_(b.name), is_one_source_(a.text == b.text) {
    if (is_one_source_) return;
    const std::vector<std::string> lines_a = lines_of(a.text), lines_b = lines_of(b.text);
    Places left, right;
    for (const DiffRow& row : line_diff(lines_a, lines_b)) {
      if (row.left && row.right) {
        match(*row.left, *row.right);
      } else if (row.left) {
        left[lines_a[*row.left]].push_back(*row.left);
      } else if (row.right) {
        right[lines_b[*row.right]].push_back(*row.right);
      }
    }
    match_moved(left, right);
  }

  LineChange of_a(const LineTime& time) const {
    LineChange change = place_of(time, name_a_);
    if (change.file.empty()) change.line_b = found(in_b_, time.line);
    return change;
  }
  LineChange of_b(const LineTime& time) const {
    LineChange change = place_of(time, name_b_);
    if (change.file.empty()) change.line_a = found(in_a_, time.line);
    return change;
  }

 private:
  using Lines = std::map<std::int64_t, std::int64_t>;
  /// Lines that the diff did not match, from 0, by their texts.
  using Places = std::map<std::string, std::vector<std::uint32_t>>;

  void match(std::uint32_t a, std::uint32_t b) {
    in_b_[a + 1] = b + 1;
    in_a_[b + 1] = a + 1;
  }

  // A diff keeps the order of lines: of two that were swapped it finds one. Brackets alone say nothing, and where a text
  // is there more often on one side it is not known which line it was.
  void match_moved(const Places& left, const Places& right) {
    for (const auto& [text, from] : left) {
      const auto to = right.find(text);
      if (to == right.end() || to->second.size() != from.size()) continue;
      if (std::ranges::none_of(text, is_word)) continue;
      for (std::size_t i = 0; i < from.size(); ++i) match(from[i], to->second[i]);
    }
  }

  // Lines of other files, such as headers, are equal where their numbers are.
  static LineChange place_of(const LineTime& time, const std::string& own) {
    LineChange change{time.line, time.line, time.inlined_place};
    if (time.file != own) change.file = time.file;
    return change;
  }

  // 0 is what belongs to no line, on both sides.
  std::optional<std::int64_t> found(const Lines& lines, std::int64_t line) const {
    if (is_one_source_ || line == 0) return line;
    const auto at = lines.find(line);
    return at == lines.end() ? std::nullopt : std::optional(at->second);
  }

  std::string name_a_, name_b_;
  bool is_one_source_ = true;
  Lines in_a_, in_b_;
};

std::vector<LineChange> changes_of(const Prediction& a, const Prediction& b, const LineMatch& match) {
  using Line = std::optional<std::int64_t>;
  std::map<std::tuple<std::string, Line, Line, std::string>, LineChange> by_place;
  const auto change_at = [&](const LineChange& place) -> LineChange& {
    return by_place.try_emplace({place.file, place.line_a, place.line_b, place.inlined_place}, place)
        .first->second;
  };
  for (const LineTime& line : a.lines) change_at(match.of_a(line)).a_us += line.us();
  for (const LineTime& line : b.lines) change_at(match.of_b(line)).b_us += line.us();
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

std::string number(std::int64_t line) {
  return line == 0 ? "-" : std::to_string(line);
}

// Why times of lines do not explain the difference, in a sentence; "" where they do.
std::string why_not_by_line(const Comparison& comparison) {
  const Measurement &a = comparison.a, &b = comparison.b;
  if (!has_line_times(a) || !has_line_times(b)) return lines_lacking_words(a, b);
  const double predicted = b.prediction->p50_us - a.prediction->p50_us;
  if (predicted * comparison.difference->microseconds() <= 0)
    return "The model predicts a difference of the other sign: its times by line do not explain this one.";
  return "";
}

}  // namespace

std::string place_text(const LineChange& change) {
  if (!change.inlined_place.empty()) return change.inlined_place;
  if (!change.file.empty() && change.line() > 0) return change.file + ":" + number(change.line());
  if (!change.line_b) return "A:" + number(change.line());
  if (!change.line_a) return "B:" + number(change.line());
  if (*change.line_a == *change.line_b) return number(*change.line_b);
  return number(*change.line_a) + " > " + number(*change.line_b);
}

SideSources sources_at(std::span<const SideSources> sources, std::size_t comparison) {
  return comparison < sources.size() ? sources[comparison] : SideSources{};
}

LineChanges line_changes(const Comparison& comparison, const SideSources& sources) {
  const Measurement &a = comparison.a, &b = comparison.b;
  if (!comparison.difference || !comparison.difference->is_decided) return {};
  if (!a.prediction || !b.prediction) return {};
  if (std::string why = why_not_by_line(comparison); !why.empty()) return {{}, std::move(why)};
  LineMatch match;
  if (sources.a != nullptr && sources.b != nullptr) {
    match = LineMatch(*sources.a, *sources.b);
  } else if (!is_of_one_source(a, b)) {
    return {{}, "The sides have different sources, which are not both known: their lines are not compared."};
  }
  std::vector<LineChange> changes = changes_of(*a.prediction, *b.prediction, match);
  if (changes.empty()) return {{}, "No line's predicted time changes by more than 1 % of the latency."};
  return {std::move(changes), ""};
}

std::string line_text(const LineChange& change, const SideSources& sources, std::size_t columns) {
  for (const auto& [line, source] : {std::pair(change.line_b, sources.b), {change.line_a, sources.a}}) {
    if (!line || source == nullptr) continue;
    std::string text = line_excerpt(*source, change.file, *line, change.inlined_place, columns);
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace tilescope
