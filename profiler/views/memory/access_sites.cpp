#include "profiler/views/memory/access_sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

bool is_worse(const AccessSiteRow& a, const AccessSiteRow& b) {
  const auto badness = [](const AccessSiteRow& row) {
    // A recorded block has no accesses to local memory, and the worst site is looked for there.
    return std::tuple(row.memory != SiteMemory::local, row.is_shared() && row.site.conflicts > 0,
                      row.site.conflicts, row.is_shared(), row.site.wavefronts);
  };
  if (badness(a) != badness(b)) return badness(a) > badness(b);
  // Equal ones go by their place in the source, so that a block and the whole kernel have the same order.
  return std::tie(a.site.line, a.site.operation, a.site.tile) <
         std::tie(b.site.line, b.site.operation, b.site.tile);
}

// Number by which a column is sorted.
double amount_of(const AccessSiteRow& row, SiteColumn column) {
  const MemorySite& site = row.site;
  switch (column) {
    case SiteColumn::place:
      return static_cast<double>(site.line != 0 ? site.line : site.ptx_line);
    case SiteColumn::width:
      return static_cast<double>(site.width_bytes);
    case SiteColumn::executions:
      return static_cast<double>(site.executions);
    case SiteColumn::cost:
      return static_cast<double>(site.wavefronts);
    case SiteColumn::minimum:
      return static_cast<double>(site.minimum);
    case SiteColumn::excess:
      return static_cast<double>(site.conflicts);
    case SiteColumn::degree:
      return static_cast<double>(site.worst_degree);
    case SiteColumn::excess_share:
      return row.excess_share;
    case SiteColumn::cost_share:
      return row.cost_share;
    case SiteColumn::per_execution:
      return row.per_execution;
    case SiteColumn::lanes:
      return row.lanes;
    case SiteColumn::operation:
    case SiteColumn::tile:
      break;
  }
  return 0;
}

bool comes_before(const AccessSiteRow& a, const AccessSiteRow& b, SiteColumn column) {
  if (column == SiteColumn::operation) return a.site.operation < b.site.operation;
  if (column == SiteColumn::tile) return a.site.tile < b.site.tile;
  if (column == SiteColumn::place)
    return std::tuple(a.own_line == 0, a.site.file, amount_of(a, column)) <
           std::tuple(b.own_line == 0, b.site.file, amount_of(b, column));
  return amount_of(a, column) < amount_of(b, column);
}

bool ascends_first(SiteColumn column) {
  return column == SiteColumn::place || column == SiteColumn::operation || column == SiteColumn::tile;
}

bool is_listed(const AccessSiteRow& row, SiteKind kind) {
  switch (kind) {
    case SiteKind::all:
      return true;
    case SiteKind::shared:
      return row.memory == SiteMemory::shared;
    case SiteKind::global:
      return row.memory == SiteMemory::global;
    case SiteKind::local:
      return row.memory == SiteMemory::local;
  }
  return true;
}

std::vector<MemorySite> merged(const std::vector<MemorySite>& sites) {
  // Without a line there is nothing to say that two instructions are one access.
  const auto key = [](const MemorySite& site) {
    return std::tuple(site.file, site.line, site.line == 0 ? site.ptx_line : 0,
                      site.line == 0 && site.ptx_line == 0 ? site.address : std::nullopt,
                      innermost_places(site.inlined), site.operation, site.width_bytes, site.tile);
  };
  std::map<decltype(key(sites.front())), std::size_t> places;
  std::vector<MemorySite> list;
  for (const MemorySite& site : sites) {
    const auto [entry, is_new] = places.try_emplace(key(site), list.size());
    if (is_new) {
      list.push_back(site);
      continue;
    }
    MemorySite& sum = list[entry->second];
    sum.executions += site.executions;
    sum.lanes += site.lanes;
    sum.wavefronts += site.wavefronts;
    sum.minimum += site.minimum;
    sum.conflicts += site.conflicts;
    sum.worst_degree = std::max(sum.worst_degree, site.worst_degree);
  }
  return list;
}

}  // namespace

std::string memory_words(SiteKind kind) {
  switch (kind) {
    case SiteKind::all:
      break;
    case SiteKind::shared:
      return "shared";
    case SiteKind::global:
      return "global";
    case SiteKind::local:
      return "local";
  }
  return "any";
}

std::vector<AccessSiteRow> access_site_rows(const std::vector<MemorySite>& all,
                                            const std::string& kernel_file) {
  const std::vector<MemorySite> sites = merged(all);
  std::map<SiteMemory, std::int64_t> excess, cost;
  for (const MemorySite& site : sites) {
    excess[memory_of(site)] += site.conflicts;
    cost[memory_of(site)] += site.wavefronts;
  }
  std::vector<AccessSiteRow> rows;
  for (const MemorySite& site : sites) {
    AccessSiteRow& row = rows.emplace_back();
    row.site = site;
    row.memory = memory_of(site);
    row.excess_share = share(site.conflicts, excess[row.memory]);
    row.cost_share = share(site.wavefronts, cost[row.memory]);
    row.per_execution = share(site.wavefronts, site.executions);
    row.lanes = share(site.lanes, site.executions);
    row.place = place_words(site, kernel_file);
    if (site.file.empty() || site.file == kernel_file) row.own_line = static_cast<std::uint32_t>(site.line);
    row.inlined_place = accessing_place(site.inlined);
  }
  std::ranges::stable_sort(rows, is_worse);
  return rows;
}

