#include "profiler/views/memory/traced_block.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "profiler/views/memory/access_sites.hpp"

namespace tilescope {
namespace {

std::vector<std::uint32_t> worst_of_rows(const TracedBlock& traced) {
  const auto rank = [&](std::uint32_t site) {
    const SiteTotals& totals = traced.totals[site];
    return std::tuple(totals.excess(), totals.wavefronts);
  };
  std::vector<std::uint32_t> list;
  for (const AccessSiteRow& row : access_site_rows(memory_sites(traced), "")) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t site = 0; site < traced.window.sites.size(); ++site) {
      if (!is_same_site(row, traced.window.sites[site])) continue;
      if (!best || rank(*best) < rank(site)) best = site;
    }
    if (best) list.push_back(*best);
  }
  return list;
}

}  // namespace

std::optional<std::uint32_t> TracedBlock::worst_site() const {
  return worst_first.empty() ? std::nullopt : std::optional(worst_first.front());
}

std::optional<std::uint32_t> TracedBlock::worst_site_of_line(std::uint32_t line,
                                                             const std::string& inlined_place) const {
  std::optional<std::uint32_t> of_line;
  for (const std::uint32_t site : worst_first) {
    if (window.sites[site].line != line) continue;
    if (inlined_place.empty() || accessing_place(window.sites[site].inlined) == inlined_place) return site;
    if (!of_line) of_line = site;
  }
  return of_line;
}

void sum_up(TracedBlock& traced) {
  const RecordedWindow& window = traced.window;
  traced.totals.assign(window.sites.size(), {});
  traced.accesses_of.assign(window.sites.size(), {});
  for (std::size_t i = 0; i < window.accesses.size(); ++i) {
    const WindowAccess& access = window.accesses[i];
    SiteTotals& totals = traced.totals[access.site];
    const auto excess = static_cast<std::uint32_t>(access.wavefronts - access.minimum);
    if (excess > totals.most_excess) {
      totals.most_excess = excess;
      totals.worst_execution = static_cast<std::size_t>(totals.executions);
    }
    totals.executions += 1;
    totals.lanes += static_cast<std::uint64_t>(std::popcount(window.patterns[access.pattern].lanes));
    totals.wavefronts += access.wavefronts;
    totals.minimum += access.minimum;
    totals.worst_degree = std::max<std::uint32_t>(totals.worst_degree, access.degree);
    traced.accesses_of[access.site].push_back(static_cast<std::uint32_t>(i));
  }
  const auto shared_bytes = static_cast<std::int64_t>(traced.shared_bytes());
  traced.words = count_words(window, (shared_bytes + bank_word_bytes - 1) / bank_word_bytes);
  traced.worst_first = worst_of_rows(traced);
}

std::vector<MemorySite> memory_sites(const TracedBlock& traced) {
  std::vector<MemorySite> sites;
  for (std::size_t i = 0; i < traced.window.sites.size(); ++i) {
    const WindowSite& site = traced.window.sites[i];
    const SiteTotals& totals = traced.totals[i];
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
