#include "profiler/views/memory/microscope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text/format.hpp"
#include "profiler/execution/memory/shared_passes.hpp"
#include "profiler/views/memory/access_reason.hpp"
#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {
namespace {

std::string count_of(std::uint64_t count) {
  return format_count(static_cast<std::int64_t>(count));
}

void place_lanes(MicroscopeView& view, const BlockRecording& recording, const TileFinder& tiles,
                 const RecordedAccess& access) {
  const RecordedPattern& pattern = recording.patterns[access.pattern];
  const auto addresses = addresses_of(recording, access);
  for (simt::LaneMask rest = pattern.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    LaneView& shown = view.lanes[lane];
    shown.role = LaneRole::alone;
    shown.address = addresses[lane];
    if ((pattern.source_lanes >> lane & 1u) != 0) shown.source = source_addresses_of(recording, access)[lane];
    if (!view.site.is_shared) continue;
    shown.place = tiles.place(shown.address);
  }
}

void take_role(MicroscopeView& view, simt::LaneMask lanes, LaneRole role) {
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1)
    view.lanes[static_cast<std::size_t>(std::countr_zero(rest))].role = role;
}

bool continues(const WordCell& cell, const BankWord& word) {
  return cell.wavefront == word.wavefront && cell.first_bank + cell.banks == word.bank &&
         cell.word.word + cell.banks == word.word && cell.word.lanes == word.lanes;
}

std::vector<WordCell> cells_of(const AccessPass& pass) {
  std::vector<BankWord> words = pass.words;
  std::ranges::stable_sort(words, {},
                           [](const BankWord& word) { return std::pair(word.wavefront, word.bank); });
  std::vector<WordCell> cells;
  for (const BankWord& word : words) {
    if (!cells.empty() && continues(cells.back(), word)) {
      ++cells.back().banks;
      continue;
    }
    WordCell& cell = cells.emplace_back();
    cell.first_bank = word.bank;
    cell.banks = 1;
    cell.wavefront = word.wavefront;
    cell.word = word;
    cell.label = lanes_label(word.lanes);
    cell.role = (pass.colliding & word.lanes) != 0 ? LaneRole::colliding
                : std::popcount(word.lanes) > 1    ? LaneRole::sharing
                                                   : LaneRole::alone;
  }
  return cells;
}

void look_at_banks(MicroscopeView& view, const BlockRecording& recording, const RecordedAccess& access) {
  view.shared = shared_passes(recording, access);
  view.cost = view.shared.cost.wavefronts;
  view.minimum = view.shared.cost.minimum;
  for (std::size_t i = 0; i < view.shared.passes.size(); ++i) {
    const AccessPass& pass = view.shared.passes[i];
    for (simt::LaneMask rest = pass.lanes; rest != 0; rest &= rest - 1)
      view.lanes[static_cast<std::size_t>(std::countr_zero(rest))].pass = i;
    take_role(view, pass.sharing, LaneRole::sharing);
    take_role(view, pass.colliding, LaneRole::colliding);
    view.cells.push_back(cells_of(pass));
  }
}

void look_at_sectors(MicroscopeView& view, const BlockRecording& recording, const RecordedAccess& access) {
  view.global = sector_use(recording, access);
  view.cost = view.global.cost.sectors;
  view.minimum = view.global.cost.minimum;
  for (const UsedSector& sector : view.global.sectors) {
    if (std::popcount(sector.lanes) > 1) take_role(view, sector.lanes, LaneRole::sharing);
  }
}

// A word that is read moves to all of its lanes at once.
bool is_broadcast(const MicroscopeView& view) {
  return view.site.is_shared &&
         (view.site.access == simt::Access::load || view.site.access == simt::Access::matrix_load);
}

std::string title_of(const RecordedSite& site) {
  return site.operation + (site.tile.empty() ? "" : " of " + site.tile) + ", " + count_of(site.width_bytes) +
         " B per lane";
}

