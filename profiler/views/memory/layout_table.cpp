#include "profiler/views/memory/layout_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "profiler/explanation/layouts/index_expression.hpp"

namespace tilescope {
namespace {

std::string count_words(std::uint64_t count) {
  return format_count(static_cast<std::int64_t>(count));
}

std::string bytes_words(std::int64_t bytes) {
  return format_count(bytes) + " B";
}

std::string difference_words(std::int64_t bytes) {
  return bytes == 0 ? "0 B" : (bytes > 0 ? "+" : "-") + bytes_words(bytes > 0 ? bytes : -bytes);
}

std::string against_words(std::uint64_t now, std::uint64_t with) {
  if (now == with || with == 0 || now == 0) return "same";
  const bool is_fewer = with < now;
  const double ratio = is_fewer ? static_cast<double>(now) / static_cast<double>(with)
                                : static_cast<double>(with) / static_cast<double>(now);
  const std::string number = fmt::format("{:.{}f}", ratio, ratio < 10 ? 2 : 1);
  if (number == "1.00") return is_fewer ? "slightly fewer" : "slightly more";
  return number + (is_fewer ? "x fewer" : "x more");
}

std::string kernel_has_words(const SolvedTile& solved, const RankedLayout& layout) {
  std::string words;
  for (const OfferedLayout& offer : layout.offered) {
    const KernelLayout& there = solved.kernel_layouts[offer.layout];
    words += (words.empty() ? "" : ", ") + there.parameter + "=" + to_string(there.value);
  }
  return words;
}

// A name says what it is, a number does not.
std::string kernel_value_words(const SolvedTile& solved, const RankedLayout& layout) {
  std::string words;
  for (const OfferedLayout& offer : layout.offered) {
    const KernelLayout& there = solved.kernel_layouts[offer.layout];
    const bool is_name = std::holds_alternative<std::string>(there.value);
    words += (words.empty() ? "" : ", ") + (is_name ? "" : there.parameter + "=") + to_string(there.value);
  }
  return words;
}

const RankedLayout& current_of(const SolvedTile& solved) {
  return solved.layouts[solved.current];
}

// Short enough for a column: where names differ is at their end.
std::string name_of(const SolvedTile& solved, const RankedLayout& ranked) {
  if (!ranked.layout || !ranked.layout->swizzle) return ranked.words;
  const std::int64_t padding = ranked.layout->padding;
  return (padding > 0 ? to_words({padding}) + ", " : "") +
         (ranked.cutlass.empty() ? "XOR " + xor_source_words(*ranked.layout, solved.shape) : ranked.cutlass);
}

// "Block: 30,976 B of shared memory, 2,048 B more than now (other tiles change too)."
std::string shared_words(const SolvedTile& solved, const RankedLayout& layout) {
  const std::int64_t bytes = solved.shared_bytes_with(layout);
  const std::int64_t more = bytes - solved.shared_bytes;
  std::string words = "Block: " + bytes_words(bytes) + " of shared memory, ";
  words += more == 0 ? "as now" : bytes_words(std::abs(more)) + (more > 0 ? " more" : " less") + " than now";
  if (solved.changes_other_tiles(layout)) words += " (other tiles change too)";
  return words + ".";
}

LayoutRow row_of(const SolvedTile& solved, std::size_t index) {
  const RankedLayout& layout = solved.layouts[index];
  const RankedLayout& current = current_of(solved);
  LayoutRow row;
  row.layout = index;
  row.words = layout.words;
  row.name = name_of(solved, layout);
  row.reason = layout.reason;
  row.padding = difference_words(layout.padding_bytes - current.padding_bytes);
  row.shared = bytes_words(solved.shared_bytes_with(layout));
  row.kernel_has = kernel_value_words(solved, layout);
  row.state = layout.is_current ? LayoutRow::State::current
              : layout.works    ? LayoutRow::State::works
                                : LayoutRow::State::fails;
  if (!layout.works) return row;
  row.rank = format_count(static_cast<std::int64_t>(index) + 1);
  row.wavefronts = count_words(layout.cost.wavefronts);
  row.excess = count_words(layout.cost.excess());
  row.against = against_words(current.cost.wavefronts, layout.cost.wavefronts);
  return row;
}

// [B] From one row to the next, where all are that far apart.
std::int64_t declared_pitch(const SolvedTile& solved) {
  if (solved.tile.layout) return solved.tile.layout->pitch * solved.shape.element_bytes;
  return solved.shape.row_bytes();
}

std::string tile_words(const SolvedTile& solved) {
  const TileShape& shape = solved.shape;
  if (solved.is_declared) {
    return fmt::format("{} x {} elements of {} B, rows {} B apart.", format_count(shape.rows),
                       format_count(shape.columns), shape.element_bytes,
                       format_count(declared_pitch(solved)));
  }
  if (shape.rows < 2) {
    return fmt::format(
        "{} B without declared rows: only swizzles of the offset are tried. Enter the row pitch to try "
        "paddings.",
        format_count(solved.tile.bytes));
  }
  const std::string rows =
      fmt::format("{} rows of {} B", format_count(shape.rows), format_count(shape.row_bytes()));
  if (solved.has_rows_of_lanes)
    return rows + ": the distance between lanes that conflict, as nothing declares rows.";
  return rows + ".";
}

std::string name_on_elements(const CandidateLayout& layout, const TileShape& shape) {
  const int bits = std::countr_zero(static_cast<std::uint64_t>(shape.element_bytes));
  CandidateLayout on_elements = layout;
  on_elements.swizzle->base -= bits;
  return cutlass_name(on_elements);
}

std::string index_unit(const SolvedTile& solved, const RankedLayout& ranked) {
  if (!solved.counts_elements) return "in bytes from the start of the tile";
  std::string unit =
      fmt::format("in elements of {} B from the start of the tile", solved.shape.element_bytes);
  if (!solved.has_rows_of_lanes) return unit;
  if (ranked.index.find("row") == std::string::npos) return unit + ", of the offset of an element now";
  return unit + fmt::format("; row = i / {0}, column = i % {0} of an index i now", solved.shape.columns);
}

const SiteCost* find_site(const LayoutCost& cost, std::uint32_t site) {
  const auto found = std::find_if(cost.sites.begin(), cost.sites.end(),
                                  [&](const SiteCost& each) { return each.site == site; });
  return found == cost.sites.end() ? nullptr : &*found;
}

// How the present layout stands among those that work.
std::string standing_words(const SolvedTile& solved, std::size_t working) {
  const LayoutCost& now = current_of(solved).cost;
  const auto fewer = std::count_if(
      solved.layouts.begin(), solved.layouts.end(),
      [&](const RankedLayout& each) { return each.works && each.cost.wavefronts < now.wavefronts; });
  if (fewer > 0)
    return fmt::format("{} of the {} layouts that work take fewer wavefronts. ", format_count(fewer),
                       count_words(working));
  if (now.excess() == 0) return "no layout takes fewer wavefronts, as this is the minimum. ";
  return fmt::format(
      "none of the {} layouts that work takes fewer wavefronts, so no layout that was tried avoids the {} "
      "excess ones. ",
      count_words(working), count_words(now.excess()));
}

// "65,536 to 8,192"
std::string change_words(std::uint64_t before, std::uint64_t after) {
  return before == after ? count_words(before) : count_words(before) + " to " + count_words(after);
}

struct SiteSum {
  std::uint32_t site = 0;
  SiteCost before, after;
};

void add(SiteCost& sum, const SiteCost& cost) {
  sum.executions += cost.executions;
  sum.wavefronts += cost.wavefronts;
  sum.minimum += cost.minimum;
}

// By operation and line, the most excess first.
std::vector<SiteSum> sum_sites(const BlockRecording& recording, const LayoutCost& before,
                               const LayoutCost* after) {
  std::vector<SiteSum> sums;
  for (const SiteCost& cost : before.sites) {
    const RecordedSite& site = recording.sites[cost.site];
    const auto is_same = [&](const SiteSum& sum) {
      const RecordedSite& other = recording.sites[sum.site];
      return other.operation == site.operation && place_words(other) == place_words(site);
    };
    auto sum = std::find_if(sums.begin(), sums.end(), is_same);
    if (sum == sums.end()) sum = sums.insert(sums.end(), SiteSum{cost.site, {}, {}});
    add(sum->before, cost);
    const SiteCost* now = after == nullptr ? nullptr : find_site(*after, cost.site);
    if (now != nullptr) add(sum->after, *now);
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const SiteSum& a, const SiteSum& b) { return a.before.excess() > b.before.excess(); });
  return sums;
}

LayoutSiteRow site_row(const RecordedSite& site, const SiteSum& sum, bool has_after) {
  LayoutSiteRow row;
  row.site = sum.site;
  row.operation = site.operation;
  row.place = place_words(site);
  row.executions = count_words(sum.before.executions);
  row.wavefronts =
      change_words(sum.before.wavefronts, has_after ? sum.after.wavefronts : sum.before.wavefronts);
  row.excess = change_words(sum.before.excess(), has_after ? sum.after.excess() : sum.before.excess());
  if (!has_after) return row;
  row.tone = sum.after.wavefronts < sum.before.wavefronts   ? Tone::good
             : sum.after.wavefronts > sum.before.wavefronts ? Tone::bad
                                                            : Tone::plain;
  return row;
}

}  // namespace

