#include "app/panels/code/source_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/explorer/code/code_listing.hpp"
#include "app/explorer/memory/check_run.hpp"
#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "base/text/format.hpp"
#include "profiler/views/code/quiet_lines.hpp"

namespace tilescope {

namespace {

// Whether the figures come with the counts of the whole kernel.
bool is_of_counts(HeatMetric metric) {
  return metric == HeatMetric::time || metric == HeatMetric::excess || metric == HeatMetric::sectors;
}

// The requested check found them, else the one of the current point; nullptr where neither was checked.
const std::vector<Finding>* findings_of(const Explorer& explorer) {
  if (const SharedMeasurement checked = explorer.board().get<CheckRun>().result()) return &checked->findings;
  const SharedMeasurement current = explorer.jobs().current_point();
  return current && !current->findings.empty() ? &current->findings : nullptr;
}

/// Whether a counted point is of the listed code.
bool is_of(const Measurement& point, const ListedCode& code) {
  const Experiment& listed = code.experiment;
  return point.kernel == listed.kernel && point.parameters == listed.parameters &&
         point.shape == listed.shape && point.provenance.compiler == listed.compiler &&
         point.provenance.source_sha256 == code.answer.source_sha256;
}

}  // namespace

std::string to_words(SourceLayout layout) {
  switch (layout) {
    case SourceLayout::cuda:
      return "CUDA";
    case SourceLayout::ptx:
      return "PTX";
    case SourceLayout::sass:
      return "SASS";
    case SourceLayout::cuda_ptx:
      return "CUDA + PTX";
    case SourceLayout::cuda_sass:
      return "CUDA + SASS";
    case SourceLayout::all:
      return "All";
    case SourceLayout::difference:
      break;
  }
  return "Difference";
}

std::string tag_of(SourceLayout layout) {
  switch (layout) {
    case SourceLayout::cuda:
      return "cuda";
    case SourceLayout::ptx:
      return "ptx";
    case SourceLayout::sass:
      return "sass";
    case SourceLayout::cuda_ptx:
      return "cuda_ptx";
    case SourceLayout::cuda_sass:
      return "cuda_sass";
    case SourceLayout::all:
      return "all";
    case SourceLayout::difference:
      break;
  }
  return "difference";
}

std::vector<CodeColumn> columns_of(SourceLayout layout) {
  switch (layout) {
    case SourceLayout::cuda:
      return {CodeColumn::cuda};
    case SourceLayout::ptx:
      return {CodeColumn::ptx};
    case SourceLayout::sass:
      return {CodeColumn::sass};
    case SourceLayout::cuda_ptx:
      return {CodeColumn::cuda, CodeColumn::ptx};
    case SourceLayout::cuda_sass:
      return {CodeColumn::cuda, CodeColumn::sass};
    case SourceLayout::all:
      return {CodeColumn::cuda, CodeColumn::ptx, CodeColumn::sass};
    case SourceLayout::difference:
      break;
  }
  return {};
}

std::string why_too_narrow(SourceLayout layout, const SourceRoom& room) {
  const std::size_t needed = columns_of(layout).size();
  if (needed <= room.columns()) return "";
  return fmt::format("{} columns need {:.0f} px; the panel has {:.0f}. Drag its border to widen it.",
                     needed == 2 ? "Two" : "Three", std::ceil(static_cast<float>(needed) * room.column),
                     std::floor(room.width));
}

SourceLayout layout_that_fits(SourceLayout layout, std::size_t columns) {
  if (columns_of(layout).size() <= columns) return layout;
  if (layout == SourceLayout::all && columns == 2) return SourceLayout::cuda_sass;
  return SourceLayout::cuda;
}

std::string no_second_side() {
  return "Choose what to compare: right-click a point in the panel Points, or open the workspace Compare.";
}

HeatMetric heat_to_begin_with(const Explorer& explorer, HeatMetric before) {
  const MemoryFocus& focus = explorer.board().get<MemoryFocus>();
  const std::vector<Finding>* findings = findings_of(explorer);
  if (!focus.is_chosen() && findings != nullptr && std::ranges::any_of(*findings, is_fault))
    return HeatMetric::findings;
  const auto block = explorer.board().get<BlockRecorder>().shown();
  const auto site = block ? focus.site_in(*block) : std::nullopt;
  if (!site) return before;
  return block->recording.sites[*site].is_shared ? HeatMetric::excess : HeatMetric::sectors;
}

void SourceView::update(Explorer& explorer, SourceOptions& options) {
  explorer.board().get<CodeListing>().want();
  explorer.board().get<BlockRecorder>().want();
  const bool needs_counts = is_of_counts(options.heat) || options.heat == HeatMetric::executions;
  if (needs_counts) explorer.board().get<KernelCounts>().want();
  const std::shared_ptr<const ListedCode> code = explorer.board().get<CodeListing>().shown();
  if (code != code_ || options.file != file_) {
    code_ = code;
    derive_listing(options);
  }
  if (!code_) return;
  derive_heat(explorer, options.heat);
  derive_same_code(explorer);
}

void SourceView::derive_listing(SourceOptions& options) {
  listing_ = code_ ? code_->linked : LinkedListing();
  if (code_ && !options.file.empty()) listing_ = listing_.with_file(code_->answer, options.file);
  if (listing_.is_main_file()) options.file.clear();  // also of a header that another kernel does not have
  file_ = options.file;
  for (const CodeColumn column : all_code_columns) {
    const auto i = static_cast<std::size_t>(column);
    const std::vector<std::string>& lines = listing_.lines(column);
    quiet_[i] = quiet_lines(column, lines);
    text_columns_[i] = 0;
    for (const std::string& line : lines) text_columns_[i] = std::max(text_columns_[i], line.size());
    titles_[i] = code_ ? column_title(column) : "";
    label_columns_[i] =
        lines.empty() ? 4 : std::max<std::size_t>(4, listing_.label(column, lines.size() - 1).size());
  }
  ++revision_;
}

const RecordedBlock* SourceView::recorded(const Explorer& explorer) const {
  const BlockRecorder& recording = explorer.board().get<BlockRecorder>();
  const bool is_of_code = recording.shown() && !recording.is_outdated() && code_ &&
                          recording.shown()->experiment.parameters == code_->experiment.parameters &&
                          recording.shown()->experiment.shape == code_->experiment.shape &&
                          recording.shown()->experiment.compiler == code_->experiment.compiler &&
                          recording.shown()->experiment.kernel == code_->experiment.kernel;
  return is_of_code ? recording.shown().get() : nullptr;
}

void SourceView::derive_heat(const Explorer& explorer, HeatMetric metric) {
  const SharedMeasurement checked =
      metric == HeatMetric::findings ? explorer.board().get<CheckRun>().result() : nullptr;
  const SharedMeasurement current = explorer.jobs().current_point();
  HeatInputs inputs{revision_,
                    explorer.board().get<KernelCounts>().revision(),
                    explorer.board().get<BlockRecorder>().revision(),
                    metric,
                    checked,
                    current};
  if (inputs == heat_inputs_) return;
  heat_inputs_ = std::move(inputs);
  HeatSources sources;
  const auto counts = explorer.board().get<KernelCounts>().shown();
  if (counts && is_of(*counts, *code_)) {
    sources.counts = &*counts->memory;
    if (counts->prediction) sources.prediction = &*counts->prediction;
    sources.instructions = &counts->instruction_times;
  }
  std::vector<MemorySite> block_sites;
  if (const RecordedBlock* block = recorded(explorer)) {
    sources.recording = &block->recording;
    block_sites = memory_sites(*block);
    sources.block_sites = &block_sites;
  }
  if (metric == HeatMetric::findings) sources.findings = findings_of(explorer);
  heat_ = line_heat(metric, listing_, sources);
  for (const CodeColumn column : all_code_columns)
    hottest_[static_cast<std::size_t>(column)] = hottest_rows(heat_, column);
  const std::string why_none = why_no_heat(explorer, metric);
  heat_words_ = fmt::format("{}: {}{}.", to_words(metric), heat_.total > 0 ? "" : "none, ", heat_.origin);
  if (!heat_.why_none.empty())
    heat_words_ = fmt::format("{}: {}", to_words(metric), why_none.empty() ? heat_.why_none : why_none);
}

/// The awaited result, or why it will not come; "" if there is nothing to say about it.
std::string SourceView::why_no_heat(const Explorer& explorer, HeatMetric metric) const {
  if (metric == HeatMetric::executions) {
    const BlockRecorder& recording = explorer.board().get<BlockRecorder>();
    return recording.waits() ? "tracing one block..." : recording.missing().text;
  }
  if (is_of_counts(metric)) {
    const KernelCounts& counts = explorer.board().get<KernelCounts>();
    return counts.waits() || counts.missing().text.empty() ? "counting..." : counts.missing().text;
  }
  return "";
}

void SourceView::derive_same_code(const Explorer& explorer) {
  SameCodeInputs inputs{revision_, explorer.points().revision(), explorer.kernels().revision(),
                        explorer.shown().compared()};
  if (inputs == same_code_inputs_) return;
  same_code_inputs_ = std::move(inputs);
  const Selection& selection = explorer.selection();
  same_code_.reset();
  if (code_->experiment.kernel != selection.experiment().kernel) return;  // a newer kernel is being listed
  same_code_ = find_same_code(
      selection.kernel(), selection.device(),
      {code_->experiment.parameters, code_->experiment.shape, code_->answer.machine_code.sha256},
      explorer.shown().compared().get(), explorer.points().list());
}

std::string SourceView::column_title(CodeColumn column) const {
  switch (column) {
    case CodeColumn::cuda:
      return listing_.file();
    case CodeColumn::ptx:
      return fmt::format("PTX, {} lines", format_count(static_cast<std::int64_t>(listing_.size(column))));
    case CodeColumn::sass:
      break;
  }
  const std::vector<std::string>& lines = listing_.lines(column);
  const auto instructions =
      std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return !line.ends_with(':'); });
  const std::string& program = code_->answer.machine_code.program;
  return fmt::format("SASS, {} instructions{}", format_count(instructions),
                     program.empty() ? "" : ", " + program);
}

