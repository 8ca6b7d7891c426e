#include "sessions/views/code/compiler_log.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

namespace tilescope {

namespace {

LogLine::Severity severity_of(const std::string& after_place) {
  const auto starts = [&](const char* word) { return after_place.rfind(word, 0) == 0; };
  if (starts("error") || starts("catastrophic error") || starts("fatal")) return LogLine::Severity::error;
  if (starts("warning")) return LogLine::Severity::warning;
  return LogLine::Severity::text;
}

/// Reads "FILE:LINE:COLUMN: " at the start of a line. False where it is not there. By hand: std::regex takes stack for
/// each letter of a line, and a line of code may have as many as its author likes.
bool read_host_place(LogLine& line) {
  const std::string& text = line.text;
  const char* const end = text.data() + text.size();
  const std::size_t first = text.find(':');
  if (first == std::string::npos || first == 0) return false;
  int number = 0;
  int column = 0;
  const char* const digits = text.data() + first + 1;
  const auto [second, bad_number] = std::from_chars(digits, end, number);
  if (bad_number != std::errc() || *digits == '-' || second == end || *second != ':') return false;
  const auto [third, bad_column] = std::from_chars(second + 1, end, column);
  const std::string_view rest(third, static_cast<std::size_t>(end - third));
  if (bad_column != std::errc() || second[1] == '-' || !rest.starts_with(": ")) return false;
  line.severity = severity_of(std::string(rest.substr(2)));
  line.file = text.substr(0, first);
  line.line = number;
  return true;
}

/// Reads "FILE(LINE): " at the start of a line; otherwise the place stays empty.
void read_place(LogLine& line) {
  if (read_host_place(line)) return;
  const std::size_t close = line.text.find("): ");
  if (close == std::string::npos) {
    line.severity =
        severity_of(line.text);  // "error: ..." without a place, as for ptxas and NVRTC's options.
    return;
  }
  const std::size_t open = line.text.rfind('(', close);
  if (open == std::string::npos || open == 0) return;
  int number = 0;
  const char* const end = line.text.data() + close;
  const auto [stopped, error] = std::from_chars(line.text.data() + open + 1, end, number);
  if (error != std::errc() || stopped != end) return;
  line.severity = severity_of(line.text.substr(close + 3));
  line.file = line.text.substr(0, open);
  line.line = number;
}

}  // namespace

std::vector<LogLine> parse_compiler_log(const std::string& log) {
  std::vector<LogLine> lines;
  std::istringstream stream(log);
  for (std::string text; std::getline(stream, text);) {
    if (!text.empty() && text.back() == '\r') text.pop_back();
    LogLine line;
    line.text = std::move(text);
    read_place(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

const LogLine* first_error(const std::vector<LogLine>& log) {
  const auto found = std::find_if(log.begin(), log.end(), [](const LogLine& line) {
    return line.severity == LogLine::Severity::error && line.line > 0;
  });
  return found == log.end() ? nullptr : &*found;
}

std::string line_of(const std::string& text, int line) {
  std::istringstream stream(text);
  std::string found;
  for (int i = 0; i < line; ++i) {
    if (!std::getline(stream, found)) return {};
  }
  return found;
}

}  // namespace tilescope
