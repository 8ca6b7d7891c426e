#include "profiler/views/code/line_heat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

constexpr std::size_t in_cuda = static_cast<std::size_t>(CodeColumn::cuda);
constexpr std::size_t in_ptx = static_cast<std::size_t>(CodeColumn::ptx);
constexpr std::size_t in_sass = static_cast<std::size_t>(CodeColumn::sass);

/// An instruction of the code that ran.
struct CodePosition {
  std::int64_t ptx_line = 0;
  /// Address of machine code.
  std::optional<std::int64_t> address;
};

CodePosition position_of(const MemorySite& site) {
  return {site.ptx_line, site.address};
}

/// The rows of PTX and machine code; no_row for none.
struct CodeRows {
  std::uint32_t ptx = LinkedListing::no_row, sass = LinkedListing::no_row;
};

CodeRows rows_of(const LinkedListing& listing, const CodePosition& at) {
  CodeRows rows;
  if (at.ptx_line >= 1 && static_cast<std::size_t>(at.ptx_line) <= listing.size(CodeColumn::ptx))
    rows.ptx = static_cast<std::uint32_t>(at.ptx_line - 1);
  if (at.address) rows.sass = listing.sass_row(*at.address, at.ptx_line);
  return rows;
}

/// The line of CUDA in the file that is shown, there with what it calls in others.
std::uint32_t cuda_row_of(const LinkedListing& listing, const CodeRows& rows) {
  if (rows.ptx != LinkedListing::no_row) return listing.cuda_row(CodeColumn::ptx, rows.ptx);
  if (rows.sass != LinkedListing::no_row) return listing.cuda_row(CodeColumn::sass, rows.sass);
  return LinkedListing::no_row;
}

/// Adds a figure to an instruction and to the line of CUDA that it is counted for.
void add(LineHeat& heat, const LinkedListing& listing, const CodePosition& at, double value) {
  heat.total += value;
  heat.is_of_machine_code = heat.is_of_machine_code || at.address.has_value();
  const CodeRows rows = rows_of(listing, at);
  if (rows.sass != LinkedListing::no_row) heat.values[in_sass][rows.sass] += value;
  if (rows.ptx != LinkedListing::no_row) heat.values[in_ptx][rows.ptx] += value;
  const std::uint32_t line = cuda_row_of(listing, rows);
  if (line != LinkedListing::no_row) heat.values[in_cuda][line] += value;
}

void set_part(LineHeat& heat, const LinkedListing& listing, const CodePosition& at, HeatPart part) {
  const CodeRows rows = rows_of(listing, at);
  if (rows.ptx != LinkedListing::no_row) heat.parts[in_ptx][rows.ptx] = part;
  if (rows.sass != LinkedListing::no_row) heat.parts[in_sass][rows.sass] = part;
}

/// Copies of one access, which a loop unrolled, are one site of the counts where the line is known.
bool is_copy(const MemorySite& of_block, const MemorySite& site) {
  const bool is_same_code =
      of_block.ptx_line == site.ptx_line && (site.ptx_line != 0 || of_block.address == site.address);
  return of_block.line == site.line && (site.line != 0 || is_same_code) &&
         of_block.operation == site.operation && of_block.tile == site.tile &&
         of_block.width_bytes == site.width_bytes &&
         innermost_places(of_block.inlined) == innermost_places(site.inlined);
}

/// Divides a site's count among its copies in proportion to their excess in the recorded block. The parts are whole
/// numbers, and add up to the count.
void add_divided(LineHeat& heat, const LinkedListing& listing, const MemorySite& site,
                 const std::vector<MemorySite>* block_sites) {
  const bool is_own_line =
      listing.files().empty() || site.file.empty() || site.file == listing.files().front();
  std::vector<const MemorySite*> copies;
  double excess = 0;
  for (std::size_t i = 0; block_sites != nullptr && is_own_line && i < block_sites->size(); ++i) {
    const MemorySite& copy = (*block_sites)[i];
    if (copy.conflicts <= 0 || !is_copy(copy, site)) continue;
    copies.push_back(&copy);
    excess += static_cast<double>(copy.conflicts);
  }
  if (copies.empty()) {
    // Without a line the site is one instruction.
    if (site.conflicts > 0 && site.line != 0)
      set_part(heat, listing, position_of(site), HeatPart::first_copy);
    return add(heat, listing, position_of(site), static_cast<double>(site.conflicts));
  }
  double passed = 0, given = 0;
  for (const MemorySite* copy : copies) {
    passed += static_cast<double>(copy->conflicts);
    const double until = std::floor(static_cast<double>(site.conflicts) * (passed / excess));
    add(heat, listing, position_of(*copy), until - given);
    if (copies.size() > 1) set_part(heat, listing, position_of(*copy), HeatPart::divided);
    given = until;
  }
}