std::string SourceView::why_empty(CodeColumn column) const {
  if (listing_.size(column) > 0) return "";
  if (column == CodeColumn::cuda) return "The source that was compiled cannot be read.";
  const Listing::Answer& answer = code_->answer;
  if (answer.status != Status::ok) return answer.reason;
  if (column == CodeColumn::sass && !answer.machine_code.why_none.empty())
    return answer.machine_code.why_none;
  return "The compiler made none.";
}

std::optional<FocusPlace> SourceView::place_of_focus(const Explorer& explorer) const {
  const MemoryFocus& focus = explorer.board().get<MemoryFocus>();
  const RecordedBlock* block = recorded(explorer);
  const auto site = block != nullptr ? focus.site_in(*block) : std::nullopt;
  std::uint32_t line = focus.line();
  std::optional<std::uint32_t> ptx_row;
  if (site) {
    const RecordedSite& chosen = block->recording.sites[*site];
    line = chosen.line;
    if (chosen.ptx_line >= 1 && chosen.ptx_line <= listing_.size(CodeColumn::ptx))
      ptx_row = chosen.ptx_line - 1;
  }
  if (site) {
    const auto place = file_and_line(accessing_place(block->recording.sites[*site].inlined));
    if (place && std::ranges::find(listing_.files(), place->first) != listing_.files().end())
      return FocusPlace{place->first, CodeColumn::cuda, static_cast<std::uint32_t>(place->second - 1),
                        ptx_row};
  }
  if (line >= 1) return FocusPlace{"", CodeColumn::cuda, line - 1, ptx_row};
  if (ptx_row) return FocusPlace{file_, CodeColumn::ptx, *ptx_row, ptx_row};
  return std::nullopt;
}

