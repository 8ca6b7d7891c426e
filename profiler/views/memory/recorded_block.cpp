#include "profiler/views/memory/recorded_block.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "profiler/views/memory/access_sites.hpp"

namespace tilescope {
namespace {

std::vector<std::uint32_t> worst_of_rows(const RecordedBlock& recorded) {
  const auto rank = [&](std::uint32_t site) {
    const SiteTotals& totals = recorded.totals[site];
    return std::tuple(totals.excess(), totals.wavefronts);
  };
  std::vector<std::uint32_t> list;
  for (const AccessSiteRow& row : access_site_rows(memory_sites(recorded), "")) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t site = 0; site < recorded.recording.sites.size(); ++site) {
      if (!is_same_site(row, recorded.recording.sites[site])) continue;
      if (!best || rank(*best) < rank(site)) best = site;
    }
    if (best) list.push_back(*best);
  }
  return list;
}

}  // namespace

std::optional<std::uint32_t> RecordedBlock::worst_site() const {
  return worst_first.empty() ? std::nullopt : std::optional(worst_first.front());
}

std::optional<std::uint32_t> RecordedBlock::worst_site_of_line(std::uint32_t line,
                                                               const std::string& inlined_place) const {
  std::optional<std::uint32_t> of_line;
  for (const std::uint32_t site : worst_first) {
    if (recording.sites[site].line != line) continue;
    if (inlined_place.empty() || accessing_place(recording.sites[site].inlined) == inlined_place) return site;
    if (!of_line) of_line = site;
  }
  return of_line;
}

void sum_up(RecordedBlock& recorded) {
  const BlockRecording& recording = recorded.recording;
  recorded.totals.assign(recording.sites.size(), {});
  recorded.accesses_of.assign(recording.sites.size(), {});
  for (std::size_t i = 0; i < recording.accesses.size(); ++i) {
    const RecordedAccess& access = recording.accesses[i];
    SiteTotals& totals = recorded.totals[access.site];
    const auto excess = static_cast<std::uint32_t>(access.wavefronts - access.minimum);
    if (excess > totals.most_excess) {
      totals.most_excess = excess;
      totals.worst_execution = static_cast<std::size_t>(totals.executions);
    }
    totals.executions += 1;
    totals.lanes += static_cast<std::uint64_t>(std::popcount(recording.patterns[access.pattern].lanes));
    totals.wavefronts += access.wavefronts;
    totals.minimum += access.minimum;
    totals.worst_degree = std::max<std::uint32_t>(totals.worst_degree, access.degree);
    recorded.accesses_of[access.site].push_back(static_cast<std::uint32_t>(i));
  }
  const auto shared_bytes = static_cast<std::int64_t>(recorded.shared_bytes());
  recorded.words = count_words(recording, (shared_bytes + bank_word_bytes - 1) / bank_word_bytes);
  recorded.worst_first = worst_of_rows(recorded);
}

std::vector<MemorySite> memory_sites(const RecordedBlock& recorded) {
  std::vector<MemorySite> sites;
  for (std::size_t i = 0; i < recorded.recording.sites.size(); ++i) {
    const RecordedSite& site = recorded.recording.sites[i];
    const SiteTotals& totals = recorded.totals[i];
    MemorySite& sum = sites.emplace_back();
    sum.line = site.line;
    sum.ptx_line = site.ptx_line;
    sum.address = site.address;
    sum.inlined = site.inlined;
    sum.operation = site.operation;
    sum.width_bytes = site.width_bytes;
    sum.tile = site.tile;
    sum.instruction = site.instruction;
    sum.executions = static_cast<std::int64_t>(totals.executions);
    sum.lanes = static_cast<std::int64_t>(totals.lanes);
    sum.wavefronts = static_cast<std::int64_t>(totals.wavefronts);
    sum.minimum = static_cast<std::int64_t>(totals.minimum);
    sum.conflicts = static_cast<std::int64_t>(totals.excess());
    sum.worst_degree = totals.worst_degree;
  }
  return sites;
}

}  // namespace tilescope
