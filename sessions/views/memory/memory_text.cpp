#include "sessions/views/memory/memory_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/format.hpp"

namespace tilescope {

SiteMemory memory_of(const MemorySite& site) {
  const std::string& operation = site.operation;
  if (operation.ends_with(".local")) return SiteMemory::local;
  const bool is_shared = operation.find(".shared") != std::string::npos || operation == "ldmatrix" ||
                         operation == "stmatrix" || operation == "cp.async";
  return is_shared ? SiteMemory::shared : SiteMemory::global;
}

std::string to_string(SiteMemory memory) {
  return memory == SiteMemory::shared ? "shared" : memory == SiteMemory::global ? "global" : "local";
}

bool is_shared_site(const MemorySite& site) {
  return memory_of(site) == SiteMemory::shared;
}

bool is_local_site(const MemorySite& site) {
  return memory_of(site) == SiteMemory::local;
}

std::string counts_origin(const MemoryCounts& counts, bool recorded) {
  const std::string origin = counts.kind == CountKind::counted ? "counted from " + counted_code(counts)
                                                               : "measured by the GPU's counters";
  return recorded ? "recorded, " + origin : origin;
}

std::string counted_code(const MemoryCounts& counts) {
  return counts.counted_from == CountedFrom::ptx ? "the PTX" : "the machine code";
}

std::string sample_sentence(const MemoryCounts& counts) {
  std::string text;
  if (counts.blocks_run != counts.blocks_total) {
    text = "Counted in " + format_count(counts.blocks_run) + " of " + format_count(counts.blocks_total) +
           " blocks and scaled to the grid.";
  }
  if (counts.counted_from != CountedFrom::ptx) return text;
  return text + (text.empty() ? "" : " ") + "The GPU may need fewer instructions than the PTX has.";
}

std::string place_words(const MemorySite& site, const std::string& kernel_file) {
  if (site.line == 0) return code_place(site.address, site.ptx_line);
  const std::string inner = accessing_place(site.inlined);
  const std::string within = inner.empty() ? "" : ", " + inner;
  if (site.file.empty() || site.file == kernel_file) return "line " + std::to_string(site.line) + within;
  return site.file + ":" + std::to_string(site.line) + within;
}

std::string site_words(const MemorySite& site) {
  std::string text = site.operation + (site.tile.empty() ? "" : " of " + site.tile) + ", " +
                     format_count(site.width_bytes) + " B: ";
  if (!is_shared_site(site)) {
    return text + format_count(site.wavefronts) + " sectors, " + format_count(site.conflicts) + " excess";
  }
  if (site.conflicts == 0) return text + format_count(site.wavefronts) + " wavefronts, no conflicts";
  return text + "up to " + format_count(site.worst_degree) + "-way, " + format_count(site.conflicts) +
         " excess";
}

std::string mix_words(const MemoryCounts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> pipes(counts.instructions.begin(),
                                                          counts.instructions.end());
  std::stable_sort(pipes.begin(), pipes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::int64_t total = 0;
  for (const auto& [pipe, count] : pipes) total += count;
  std::string text;
  for (const auto& [pipe, count] : pipes) {
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + pipe + " " +
            format_percent(static_cast<double>(count) / static_cast<double>(total));
  }
  return text;
}

std::string finding_title(const Finding& finding) {
  std::string title = finding.kind;
  std::replace(title.begin(), title.end(), '_', ' ');
  return capitalised(std::move(title));
}

}  // namespace tilescope
