#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// A line of a compiler's log, with its severity and place.
struct LogLine {
  enum class Severity { text, warning, error };
  Severity severity = Severity::text;
  std::string text;
  /// "" if the line names none.
  std::string file;
  /// From 1; 0 if the line names none.
  int line = 0;
};

/// A compiler's log by lines. A diagnostic is "FILE(LINE): error: ..." or "FILE(LINE): warning #177-D: ...", of the
/// host compiler that preprocesses for nvcc "FILE:LINE:COLUMN: fatal error: ...".
std::vector<LogLine> parse_compiler_log(const std::string& log);

/// The first error that names a line, or nullptr.
const LogLine* first_error(const std::vector<LogLine>& log);

/// Line `line` of a text, counted from 1; "" past its end.
std::string line_of(const std::string& text, int line);

}  // namespace tilescope
