#include "app/commands/counted_code_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/text/format.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope {
namespace {

using Align = TextTable::Align;

// Rows of the tables of lines and opcodes.
constexpr std::size_t shown_shares = 12;
constexpr std::size_t widest = 100;

std::string cycles_words(double cycles) {
  return format_count(std::llround(cycles));
}

// "31.5": lanes whose guard was true, of a mean execution
std::string lanes_words(const CountedInstruction& instruction) {
  if (instruction.executions == 0) return "";
  const double lanes =
      static_cast<double>(instruction.threads_on) / static_cast<double>(instruction.executions);
  const std::string text = fmt::format("{:.1f}", lanes);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

// "9,584,640 w" in shared memory, "540,672 s" in global memory; of an asynchronous copy its wavefronts.
std::string traffic_words(const CountedInstruction& instruction) {
  if (instruction.shared_wavefronts) return format_count(*instruction.shared_wavefronts) + " w";
  if (instruction.global_sectors) return format_count(*instruction.global_sectors) + " s";
  return "";
}

// How many times the minimum: "1", "1.25", "8"
std::string excess_words(const CountedInstruction& instruction) {
  const auto& all =
      instruction.shared_wavefronts ? instruction.shared_wavefronts : instruction.global_sectors;
  const auto& minimum = instruction.shared_wavefronts ? instruction.shared_wavefronts_minimum
                                                      : instruction.global_sectors_minimum;
  if (!all || !minimum || *minimum == 0) return "";
  return fmt::format("{:.3g}", static_cast<double>(*all) / static_cast<double>(*minimum));
}

// "4", "2+12": the wait for scoreboards, then the stall
std::string stall_words(const CountedInstruction& instruction) {
  if (instruction.wait_cycles == 0) return fmt::format("{}", instruction.stall_cycles);
  return fmt::format("{}+{}", instruction.wait_cycles, instruction.stall_cycles);
}

// "02": the scoreboards that it waits for
std::string scoreboard_words(const CountedInstruction& instruction) {
  std::string text;
  for (const std::int64_t scoreboard : instruction.waits_for) text += std::to_string(scoreboard);
  return text;
}

// "1.25": the predicted time of all its executions [us]
std::string time_words(const CountedInstruction& instruction) {
  if (!instruction.issue_us || !instruction.wait_us) return "";
  return format_us(*instruction.issue_us + *instruction.wait_us);
}

// Cuts long lines, which end with the instruction's operands.
std::string shortened(const std::string& table) {
  std::string text;
  for (std::size_t start = 0; start < table.size();) {
    const std::size_t end = std::min(table.find('\n', start), table.size());
    const std::string line = table.substr(start, end - start);
    text += (line.size() <= widest ? line : line.substr(0, widest - 3) + "...") + "\n";
    start = end + 1;
  }
  return text;
}

// "120", "(225)" for a line of another file
std::string line_words(const CountedInstruction& instruction, const std::string& main_file) {
  const auto place = file_and_line(source_place(instruction));
  if (!place) return "";
  const bool is_own = place->first == main_file || main_file.empty();
  return fmt::format("{}{}{}", is_own ? "" : "(", place->second, is_own ? "" : ")");
}

std::string listing(const CountedCode& code, const std::string& main_file) {
  TextTable table;
  const bool has_times = std::ranges::any_of(
      code.instructions, [](const CountedInstruction& one) { return one.issue_us.has_value(); });
  for (const char* header : {"at", "line", "executions", "lanes", "traffic", "x min", "cycles", "sb"})
    table.add_column(header, Align::right);
  if (has_times) table.add_column("us", Align::right);
  table.add_column("instruction", Align::left);
  for (const CountedInstruction& instruction : code.instructions) {
    std::vector<std::string> row = {fmt::format("{:04x}", instruction.address),
                                    line_words(instruction, main_file),
                                    format_count(instruction.executions),
                                    lanes_words(instruction),
                                    traffic_words(instruction),
                                    excess_words(instruction),
                                    stall_words(instruction),
                                    scoreboard_words(instruction)};
    if (has_times) row.push_back(time_words(instruction));
    row.push_back(instruction.text);
    table.add_row(std::move(row));
  }
  return shortened(table.text());
}

// The shares with the most cycles, and one of all others.
std::string share_table(const char* header, const std::vector<IssueShare>& shares, const std::string& file) {
  double all = 0;
  for (const IssueShare& share : shares) all += share.cycles;
  TextTable table;
  table.add_column(header, Align::left);
  table.add_column("executions", Align::right);
  table.add_column("warp cycles", Align::right);
  table.add_column("share", Align::right);
  const auto add = [&](const std::string& name, std::int64_t executions, double cycles) {
    table.add_row(
        {name, format_count(executions), cycles_words(cycles), format_percent(all > 0 ? cycles / all : 0)});
  };
  IssueShare others;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i >= shown_shares) {
      others.executions += shares[i].executions;
      others.cycles += shares[i].cycles;
      continue;
    }
    std::string name = shares[i].name.empty() ? "unknown" : shares[i].name;
    if (name.starts_with(file + ":")) name = "line " + name.substr(file.size() + 1);
    add(name, shares[i].executions, shares[i].cycles);
  }
  if (shares.size() > shown_shares)
    add(fmt::format("{} others", shares.size() - shown_shares), others.executions, others.cycles);
  return table.text(2);
}