void add_sites(LineHeat& heat, const LinkedListing& listing, const HeatSources& sources) {
  const MemoryCounts* counts = sources.counts;
  if (counts == nullptr) {
    heat.why_none = "Not counted yet.";
    return;
  }
  heat.parts[in_ptx].assign(listing.size(CodeColumn::ptx), HeatPart::whole);
  heat.parts[in_sass].assign(listing.size(CodeColumn::sass), HeatPart::whole);
  for (const MemorySite& site : counts->sites) {
    if (memory_of(site) == (heat.metric == HeatMetric::excess ? SiteMemory::shared : SiteMemory::global))
      add_divided(heat, listing, site, sources.block_sites);
  }
  heat.origin = "counted from " + counted_code(*counts);
  heat.origin += counts->blocks_run == counts->blocks_total
                     ? fmt::format(" over all {} blocks", format_count(counts->blocks_total))
                     : fmt::format(" over {} of {} blocks, scaled to all", format_count(counts->blocks_run),
                                   format_count(counts->blocks_total));
}

/// The row of CUDA that a line's time belongs to, in the file that is shown; no_row for none.
std::uint32_t cuda_row_of(const LinkedListing& listing, const LineTime& time) {
  std::string_view line_text;
  std::int64_t line = time.line;
  if (const std::size_t colon = time.inlined_place.find(':'); colon != std::string::npos) {
    if (time.inlined_place.substr(0, colon) != listing.file()) return LinkedListing::no_row;
    line_text = std::string_view(time.inlined_place).substr(colon + 1);
    if (std::from_chars(line_text.data(), line_text.data() + line_text.size(), line).ec != std::errc())
      return LinkedListing::no_row;
  } else if (time.file.empty() ? !listing.is_main_file() : time.file != listing.file()) {
    return LinkedListing::no_row;
  }
  const bool is_there = line >= 1 && static_cast<std::size_t>(line) <= listing.size(CodeColumn::cuda);
  return is_there ? static_cast<std::uint32_t>(line - 1) : LinkedListing::no_row;
}

template <class Time>
void add_time(LineHeat& heat, std::size_t column, std::uint32_t row, const Time& time) {
  if (row == LinkedListing::no_row) return;
  heat.values[column][row] += time.us();
  LineTime& sum = heat.times[column][row];
  sum.issue_us += time.issue_us;
  sum.wait_us += time.wait_us;
  sum.executions += time.executions;
}

/// To the rows to which other figures of the instruction are added, too.
void add_time(LineHeat& heat, const LinkedListing& listing, const CodePosition& at,
              const InstructionTime& time) {
  const CodeRows rows = rows_of(listing, at);
  add_time(heat, in_sass, rows.sass, time);
  add_time(heat, in_ptx, rows.ptx, time);
  add_time(heat, in_cuda, cuda_row_of(listing, rows), time);
}

void add_times(LineHeat& heat, const LinkedListing& listing, const HeatSources& sources) {
  const Prediction* const prediction = sources.prediction;
  if (prediction == nullptr || prediction->lines.empty()) {
    heat.why_none = "No time is predicted for the lines of this kernel.";
    return;
  }
  heat.is_of_machine_code = true;
  for (std::size_t column = 0; column < heat.times.size(); ++column)
    heat.times[column].resize(heat.values[column].size());
  if (sources.instructions == nullptr || sources.instructions->empty()) {
    for (const LineTime& time : prediction->lines) add_time(heat, in_cuda, cuda_row_of(listing, time), time);
  } else {
    for (const InstructionTime& time : *sources.instructions)
      add_time(heat, listing, {time.ptx_line, time.address}, time);
  }
  heat.total = prediction->p50_us;
  heat.origin = fmt::format("{} in all; launch, block start, tail and clock belong to no line",
                            format_latency(prediction->p50_us));
}

