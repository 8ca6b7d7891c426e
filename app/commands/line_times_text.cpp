#include "app/commands/line_times_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/text_table.hpp"
#include "base/text/format.hpp"
#include "sessions/views/code/line_excerpt.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_lines = 10;

std::string place_of(const LineTime& time, const std::optional<SourceFile>& source) {
  if (!time.inlined_place.empty()) return time.inlined_place;
  const bool is_own = time.file.empty() || !source || time.file == source->name;
  if (!is_own && time.line > 0) return time.file + ":" + std::to_string(time.line);
  return time.line == 0 ? "-" : format_count(time.line);
}

}  // namespace

std::string line_times_text(const Prediction& prediction, const std::optional<SourceFile>& source) {
  if (prediction.lines.empty()) return "";
  TextTable table;
  table.add_column("line", TextTable::Align::right);
  for (const char* title : {"us", "issue", "waits", "executions"})
    table.add_column(title, TextTable::Align::right);
  table.add_column("source", TextTable::Align::left);
  for (std::size_t i = 0; i < std::min(most_lines, prediction.lines.size()); ++i) {
    const LineTime& line = prediction.lines[i];
    table.add_row({place_of(line, source), format_us(line.us()), format_us(line.issue_us),
                   format_us(line.wait_us), format_count(std::llround(line.executions)),
                   line_excerpt(source, line.file, line.line, line.inlined_place)});
  }
  return fmt::format("Predicted time by line, of {}\n", format_latency(prediction.p50_us)) + table.text(2);
}

}  // namespace tilescope
