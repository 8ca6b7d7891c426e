#include "profiler/execution/memory/lane_checker.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "profiler/execution/memory/site_text.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope {

using simt::LaneMask;
using LaneFault = LaneChecker::Kind;

namespace {

bool has(LaneMask lanes, int lane) {
  return (lanes >> lane & 1u) != 0;
}

// The masks of the lanes; null for an instruction without.
const LaneMask* masks_of(const simt::Program& program, const simt::Warp& warp, const simt::Instruction& at) {
  if (program.is_machine_code || at.flow != simt::Flow::warp_wide) return nullptr;
  return warp.read<LaneMask>(at.a);
}

// Whether the lanes have one mask, which has all of them and none of the live lanes beside them.
bool agree(const LaneMask* masks, LaneMask lanes, LaneMask live) {
  const LaneMask first = masks[std::countr_zero(lanes)];
  LaneMask different = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) different |= masks[std::countr_zero(rest)] ^ first;
  return different == 0 && (lanes & ~first) == 0 && (first & live & ~lanes) == 0;
}

LaneMask started_lanes(const simt::Warp& warp) {
  const std::uint32_t left = warp.block().threads() - warp.first_thread();
  return left >= simt::lane_count ? simt::all_lanes : (LaneMask{1} << left) - 1;
}

// Those that read in a shuffle a lane that does not take part or that their mask does not name.
LaneMask lanes_at_fault(LaneMask exec, const LaneMask* masks,
                        std::span<const std::int32_t, simt::lane_count> sources) {
  LaneMask at_fault = 0;
  for (LaneMask rest = exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest), source = sources[static_cast<std::size_t>(lane)];
    const bool is_named = masks == nullptr || source == lane || has(masks[lane], source);
    if (!has(exec, source) || !is_named) at_fault |= rest & (~rest + 1);
  }
  return at_fault;
}

// "lanes 11 to 26", "lanes 4, 6 and 8"
std::string lanes_text(LaneMask lanes) {
  if (std::popcount(lanes) == 1) return fmt::format("lane {}", std::countr_zero(lanes));
  const int first = std::countr_zero(lanes), last = simt::lane_count - 1 - std::countl_zero(lanes);
  if (last - first + 1 == std::popcount(lanes)) return fmt::format("lanes {} to {}", first, last);
  std::string text = "lanes ";
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (lane != first) text += lane == last ? " and " : ", ";
    text += std::to_string(lane);
  }
  return text;
}

std::string why_undefined(const LaneChecker::Entry& entry) {
  if (entry.kind == LaneFault::absent_lane)
    return fmt::format("the block has {} threads, none of which is that lane", entry.block_threads);
  if (entry.kind == LaneFault::inactive_lane) return "that lane has exited or is elsewhere";
  return "that lane is not in the mask";
}

std::string sentence(const LaneChecker::Entry& entry, const std::string& place, std::string_view opcode) {
  const std::string mask =
      entry.has_mask ? fmt::format(" with the mask {:#010x}", entry.mask) : std::string();
  const std::string lane = fmt::format("lane {} (thread {})", entry.lane, entry.thread);
  switch (entry.kind) {
    case LaneFault::outside_own_mask:
      return fmt::format(
          "{} executes {} at {}{}, which does not name the lane itself: the result is undefined: name all "
          "threads that execute it",
          lane, opcode, place, mask);
    case LaneFault::different_masks:
      return fmt::format(
          "{} executes {} at {}{}, and lane {}, which it names, executes it with another mask or not at all: "
          "the result is undefined: give all lanes of a mask the same one",
          lane, opcode, place, mask, entry.other);
    default:
      return fmt::format(
          "{} reads lane {} in a shuffle at {}{}, and {}: the value is undefined. Read like that: {}. Let "
          "all "
          "lanes that are read take part, or use a width or a source that leaves them out",
          lane, entry.other, place, mask, why_undefined(entry), lanes_text(entry.sources));
  }
}

const char* lane_kind_name(LaneFault kind) {
  return kind == LaneFault::outside_own_mask || kind == LaneFault::different_masks ? "member_mask"
                                                                                   : "absent_lane";
}

}  // namespace

void LaneChecker::add(const simt::Warp& warp, Entry found) {
  const simt::Block& block = warp.block();
  const auto [place, is_new] = entries_.try_emplace(Key{found.kind, found.origin}, found);
  Entry& entry = place->second;
  if (is_new || block.linear_index < entry.block) {
    const std::uint64_t occurrences = is_new ? 0 : entry.occurrences;
    const LaneMask sources = is_new ? 0 : entry.sources;
    entry = found;
    entry.block = block.linear_index;
    entry.block_index = {block.index.x, block.index.y, block.index.z};
    entry.block_threads = block.threads();
    entry.thread = warp.first_thread() + static_cast<std::uint32_t>(entry.lane);
    entry.occurrences = occurrences;
    entry.sources |= sources;
  }
  entry.sources |= found.sources;
  ++entry.occurrences;
}