const std::vector<SiteColumnText>& site_columns() {
  static const std::vector<SiteColumnText> columns = {
      {SiteColumn::place, "line", "Line",
       "Line of the kernel's file, for an inlined function its call's; then the place in the inlined "
       "code, where that is deeper",
       false},
      {SiteColumn::operation, "operation", "Operation", "What the instruction does", false},
      {SiteColumn::tile, "tile", "Tile", "The tile of shared memory, or the buffer of global memory", false},
      {SiteColumn::degree, "degree", "Degree",
       "The most wavefronts that one pass took; 1-way is free of conflicts"},
      {SiteColumn::excess, "excess", "Excess", "Wavefronts or sectors beyond the minimum"},
      {SiteColumn::excess_share, "excess_share", "Of excess",
       "Share of the excess of all accesses to shared, or to global, memory"},
      {SiteColumn::cost, "cost", "Cost",
       "Wavefronts of an access to shared memory, sectors of one to global memory"},
      {SiteColumn::cost_share, "cost_share", "Of cost",
       "Share of the wavefronts of all accesses to shared memory, or of the sectors of all to global memory"},
      {SiteColumn::width, "width", "B/lane", "Bytes that one lane moves"},
      {SiteColumn::minimum, "minimum", "Minimum", "The minimum for these lanes and this width"},
      {SiteColumn::per_execution, "per_execution", "Per request",
       "Wavefronts per instruction on shared memory, sectors per request to global memory"},
      {SiteColumn::executions, "executions", "Executions",
       "Executions of this access with at least one active lane, by all warps of what is counted: the whole "
       "kernel, or one block where the text above says so. Executions in the panel Source count all "
       "instructions of a line, in one block"},
      {SiteColumn::lanes, "lanes", "Lanes", "Active lanes of 32, on average"},
  };
  return columns;
}

std::string site_header(const SiteColumnText& column, SiteKind kind) {
  if (column.column != SiteColumn::cost || kind == SiteKind::all) return column.header;
  return kind == SiteKind::shared ? "Wavefronts" : "Sectors";
}

std::vector<std::uint32_t> ordered_sites(const std::vector<AccessSiteRow>& rows, const SiteOrder& order) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (is_listed(rows[i], order.kind)) list.push_back(i);
  }
  if (!order.is_sorted) return list;
  std::ranges::stable_sort(list, [&](std::uint32_t a, std::uint32_t b) {
    return order.descending ? comes_before(rows[b], rows[a], order.column)
                            : comes_before(rows[a], rows[b], order.column);
  });
  return list;
}

SiteOrder sorted_by_next(SiteOrder order, SiteColumn column) {
  const bool first = !ascends_first(column);
  if (!order.is_sorted || order.column != column) {
    order.descending = first;
  } else if (order.descending != first) {
    order.is_sorted = false;
    return order;
  } else {
    order.descending = !first;
  }
  order.is_sorted = true;
  order.column = column;
  return order;
}

std::string site_cell(const AccessSiteRow& row, SiteColumn column) {
  const MemorySite& site = row.site;
  switch (column) {
    case SiteColumn::place:
      if (row.own_line == 0) return row.place;
      return std::to_string(row.own_line) + (row.inlined_place.empty() ? "" : " " + row.inlined_place);
    case SiteColumn::operation:
      return site.operation;
    case SiteColumn::tile:
      return site.tile;
    case SiteColumn::degree:
      return row.is_shared() ? std::to_string(site.worst_degree) + "-way" : "-";
    case SiteColumn::excess_share:
      return format_percent(row.excess_share);
    case SiteColumn::cost_share:
      return format_percent(row.cost_share);
    case SiteColumn::per_execution:
      return format_number(row.per_execution, 2);
    case SiteColumn::lanes:
      return format_number(row.lanes, 1);
    default:
      return format_count(static_cast<std::int64_t>(amount_of(row, column)));
  }
}

std::vector<std::size_t> site_letters(const std::vector<AccessSiteRow>& rows) {
  std::vector<std::size_t> letters;
  for (const SiteColumnText& column : site_columns()) {
    std::size_t& most = letters.emplace_back(0);
    for (const AccessSiteRow& row : rows) most = std::max(most, site_cell(row, column.column).size());
  }
  return letters;
}

std::string order_words(const std::vector<AccessSiteRow>& rows, const SiteOrder& order) {
  const auto has_excess = [&](bool is_shared) {
    return std::ranges::any_of(rows, [&](const AccessSiteRow& row) {
      return row.is_shared() == is_shared && row.site.conflicts > 0;
    });
  };
  if (order.is_sorted || order.kind != SiteKind::all || !has_excess(true) || !has_excess(false)) return "";
  return "Bank conflicts first, then excess sectors of global memory.";
}