LayoutTable layout_table(const SolvedTile& solved, const std::vector<std::string>& other_tiles) {
  LayoutTable table;
  table.tile = tile_words(solved);
  const LayoutCost& now = current_of(solved).cost;
  table.cost = fmt::format("{} accesses of this block take {} wavefronts; the minimum is {}.",
                           count_words(solved.accesses.executions), count_words(now.wavefronts),
                           count_words(now.minimum));
  if (!other_tiles.empty()) {
    table.notes.push_back("Shares its bytes with " + fmt::format("{}", fmt::join(other_tiles, ", ")) +
                          ": accesses of both are counted as its own.");
  }
  if (solved.accesses.with_fixed_lanes > 0) {
    table.notes.push_back(fmt::format(
        "{} accesses reach bytes outside of elements, such as padding: those bytes stay where they are.",
        count_words(solved.accesses.with_fixed_lanes)));
  }
  for (std::size_t i = 0; i < solved.layouts.size(); ++i) {
    table.rows.push_back(row_of(solved, i));
    if (solved.layouts[i].works) ++table.working;
  }
  table.current = solved.current;
  const RankedLayout& present = current_of(solved);
  table.present =
      fmt::format("Now {}{}{}", present.words,
                  present.works ? ": " + standing_words(solved, table.working) : ". ", present.reason);
  return table;
}