void LaneChecker::shuffle(const simt::Warp& warp, const simt::Instruction& at,
                          std::span<const std::int32_t, simt::lane_count> sources) {
  const LaneMask* masks = masks_of(program_, warp, at);
  const LaneMask exec = warp.exec, started = started_lanes(warp);
  const LaneMask at_fault = lanes_at_fault(exec, masks, sources);
  if (at_fault == 0) return;
  std::array<Entry, 3> found;
  for (LaneMask rest = at_fault; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest), source = sources[static_cast<std::size_t>(lane)];
    const LaneFault kind = !has(started, source) ? LaneFault::absent_lane
                           : !has(exec, source)  ? LaneFault::inactive_lane
                                                 : LaneFault::unnamed_lane;
    Entry& entry = found[static_cast<std::size_t>(kind)];
    if (entry.sources == 0) {
      entry.kind = kind;
      entry.origin = at.origin;
      entry.lane = lane;
      entry.other = source;
      entry.has_mask = masks != nullptr;
      if (masks != nullptr) entry.mask = masks[lane];
    }
    entry.sources |= LaneMask{1} << source;
  }
  for (const Entry& entry : found) {
    if (entry.sources != 0) add(warp, entry);
  }
}

void LaneChecker::member_mask(const simt::Warp& warp, const simt::Instruction& at, LaneMask lanes) {
  if (at.a == simt::no_slot) return;
  const auto* masks = warp.read<LaneMask>(at.a);
  const LaneMask live = warp.live();
  // A barrier waits for the others.
  const bool is_complete = at.flow == simt::Flow::warp_wide;
  if (agree(masks, lanes, is_complete ? live : lanes)) return;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    LaneMask others = masks[lane] & live & (is_complete ? simt::all_lanes : lanes);
    for (LaneMask left = others & lanes; left != 0; left &= left - 1) {
      const int other = std::countr_zero(left);
      if (masks[other] == masks[lane]) others &= ~(LaneMask{1} << other);
    }
    const bool is_outside = !has(masks[lane], lane);
    if (!is_outside && others == 0) continue;
    Entry entry;
    entry.kind = is_outside ? LaneFault::outside_own_mask : LaneFault::different_masks;
    entry.origin = at.origin;
    entry.lane = lane;
    entry.other = others == 0 ? lane : std::countr_zero(others);
    entry.mask = masks[lane];
    entry.has_mask = true;
    add(warp, entry);
    return;
  }
}

std::vector<Finding> fold_lane_findings(const simt::Program& program,
                                        std::span<const LaneChecker* const> checkers,
                                        std::string_view main_file) {
  // Instructions of one line, as of an unrolled loop, are one finding.
  struct Place {
    LaneFault kind;
    std::string text;
    bool operator<(const Place& other) const {
      return std::tie(kind, text) < std::tie(other.kind, other.text);
    }
  };
  std::map<Place, LaneChecker::Entry> merged;
  for (const LaneChecker* checker : checkers) {
    for (const auto& [key, entry] : checker->entries()) {
      const Place place{entry.kind, describe(place_of(program, entry.origin, main_file), main_file)};
      const auto [found, is_new] = merged.try_emplace(place, entry);
      if (is_new) continue;
      LaneChecker::Entry& kept = found->second;
      const std::uint64_t occurrences = kept.occurrences + entry.occurrences;
      const LaneMask sources = kept.sources | entry.sources;
      if (std::tie(entry.block, entry.origin) < std::tie(kept.block, kept.origin)) kept = entry;
      kept.occurrences = occurrences;
      kept.sources = sources;
    }
  }
  std::vector<Finding> findings;
  for (const auto& [place, entry] : merged) {
    Finding finding;
    finding.kind = lane_kind_name(entry.kind);
    const SitePlace at = place_of(program, entry.origin, main_file);
    if (at.line != 0 && (main_file.empty() || at.file == main_file)) finding.lines.push_back(at.line);
    finding.text = sentence(entry, place.text, opcode_of(program.origins[entry.origin].text));
    finding.block = {entry.block_index[0], entry.block_index[1], entry.block_index[2]};
    finding.threads.push_back(entry.thread);
    finding.occurrences = static_cast<std::int64_t>(entry.occurrences);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace tilescope