// Without the tabs and the line breaks of the PTX.
std::string in_one_line(const std::string& instruction) {
  std::string text;
  for (const char letter : instruction) {
    const bool is_space = letter == ' ' || letter == '\t' || letter == '\n';
    if (!is_space) {
      text += letter;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return text;
}

std::string verdict_of(const MicroscopeView& view) {
  if (!view.site.is_shared) return view.has_excess ? "Uncoalesced" : "Coalesced";
  const std::uint32_t degree = view.shared.cost.degree;
  if (view.shared.is_past_l1 && degree > 1) return fmt::format("Up to {} wavefronts per global line", degree);
  return degree > 1 ? fmt::format("{}-way bank conflict", degree) : "No bank conflict";
}

std::string address_words(std::uint64_t address) {
  return fmt::format("{} (0x{:x})", count_of(address), address);
}

std::string banks_of(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t first = address / bank_bytes, last = (address + bytes - 1) / bank_bytes;
  const std::string bank = std::to_string(first % bank_count);
  return first == last ? bank : bank + " to " + std::to_string(last % bank_count);
}

void add_place(std::vector<TextPair>& lines, const AddressPlace& place) {
  if (place.tile.empty()) return;
  lines.emplace_back("Tile", place.tile);
  if (place.element) {
    lines.emplace_back("Row", format_count(place.element->row));
    lines.emplace_back("Column", format_count(place.element->column));
  } else {
    lines.emplace_back("Byte of the tile", format_count(place.offset));
  }
}

}  // namespace

MicroscopeView microscope_view(const BlockRecording& recording, const TileFinder& tiles,
                               const RecordedAccess& access) {
  MicroscopeView view;
  view.site = recording.sites[access.site];
  view.warp = access.warp;
  place_lanes(view, recording, tiles, access);
  if (view.site.is_shared) {
    look_at_banks(view, recording, access);
  } else {
    look_at_sectors(view, recording, access);
  }
  view.has_excess = view.cost > view.minimum;
  view.title = title_of(view.site);
  view.instruction = in_one_line(view.site.instruction);
  view.verdict = verdict_of(view);
  view.cost_words = counted_noun(view.cost, view.site.is_shared ? "wavefront" : "sector") + ", minimum " +
                    count_of(view.minimum);
  view.reason = reason_of(view);
  view.rule = rule_of(view);
  return view;
}

std::string MicroscopeView::pass_name(std::size_t pass) const {
  const auto is_fill = [](const AccessPass& one) { return one.is_fill; };
  if (pass < shared.passes.size() && shared.passes[pass].is_fill) {
    const auto end = shared.passes.begin() + static_cast<std::ptrdiff_t>(pass);
    return fmt::format("Zero fill {}", std::count_if(shared.passes.begin(), end, is_fill) + 1);
  }
  return fmt::format("{} {}", shared.is_past_l1 ? "Global line" : "Pass", pass + 1);
}

std::size_t MicroscopeView::worst_pass() const {
  const auto worst = std::ranges::max_element(shared.passes, {}, &AccessPass::wavefronts);
  return worst == shared.passes.end() ? 0 : static_cast<std::size_t>(worst - shared.passes.begin());
}

simt::LaneMask MicroscopeView::lanes_at(std::uint64_t byte) const {
  simt::LaneMask found = 0;
  for (const AccessPass& pass : shared.passes) {
    for (const BankWord& word : pass.words) {
      if (word.word == byte / bank_bytes) found |= word.lanes;
    }
  }
  return found;
}

std::vector<LaneRole> MicroscopeView::roles() const {
  std::vector<LaneRole> present;
  for (const LaneRole role : {LaneRole::colliding, LaneRole::sharing, LaneRole::alone, LaneRole::idle}) {
    if (std::ranges::find(lanes, role, &LaneView::role) != lanes.end()) present.push_back(role);
  }
  return present;
}

std::vector<TextPair> lane_details(const MicroscopeView& view, std::size_t lane) {
  const LaneView& shown = view.lanes[lane];
  if (shown.role == LaneRole::idle) return {{"Lane", std::to_string(lane) + ", idle"}};
  std::vector<TextPair> lines;
  lines.emplace_back("Lane", fmt::format("{}, {}", lane, role_words(view, shown.role)));
  lines.emplace_back(view.site.is_shared ? "Byte of shared memory" : "Address", address_words(shown.address));
  if (view.site.is_shared) {
    add_place(lines, shown.place);
    lines.emplace_back("Bank", banks_of(shown.address, view.site.width_bytes));
    const bool is_zero = view.shared.is_past_l1 && !shown.source;
    if (!is_zero)
      lines.emplace_back(view.shared.is_past_l1 ? "Global line" : "Pass", std::to_string(shown.pass + 1));
    if (is_zero) lines.emplace_back("Copies", "zeros");
  }
  if (shown.source) lines.emplace_back("Copies from", fmt::format("0x{:x}", *shown.source));
  return lines;
}

std::vector<TextPair> word_details(const TileFinder& tiles, const BankWord& word) {
  const std::uint64_t address = word.word * bank_bytes;
  std::vector<TextPair> lines = {{"Byte of shared memory", address_words(address)}};
  add_place(lines, tiles.place(address));
  lines.emplace_back("Bank", std::to_string(word.bank));
  lines.emplace_back("Wavefront", std::to_string(word.wavefront + 1));
  lines.emplace_back("Used by", lane_list(word.lanes));
  return lines;
}

std::vector<TextPair> sector_details(const UsedSector& sector) {
  return {{"Address", fmt::format("0x{:x}", sector.address)},
          {"Line of 128 B", fmt::format("0x{:x}", sector.address / line_bytes * line_bytes)},
          {"Bytes used", fmt::format("{} of 32", std::popcount(sector.bytes))},
          {"Used by", lane_list(sector.lanes)}};
}

std::string lanes_label(simt::LaneMask lanes) {
  const int first = std::countr_zero(lanes), count = std::popcount(lanes);
  if (count == 1) return std::to_string(first);
  const bool is_range = lanes >> first == simt::all_lanes >> (simt::lane_count - count);
  return is_range ? fmt::format("{}-{}", first, first + count - 1) : fmt::format("x{}", count);
}

std::string execution_words(std::size_t execution, std::size_t count, std::uint32_t warp) {
  return fmt::format("Execution {} of {}, warp {}", count_of(execution + 1), count_of(count), warp);
}

std::string role_words(const MicroscopeView& view, LaneRole role) {
  const std::string unit = view.site.is_shared ? "word" : "sector";
  switch (role) {
    case LaneRole::idle:
      return "idle";
    case LaneRole::alone:
      return "own " + unit;
    case LaneRole::sharing:
      return (is_broadcast(view) ? "broadcast: shares a " : "shares a ") + unit;
    case LaneRole::colliding:
      break;
  }
  return view.shared.is_past_l1 ? "global line takes several wavefronts" : "collides";
}

std::string other_pass_words(const MicroscopeView& view) {
  return view.shared.is_past_l1 ? "of another global line" : "in another pass";
}

std::string role_letter(const MicroscopeView& view, LaneRole role) {
  switch (role) {
    case LaneRole::idle:
      return "-";
    case LaneRole::alone:
      return "";
    case LaneRole::sharing:
      return is_broadcast(view) ? "B" : "S";
    case LaneRole::colliding:
      break;
  }
  return "C";
}

}  // namespace tilescope