LayoutDetail layout_detail(const SolvedTile& solved, const BlockRecording& recording, std::size_t layout) {
  const RankedLayout& ranked = solved.layouts.at(layout);
  const RankedLayout& current = current_of(solved);
  LayoutDetail detail;
  detail.words = ranked.words;
  detail.reason = ranked.reason;
  for (const SiteSum& sum : sum_sites(recording, current.cost, ranked.works ? &ranked.cost : nullptr))
    detail.sites.push_back(site_row(recording.sites[sum.site], sum, ranked.works));
  if (!ranked.cutlass.empty()) {
    detail.cutlass = ranked.cutlass + " on bytes";
    if (solved.counts_elements && solved.shape.element_bytes > 1)
      detail.cutlass += ", " + name_on_elements(*ranked.layout, solved.shape) + " on elements";
  }
  detail.index = ranked.index;
  detail.index_unit = index_unit(solved, ranked);
  detail.shared = shared_words(solved, ranked);
  return detail;
}

std::string layout_csv(const SolvedTile& solved) {
  CsvText csv;
  csv.add({"rank", "layout", "cutlass (bytes)", "wavefronts", "minimum", "excess", "padding [B]",
           "block's shared memory [B]", "current", "kernel has it", "index expression", "why"});
  for (std::size_t i = 0; i < solved.layouts.size(); ++i) {
    const RankedLayout& layout = solved.layouts[i];
    const auto number = [&](std::uint64_t value) { return layout.works ? std::to_string(value) : ""; };
    csv.add({layout.works ? std::to_string(i + 1) : "", layout.words, layout.cutlass,
             number(layout.cost.wavefronts), number(layout.cost.minimum), number(layout.cost.excess()),
             std::to_string(layout.padding_bytes), std::to_string(solved.shared_bytes_with(layout)),
             layout.is_current ? "yes" : "", kernel_has_words(solved, layout), layout.index, layout.reason});
  }
  return csv.text();
}

AppliedWords applied_words(const AppliedLayout& applied) {
  AppliedWords words{applied.change + " applied", ""};
  words.text = fmt::format("{}: {} wavefronts before, {} promised, ", applied.tile,
                           count_words(applied.before), count_words(applied.promised));
  words.text += applied.traced ? count_words(*applied.traced) + " traced." : "being traced...";
  words.text += " Block: " + bytes_words(applied.shared_before) + " of shared memory before";
  words.text += applied.shared_after == applied.shared_before
                    ? " and now."
                    : ", " + bytes_words(applied.shared_after) + " now.";
  if (applied.has_other_accesses)
    words.text +=
        " The kernel makes other accesses to the tile with this value, which a promise does not have.";
  return words;
}

std::vector<std::string> overlapping_tiles(const TileRange& tile, const std::vector<TileRange>& tiles) {
  std::vector<std::string> names;
  for (const TileRange& other : tiles) {
    const bool overlaps = other.offset < tile.offset + tile.bytes && tile.offset < other.offset + other.bytes;
    if (overlaps && other.name != tile.name) names.push_back(other.name);
  }
  return names;
}

}  // namespace tilescope
