#include "sessions/views/compiler_log.hpp"

#include <algorithm>
#include <charconv>
#include <regex>
#include <sstream>
#include <utility>

namespace tilescope {

namespace {

LogLine::Severity severity_of(const std::string& after_place) {
  const auto starts = [&](const char* word) { return after_place.rfind(word, 0) == 0; };
  if (starts("error") || starts("catastrophic error") || starts("fatal")) return LogLine::Severity::error;
  if (starts("warning")) return LogLine::Severity::warning;
  return LogLine::Severity::text;
}

/// Reads "FILE:LINE:COLUMN: " at the start of a line. False where it is not there.
bool read_host_place(LogLine& line) {
  static const std::regex place(R"(^([^:]+):([0-9]{1,9}):[0-9]+: )");
  std::smatch match;
  if (!std::regex_search(line.text, match, place)) return false;
  line.severity = severity_of(match.suffix());
  line.file = match[1];
  line.line = std::stoi(match[2]);
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
