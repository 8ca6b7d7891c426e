#include "app/commands/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands/advice_text.hpp"
#include "app/commands/line_times_text.hpp"
#include "app/commands/memory_table_text.hpp"
#include "app/commands/terminal.hpp"
#include "base/text/format.hpp"
#include "profiler/views/memory/access_sites.hpp"
#include "sessions/views/memory/memory_text.hpp"
#include "sessions/views/points/complaints.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

std::string findings(const Measurement& point, bool checked) {
  if (point.findings.empty() && !(checked && point.memory)) return "";
  std::string text = point.findings.empty() ? "Findings\n  none\n" : "Findings\n";
  for (const Finding& finding : point.findings) {
    const TextColor color = is_fault(finding) ? TextColor::red : TextColor::yellow;
    text += "  " + prose(colored(finding_title(finding), color) + ": " + finding.text, 4) + "\n";
  }
  for (const std::string& note : point.notes) {
    if (is_looked_for(note)) text += "  " + prose(note, 4) + "\n";
  }
  return text;
}

// ", compiled by NVRTC 13.0 for L4 (sm_89)"; "" where no device was chosen.
std::string device_words(const Measurement& point) {
  if (point.device.arch.empty()) return "";
  const std::string compiler = compiler_words(point.provenance);
  const std::string compiled = compiler.empty() ? "compiled " : "compiled by " + compiler + " ";
  return fmt::format(", {}for {} ({})", point.resources ? compiled : "", point.device.name,
                     point.device.arch);
}

}  // namespace

std::string trace_text(const Measurement& point, const std::optional<SourceFile>& source, bool checked) {
  std::string text = fmt::format("{}  {}\n  {}{}\n  ", point.kernel, to_string(point.parameters),
                                 to_string(point.shape), device_words(point));
  text += prose(colored(status_words(point), text_color_of(point)) +
                    (point.reason.empty() ? "" : ": " + point.reason),
                2) +
          "\n";
  if (point.error) {
    text += fmt::format("  largest error {} of {} allowed", format_error(point.error->max_abs),
                        format_error(point.error->tolerance));
    if (point.error->rows_checked && point.error->rows_total) {
      text += fmt::format(", {} of {} rows checked", format_count(*point.error->rows_checked),
                          format_count(*point.error->rows_total));
    }
    text += "\n";
  }
  if (point.memory) {
    const std::string sample = sample_sentence(*point.memory);
    text += "  " + capitalised(counts_origin(*point.memory, false)) + "." +
            (sample.empty() ? "" : " " + sample) + "\n";
  }
  text += findings(point, checked);
  if (point.memory) {
    text += advice_text(point);
    if (point.prediction) text += line_times_text(*point.prediction, source);
    text += memory_table_text(*point.memory, source);
  }
  for (const std::string& note : point.notes) {
    if (!is_looked_for(note) || text.find("Findings\n") == std::string::npos) text += prose(note, 0) + "\n";
  }
  if (point.status == Status::compile_failed && !point.compiler_log.empty()) {
    text += "Compiler log\n" + point.compiler_log + (point.compiler_log.ends_with('\n') ? "" : "\n");
  }
  return text;
}

std::string lanes_hint(const Measurement& point, const std::optional<SourceFile>& source,
                       const std::filesystem::path& session) {
  if (!point.memory) return "";
  const auto rows = access_site_rows(point.memory->sites, source ? source->name : "");
  const auto worst = std::find_if(rows.begin(), rows.end(), [](const AccessSiteRow& row) {
    return row.own_line != 0 && row.site.conflicts > 0;
  });
  if (worst == rows.end()) return "";
  const std::string command =
      fmt::format("./tilescope screenshot microscope --session {} --line {} --to lanes.png",
                  session.empty() ? "FILE" : shell_quoted(session.string()), worst->own_line);
  return session.empty()
             ? fmt::format("Lanes of line {}: trace with --session FILE, then {}\n", worst->own_line, command)
             : fmt::format("Lanes of line {}: {}\n", worst->own_line, command);
}

}  // namespace tilescope