/// "12.40 µs: 2.10 µs to issue 1.23 M warp instructions, 10.30 µs in which warps wait for them"
std::string time_words(const LineTime& time) {
  return fmt::format("{}: {} to issue {} warp instructions, {} in which warps wait for them",
                     format_latency(time.us()), format_latency(time.issue_us),
                     format_short(std::llround(time.executions)), format_latency(time.wait_us));
}

void add_executions(LineHeat& heat, const LinkedListing& listing, const HeatSources& sources) {
  if (sources.instructions != nullptr && !sources.instructions->empty()) {
    for (const InstructionTime& time : *sources.instructions)
      add(heat, listing, {time.ptx_line, time.address}, time.executions);
    heat.origin = "warp instructions of the machine code in the whole launch";
    return;
  }
  const BlockRecording* const recording = sources.recording;
  if (recording == nullptr) {
    heat.why_none = "No block is traced yet.";
    return;
  }
  heat.is_of_one_block = true;
  for (const LineExecutions& line : recording->instructions)
    add(heat, listing, {line.ptx_line, line.address}, static_cast<double>(line.executions));
  heat.origin = fmt::format("warp instructions of the {} in the traced block alone",
                            heat.is_of_machine_code ? "machine code" : "PTX");
}

void add_instructions(LineHeat& heat, const LinkedListing& listing) {
  for (std::size_t row = 0; row < listing.size(CodeColumn::sass); ++row) {
    if (listing.lines(CodeColumn::sass)[row].ends_with(':')) continue;
    heat.total += 1;
    const std::uint32_t ptx_row = listing.ptx_row(row);
    if (ptx_row != LinkedListing::no_row) heat.values[in_ptx][ptx_row] += 1;
    const std::uint32_t line = listing.cuda_row(CodeColumn::sass, row);
    if (line != LinkedListing::no_row) heat.values[in_cuda][line] += 1;
  }
  heat.origin = "instructions of the machine code";
  if (heat.total == 0) heat.why_none = "There is no machine code to count.";
}

void add_findings(LineHeat& heat, const LinkedListing& listing, const std::vector<Finding>* findings) {
  if (findings == nullptr) {
    heat.why_none = "Not checked: press Run checkers in the panel Point.";
    return;
  }
  for (const Finding& finding : *findings) {
    const auto occurrences = static_cast<double>(std::max<std::int64_t>(1, finding.occurrences));
    heat.total += occurrences;
    if (!listing.is_main_file()) continue;  // the kernel's own file has their lines
    for (const std::int64_t line : finding.lines) {
      if (line < 1 || static_cast<std::size_t>(line) > heat.values[in_cuda].size()) continue;
      heat.values[in_cuda][static_cast<std::size_t>(line - 1)] += occurrences;
    }
  }
  heat.origin = findings->empty() ? "the checkers found nothing" : "found by the checkers";
}

/// Where the PTX ran, an instruction of the machine code has no figure of its own: it shows the figure of its line of
/// the PTX.
void show_ptx_in_machine_code(LineHeat& heat, const LinkedListing& listing) {
  for (std::size_t row = 0; row < heat.values[in_sass].size(); ++row) {
    const std::uint32_t from = listing.ptx_row(row);
    if (from == LinkedListing::no_row) continue;
    heat.values[in_sass][row] = heat.values[in_ptx][from];
    if (!heat.parts[in_ptx].empty()) heat.parts[in_sass][row] = heat.parts[in_ptx][from];
  }
}

/// "1,234 excess wavefronts"
std::string counted(HeatMetric metric, double value) {
  const std::string count = format_count(std::llround(value));
  switch (metric) {
    case HeatMetric::time:
      return format_latency(value);
    case HeatMetric::excess:
      return count + " excess wavefronts";
    case HeatMetric::sectors:
      return count + " excess sectors";
    case HeatMetric::executions:
      return count + " warp instructions";
    case HeatMetric::instructions:
      return count + " machine instructions";
    case HeatMetric::findings:
      break;
  }
  return count + " findings of the checkers";
}

}  // namespace

bool is_bad(HeatMetric metric) {
  return metric != HeatMetric::executions && metric != HeatMetric::instructions;
}

std::string to_words(HeatMetric metric) {
  switch (metric) {
    case HeatMetric::time:
      return "Predicted µs";
    case HeatMetric::excess:
      return "Excess wavefronts";
    case HeatMetric::sectors:
      return "Excess sectors";
    case HeatMetric::executions:
      return "Executions";
    case HeatMetric::instructions:
      return "Instructions";
    case HeatMetric::findings:
      break;
  }
  return "Races and faults";
}

