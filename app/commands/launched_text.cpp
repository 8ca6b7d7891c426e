#include "app/commands/launched_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/commands/advice_text.hpp"
#include "app/commands/compared_text.hpp"
#include "app/commands/counted_code_text.hpp"
#include "app/commands/line_times_text.hpp"
#include "app/commands/memory_table_text.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "base/text/format.hpp"
#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/views/kernel_file/kernel_rows.hpp"
#include "profiler/views/memory/number_lists.hpp"
#include "sessions/views/memory/memory_text.hpp"
#include "sessions/views/model/prediction_parts.hpp"
#include "sessions/views/model/prediction_text.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

// The parts that take the most, on one line.
std::string largest_parts(const PartsView& view) {
  constexpr std::size_t most_parts = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most_parts, view.by_size.size()); ++i) {
    const PartShare& part = view.parts[view.by_size[i]];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name, format_latency(part.microseconds));
  }
  return text;
}

std::string prediction_text(const LaunchedPoint& point, const std::string& device) {
  const std::optional<PartsView> view = prediction_parts(point);
  if (!view) return "";
  return "  " + prose(fmt::format("predicted on {}: {}", device, predicted_words(*point.prediction)), 4) +
         "\n  " + prose("largest parts: " + largest_parts(*view), 4) + "\n  " + prose(view->summary, 4) +
         "\n";
}

std::string resources_text(const LaunchedPoint& point, const std::string& device) {
  if (!point.resources) return "";
  const Resources& resources = *point.resources;
  std::string text = fmt::format(
      "resources: {} registers, {} of stack and {} of spills (stores and loads) per thread; {} of static "
      "shared memory per block",
      resources.registers, format_bytes(resources.stack_bytes), format_bytes(resources.spill_bytes),
      format_bytes(resources.static_shared_bytes));
  if (const auto& occupancy = point.occupancy)
    text += fmt::format(". Occupancy on {}: {} and {} on an SM, {} ({})", device,
                        counted_noun(occupancy->blocks_per_sm, "block"),
                        counted_noun(occupancy->warps_per_sm, "warp"), format_percent(occupancy->fraction),
                        limiter_words(*occupancy));
  return "  " + prose(text, 4) + "\n";
}

std::string launch_text(const LaunchedPoint& point) {
  std::string pipes;
  for (const auto& [pipe, count] : point.instructions)
    pipes += fmt::format("{}{} {}", pipes.empty() ? "" : ", ", pipe, count);
  std::string text = fmt::format("instructions: {} by warps ({}), {} by lanes; {} barriers",
                                 point.warp_instructions, pipes, point.lane_instructions, point.barriers);
  if (const auto& memory = point.memory; memory && memory->blocks_run < memory->blocks_total)
    text += fmt::format(", in {} of {} blocks", memory->blocks_run, memory->blocks_total);
  return "  launch: " + launch_words(point) + "\n  " + prose(text, 4) + "\n";
}

}  // namespace

ExitCode exit_code_of_launch(const LaunchedPoint& point) {
  const bool is_about_the_machine = point.status == Status::unsupported ||
                                    point.status == Status::cancelled || point.status == Status::timed_out;
  if (is_about_the_machine) return ExitCode::cannot_run;
  const bool has_fault = std::ranges::any_of(point.findings, is_fault);
  return has_run(point.status) && !has_fault ? ExitCode::done : ExitCode::check_failed;
}

std::string printed_text(const LaunchedPoint& point) {
  std::string text;
  for (const LaunchedText& one : point.printed) {
    const std::string origin = fmt::format("block ({}), thread {}, {}: ", fmt::join(one.block, ", "),
                                           one.thread, shown_line(one.place));
    std::string_view rest = one.text;
    do {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text += "  " + origin + shown_line(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } while (!rest.empty());
  }
  return text.empty() ? "" : "The kernel printed:\n" + text;
}

std::string launched_text(const LaunchedPoint& point, const std::string& device,
                          const std::string& after_printed, const std::optional<SourceFile>& source,
                          const std::string& after_advice) {
  std::string text = point.entry.empty() ? "" : demangled_symbol(point.entry) + ", " + point.target + "\n";
  text += "  " +
          prose("status: " + to_string(point.status) + (point.reason.empty() ? "" : ": " + point.reason), 4) +
          "\n";
  if (point.warp_instructions > 0) text += launch_text(point) + resources_text(point, device);
  if (point.latency)
    text += "  " + prose(fmt::format("measured on {}: {}", device, measured_words(*point.latency)), 4) + "\n";
  if (point.prediction) text += prediction_text(point, device);
  text += printed_text(point);
  text += after_printed;
  text += compared_text(point);
  for (const Finding& finding : point.findings) {
    if (finding.text == point.reason) continue;  // already printed with the status
    text += prose(finding.kind + ": " + finding.text, 2) + "\n";
  }
  if (point.checked && point.findings.empty() && has_run(point.status)) text += "No findings.\n";
  if (point.checked && has_run(point.status)) text += prose(sentence_of(point.looked_for), 2) + "\n";
  if (point.diagnoses) text += advice_text(*point.diagnoses);
  text += after_advice;
  // Lines of a file that is not here keep its name.
  const bool has_text = source && !source->text.empty();
  if (point.memory && point.prediction) text += line_times_text(*point.prediction, source);
  if (point.memory)
    text += capitalised(counts_origin(*point.memory, false)) + "\n" +
            memory_table_text(*point.memory, has_text ? source : std::nullopt);
  if (point.machine_code) text += counted_code_text(*point.machine_code, "");
  for (const std::string& note : point.notes) text += prose("Note: " + note, 2) + "\n";
  return text;
}

}  // namespace tilescope
