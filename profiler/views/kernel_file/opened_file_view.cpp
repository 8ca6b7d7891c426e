#include "profiler/views/kernel_file/opened_file_view.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/text/format.hpp"
#include "profiler/views/kernel_file/named_sources.hpp"
#include "sessions/status.hpp"
#include "sessions/views/code/source_excerpt.hpp"
#include "sessions/views/memory/memory_text.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_sites = 12, max_parts = 5;

std::string source_line(const SourceFile& source, const AccessSiteRow& row) {
  std::string file = row.site.file;
  std::int64_t line = row.site.line;
  if (const auto inner = file_and_line(row.inlined_place)) std::tie(file, line) = *inner;
  const SourceExcerpt excerpt = excerpt_of(source, file, line);
  if (line <= 0 || excerpt.lines.empty()) return "";
  std::string text = excerpt.lines.front().text;
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

FileSiteRow site_row(const AccessSiteRow& row, const SourceFile& source) {
  const MemorySite& site = row.site;
  FileSiteRow shown;
  shown.place = row.place.starts_with("line ") ? row.place.substr(5) : row.place;
  shown.access = fmt::format("{}{}{}, {} B", site.operation, site.tile.empty() ? "" : " of ", site.tile,
                             site.width_bytes);
  shown.rate =
      row.is_shared() ? fmt::format("{}-way", site.worst_degree) : format_number(row.per_execution, 1);
  shown.cost = format_count(site.wavefronts);
  shown.minimum = format_count(site.minimum);
  shown.excess = format_count(site.conflicts);
  shown.has_excess = site.conflicts > 0;
  shown.source = source_line(source, row);
  shown.site = recorded_site(row);
  // A recorded block has the lines of all files.
  shown.site.line = static_cast<std::uint32_t>(site.line);
  shown.help = fmt::format("{}\n{} executions by warps", site.instruction, format_count(site.executions));
  return shown;
}

void add_sites(OpenedFileView& view) {
  const MemoryCounts& memory = *view.point.memory;
  view.counts_origin = counts_origin(memory, false);
  view.sample_words = sample_sentence(memory);
  for (const AccessSiteRow& row : access_site_rows(memory.sites, view.source.name)) {
    if (row.memory == SiteMemory::local) continue;
    std::vector<FileSiteRow>& rows = row.is_shared() ? view.shared_sites : view.global_sites;
    if (rows.size() < max_sites) {
      rows.push_back(site_row(row, view.source));
    } else {
      ++(row.is_shared() ? view.further_shared_sites : view.further_global_sites);
    }
  }
}

// A result that was compared with formulas, with the values of a launch file or with another kernel's.
std::string compared_words(const std::vector<ComparedBuffer>& all) {
  std::uint64_t elements = 0, wrong = 0;
  for (const ComparedBuffer& compared : all) {
    elements += compared.elements;
    wrong += compared.wrong;
  }
  const std::string count = format_count(static_cast<std::int64_t>(elements));
  if (wrong > 0)
    return fmt::format("Incorrect result: {} of {} values differ",
                       format_count(static_cast<std::int64_t>(wrong)), count);
  const bool is_of_one = all.size() == 1 && !all.front().formula.empty();
  const std::string& reference = all.front().reference;
  return fmt::format("Correct: {} values match {}", count,
                     is_of_one           ? all.front().formula
                     : reference.empty() ? "the expected ones"
                                         : "those of " + short_kernel_name(reference));
}

// "; mean and rstd are not checked": outputs that were compared with nothing.
std::string unchecked_words(const OpenedPoint& point) {
  std::vector<std::string> names;
  for (const std::string& output : point.outputs)
    if (std::ranges::find(point.compared, output, &ComparedBuffer::name) == point.compared.end())
      names.push_back(output);
  if (names.empty()) return "";
  return fmt::format("; {} {} not checked", fmt::join(names, ", "), names.size() == 1 ? "is" : "are");
}

void add_findings(OpenedFileView& view) {
  const OpenedPoint& point = view.point;
  std::vector<Finding> findings = point.findings;
  // The status has it already.
  std::erase_if(findings, [&](const Finding& finding) { return finding.text == point.reason; });
  view.complaints = complaints_of(findings);
  view.faults = static_cast<std::size_t>(std::ranges::count_if(point.findings, is_fault));
  view.status =
      point.compared.empty() ? status_words(point) : compared_words(point.compared) + unchecked_words(point);
  if (view.faults > 0) view.status += fmt::format("; {} fault{}", view.faults, view.faults == 1 ? "" : "s");
  if (!point.checked || !has_run(point.status)) return;
  view.check_words = check_summary(point);
  view.notes.push_back(sentence_of(point.looked_for));
}

void add_advice(OpenedFileView& view) {
  if (!view.point.diagnoses) return;
  std::ranges::copy_if(*view.point.diagnoses, std::back_inserter(view.diagnoses),
                       [&](const Diagnosis& cause) {
                         return std::ranges::find(view.point.findings, cause.text, &Finding::text) ==
                                view.point.findings.end();
                       });
}

void add_prediction(OpenedFileView& view) {
  view.parts = prediction_parts(view.point);
  if (!view.parts) {
    view.why_not_predicted = no_prediction_words(view.point);
  } else if (view.parts->by_size.size() > max_parts) {
    double us = 0;
    for (std::size_t i = max_parts; i < view.parts->by_size.size(); ++i)
      us += view.parts->parts[view.parts->by_size[i]].microseconds;
    const std::size_t count = view.parts->by_size.size() - max_parts;
    view.further_parts =
        fmt::format("and {} smaller part{}, {}", count, count == 1 ? "" : "s", format_latency(us));
    view.parts->by_size.resize(max_parts);
  }
}

}  // namespace

OpenedFileView opened_file_view(OpenedPoint point, const fs::path& file) {
  OpenedFileView view;
  // The one that was launched has its block and its shared memory.
  for (OpenedKernel& kernel : point.kernels)
    if (kernel.name == point.entry && point.occupancy) kernel.occupancy = point.occupancy;
  view.kernels = kernel_rows(point.kernels);
  view.point = std::move(point);
  const OpenedPoint& shown = view.point;
  const bool was_executed = has_run(shown.status) || shown.warp_instructions > 0;
  if (shown.problem != FileProblem::none || !was_executed) {
    view.problem = shown.reason;
    return view;
  }
  view.source = named_sources(shown, file);
  view.files = line_figures(shown, view.source);
  add_findings(view);
  add_advice(view);
  add_prediction(view);
  if (shown.memory) add_sites(view);
  for (DetailSection& section : point_details(shown, false)) {
    if (section.title == "Resources" || section.title == "Occupancy")
      view.sections.push_back(std::move(section));
  }
  std::ranges::copy_if(shown.notes, std::back_inserter(view.notes), [](const std::string& note) {
    return !is_looked_for(note) && !note.starts_with("No prediction:");
  });
  return view;
}

}  // namespace tilescope