std::string pipe_table(const CountedCode& code) {
  TextTable table;
  table.add_column("lower bound of", Align::left);
  table.add_column("cycles of an SM", Align::right);
  table.add_column("warp instructions", Align::right);
  table.add_column("", Align::left);
  for (const IssueLimit& limit : code.limits) {
    const auto pipe = std::ranges::find(code.pipes, limit.what, &PipeShare::pipe);
    const bool is_pipe = pipe != code.pipes.end();
    table.add_row({limit.what, cycles_words(limit.cycles), is_pipe ? format_count(pipe->instructions) : "",
                   is_pipe && pipe->is_shared_by_quarters ? "one for the SM" : ""});
  }
  return table.text(2);
}

std::string issue_words(const CountedCode& code) {
  if (code.limits.empty()) {
    return fmt::format("{} warps. A warp alone needs at least {} cycles, without any latency of memory.",
                       format_count(code.warps), cycles_words(code.warp_cycles));
  }
  const IssueLimit& largest = code.limits.front();
  return fmt::format(
      "{} warps on {} SMs, at most {} resident on one at once. A warp alone needs at least {} cycles, an SM "
      "at "
      "least {} for its share ({}); no latency of memory is in these.",
      format_count(code.warps), code.sms, code.resident_warps, cycles_words(code.warp_cycles),
      cycles_words(largest.cycles), largest.what);
}

std::string issue_text(const CountedCode& code, const std::string& main_file) {
  std::string text = "Issue\n  " + prose(issue_words(code), 2) + "\n";
  if (!code.limits.empty()) text += pipe_table(code);
  text += "Issue by source line\n" + share_table("line", issue_by_line(code), main_file);
  return text + "Issue by opcode\n" + share_table("opcode", issue_by_opcode(code), "");
}

}  // namespace

std::string counted_code_text(const CountedCode& code, const std::string& main_file) {
  if (!code.why_none.empty()) return "Machine code\n  " + prose("not executed: " + code.why_none, 2) + "\n";
  if (code.instructions.empty()) return "";
  std::string text = "Machine code (" + code.architecture + ")\n";
  text +=
      "  " +
      prose(
          "lanes: active, with a true guard, in the mean. traffic: w wavefronts of shared memory, s sectors "
          "of global memory; x min: over the minimum. cycles: of one execution in a warp alone, waits for "
          "results that "
          "are not from memory + stall count. sb: scoreboards waited for. us: predicted time of all "
          "executions, with the waits before them. A line in brackets is in another file.",
          2) +
      "\n";
  return text + listing(code, main_file) + issue_text(code, main_file);
}

}  // namespace tilescope