std::string access_sites_csv(const std::vector<AccessSiteRow>& rows,
                             const std::vector<std::uint32_t>& order) {
  CsvText text;
  text.add({"memory", "file", "line", "ptx_line", "operation", "tile", "width_bytes", "executions", "lanes",
            "wavefronts_or_sectors", "minimum", "excess", "worst_degree", "share_of_excess", "share_of_total",
            "per_execution", "instruction"});
  for (const std::uint32_t index : order) {
    const AccessSiteRow& row = rows[index];
    const MemorySite& site = row.site;
    text.add({to_string(row.memory), site.file, std::to_string(site.line), std::to_string(site.ptx_line),
              site.operation, site.tile, std::to_string(site.width_bytes), std::to_string(site.executions),
              std::to_string(site.lanes), std::to_string(site.wavefronts), std::to_string(site.minimum),
              std::to_string(site.conflicts), row.is_shared() ? std::to_string(site.worst_degree) : "",
              csv_number(row.excess_share), csv_number(row.cost_share), csv_number(row.per_execution),
              site.instruction});
  }
  return text.text();
}

namespace {

std::string short_place(const AccessSiteRow& row) {
  const MemorySite& site = row.site;
  const std::string line = row.inlined_place.empty() ? std::to_string(row.own_line) : row.inlined_place;
  return (row.own_line != 0 ? line : row.place) + " " + site.operation +
         (site.tile.empty() ? "" : " " + site.tile);
}

// "8-way", "uncoalesced", "no excess"
std::string short_verdict(const AccessSiteRow& row) {
  if (row.site.conflicts == 0) return "no excess";
  if (row.memory == SiteMemory::local) return "lanes at different indices";
  return row.is_shared() ? fmt::format("{}-way", row.site.worst_degree) : "uncoalesced";
}

}  // namespace

std::string site_label(const AccessSiteRow& row) {
  const std::string text = short_place(row) + ", " + short_verdict(row);
  return row.site.conflicts == 0 ? text : text + ", " + format_short(row.site.conflicts) + " excess";
}

std::vector<std::string> site_previews(const AccessSiteRow& row, bool is_worst) {
  const std::string label = site_label(row);
  const std::string whole = row.site.conflicts == 0 ? label : label + " in this block";
  std::vector<std::string> texts;
  if (is_worst) texts.push_back("Worst: " + whole);
  texts.insert(texts.end(), {whole, label, short_place(row) + ", " + short_verdict(row), short_place(row)});
  return texts;
}

bool is_same_site(const AccessSiteRow& row, const RecordedSite& site) {
  const bool same_code = row.site.ptx_line == static_cast<std::int64_t>(site.ptx_line) &&
                         (site.ptx_line != 0 || row.site.address == site.address);
  const bool same_place = row.own_line != 0 ? site.line == row.own_line : same_code;
  return same_place && row.site.operation == site.operation && row.site.tile == site.tile &&
         row.site.width_bytes == static_cast<std::int64_t>(site.width_bytes) &&
         innermost_places(row.site.inlined) == innermost_places(site.inlined);
}

std::vector<std::uint32_t> copies_of(const BlockRecording& recording, std::uint32_t site) {
  const RecordedSite& one = recording.sites[site];
  if (one.line == 0) return {site};
  const std::vector<std::string> places = innermost_places(one.inlined);
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = 0; i < recording.sites.size(); ++i) {
    const RecordedSite& other = recording.sites[i];
    if (std::tie(other.line, other.operation, other.tile, other.width_bytes) ==
            std::tie(one.line, one.operation, one.tile, one.width_bytes) &&
        innermost_places(other.inlined) == places)
      copies.push_back(i);
  }
  std::ranges::stable_sort(copies, {}, [&](std::uint32_t index) {
    return std::tuple(recording.sites[index].address, recording.sites[index].ptx_line);
  });
  return copies;
}

RecordedSite recorded_site(const AccessSiteRow& row) {
  RecordedSite site;
  site.is_shared = row.is_shared();
  site.line = row.own_line;
  site.ptx_line = static_cast<std::uint32_t>(row.site.ptx_line);
  site.operation = row.site.operation;
  site.tile = row.site.tile;
  site.inlined = row.site.inlined;
  site.width_bytes = static_cast<std::uint32_t>(row.site.width_bytes);
  return site;
}

std::string whole_kernel_words(const MemoryCounts& counts) {
  const std::string total = format_count(counts.blocks_total);
  const std::string code = counted_code(counts);
  if (counts.blocks_run == counts.blocks_total) {
    return fmt::format("Whole kernel: {}, from {}",
                       counts.blocks_total == 1 ? "1 block" : "all " + total + " blocks", code);
  }
  return fmt::format("Whole kernel: counted in {} of {} blocks and scaled, from {}",
                     format_count(counts.blocks_run), total, code);
}

}  // namespace tilescope