/// The site with the most excess among those that a row is linked to.
std::optional<std::uint32_t> SourceView::site_of(const RecordedBlock& block, CodeColumn column,
                                                 std::uint32_t row) const {
  const std::vector<std::uint32_t> rows = listing_.linked(column, row, CodeColumn::ptx);
  std::optional<std::uint32_t> best;
  for (std::uint32_t site = 0; site < block.recording.sites.size(); ++site) {
    const std::uint32_t line = block.recording.sites[site].ptx_line;
    if (line == 0 || !std::binary_search(rows.begin(), rows.end(), line - 1)) continue;
    if (!best || block.totals[*best].excess() < block.totals[site].excess()) best = site;
  }
  return best;
}

void SourceView::focus_on(Explorer& explorer, CodeColumn column, std::uint32_t row) const {
  const RecordedBlock* block = recorded(explorer);
  if (column == CodeColumn::cuda && listing_.is_main_file())
    return explorer.board().get<MemoryFocus>().choose_line(row + 1);
  if (const auto site = block != nullptr ? site_of(*block, column, row) : std::nullopt)
    return explorer.board().get<MemoryFocus>().choose_site(block->recording.sites[*site]);
  const std::uint32_t line = listing_.cuda_row(column, row);
  if (line != LinkedListing::no_row && listing_.is_main_file())
    explorer.board().get<MemoryFocus>().choose_line(line + 1);
}

}  // namespace tilescope