std::string tag_of(HeatMetric metric) {
  switch (metric) {
    case HeatMetric::time:
      return "time";
    case HeatMetric::excess:
      return "excess";
    case HeatMetric::sectors:
      return "sectors";
    case HeatMetric::executions:
      return "executions";
    case HeatMetric::instructions:
      return "instructions";
    case HeatMetric::findings:
      break;
  }
  return "findings";
}

std::vector<std::uint32_t> hottest_rows(const LineHeat& heat, CodeColumn column) {
  const std::vector<double>& values = heat.values[static_cast<std::size_t>(column)];
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < values.size(); ++row) {
    if (values[row] > 0) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, std::greater{}, [&](std::uint32_t row) { return values[row]; });
  return rows;
}

LineHeat line_heat(HeatMetric metric, const LinkedListing& listing, const HeatSources& sources) {
  LineHeat heat;
  heat.metric = metric;
  heat.values[in_cuda].resize(listing.size(CodeColumn::cuda));
  heat.values[in_ptx].resize(listing.size(CodeColumn::ptx));
  heat.values[in_sass].resize(listing.size(CodeColumn::sass));
  if (metric == HeatMetric::excess || metric == HeatMetric::sectors) add_sites(heat, listing, sources);
  if (metric == HeatMetric::time) add_times(heat, listing, sources);
  if (metric == HeatMetric::executions) add_executions(heat, listing, sources);
  if (metric == HeatMetric::instructions) add_instructions(heat, listing);
  if (metric == HeatMetric::findings) add_findings(heat, listing, sources.findings);
  const bool is_of_lines = metric != HeatMetric::instructions && metric != HeatMetric::findings;
  if (is_of_lines && !heat.is_of_machine_code) show_ptx_in_machine_code(heat, listing);
  for (std::size_t column = 0; column < heat.values.size(); ++column) {
    for (const double value : heat.values[column]) heat.most[column] = std::max(heat.most[column], value);
  }
  return heat;
}

std::string heat_text(const LineHeat& heat, CodeColumn column, std::size_t row) {
  const double value = heat.value(column, row);
  if (value <= 0) return "";
  const std::vector<LineTime>& times = heat.times[static_cast<std::size_t>(column)];
  std::string text = row < times.size() ? time_words(times[row]) : counted(heat.metric, value);
  if (heat.is_of_one_block) text += " in one block";
  if (heat.metric != HeatMetric::findings && heat.total > 0)
    text += fmt::format(", {} of the {}", format_percent(value / heat.total),
                        heat.is_of_one_block ? "block's" : "kernel's");
  if (column == CodeColumn::sass && !heat.is_of_machine_code)
    text += ". Counted for the line of the PTX that this instruction was made from";
  const std::vector<HeatPart>& parts = heat.parts[static_cast<std::size_t>(column)];
  const HeatPart part = row < parts.size() ? parts[row] : HeatPart::whole;
  if (part == HeatPart::divided)
    text +=
        ". The whole kernel is counted by line of CUDA. This copy of the access is given the share of the "
        "line's excess that it has in the traced block";
  if (part == HeatPart::first_copy)
    text +=
        ". The whole kernel is counted by line of CUDA. All of the line's excess stands at the first copy of "
        "the access: no block is traced that says how to divide it";
  return text;
}

std::string heat_figure(const LineHeat& heat, CodeColumn column, std::size_t row) {
  const double value = heat.value(column, row);
  return heat.metric == HeatMetric::time ? format_number(value, 1) : format_short(std::llround(value));
}

std::string listing_csv(const LinkedListing& listing, const LineHeat& heat,
                        const std::vector<CodeColumn>& columns) {
  CsvText csv;
  csv.add({"column", "line", to_words(heat.metric) + (heat.is_of_one_block ? ", 1 block" : ""), "text"});
  for (const CodeColumn column : columns) {
    for (std::size_t row = 0; row < listing.size(column); ++row) {
      const bool has_figure =
          heat.why_none.empty() && row < heat.values[static_cast<std::size_t>(column)].size();
      csv.add({to_words(column), listing.label(column, row),
               has_figure ? csv_number(heat.value(column, row)) : std::string(), listing.lines(column)[row]});
    }
  }
  return csv.text();
}

}  // namespace tilescope
