#include "sessions/compare/count_reasons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/format.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

using Count = std::optional<std::int64_t>;

// One place of the source.
struct PlaceCount {
  std::int64_t count = 0;
  std::int64_t line = 0;
  std::string words;
};
using ByPlace = std::map<std::string, PlaceCount>;

struct CountedPart {
  std::string_view part;
  /// Name of the counted things, in the plural.
  std::string_view things;
  Count (*count)(const Measurement&);
  /// Whether an access site's excess is a part of that count; nullptr where sites say nothing of it.
  bool (*is_of_site)(const MemorySite&);
};

Count instructions_of(const Measurement& point, std::initializer_list<const char*> pipes) {
  if (!point.memory || point.memory->instructions.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const char* pipe : pipes) {
    const auto found = point.memory->instructions.find(pipe);
    if (found != point.memory->instructions.end()) sum += found->second;
  }
  return sum;
}

template <auto member>
Count memory_count(const Measurement& point) {
  return point.memory ? Count(point.memory.value().*member) : std::nullopt;
}

bool is_global_site(const MemorySite& site) {
  return memory_of(site) == SiteMemory::global;
}

constexpr std::array<CountedPart, 9> counted_parts{{
    {"issue slots", "warp instructions", memory_count<&MemoryCounts::warp_instructions>, nullptr},
    {"tensor", "tensor-core instructions",
     [](const Measurement& p) { return instructions_of(p, {"tensor"}); }, nullptr},
    {"FMA and ALU", "FMA and ALU instructions",
     [](const Measurement& p) {
       return instructions_of(p, {"fma", "alu"});
     },
     nullptr},
    {"MUFU", "MUFU instructions", [](const Measurement& p) { return instructions_of(p, {"mufu"}); }, nullptr},
    {"shared memory", "shared-memory wavefronts without conflicts",
     memory_count<&MemoryCounts::shared_wavefronts_minimum>, nullptr},
    {"bank conflicts", "shared-memory wavefronts in conflicts", memory_count<&MemoryCounts::shared_conflicts>,
     is_shared_site},
    {"L2 and DRAM", "sectors of global memory", memory_count<&MemoryCounts::global_sectors>, is_global_site},
    {"barriers", "warp arrivals at barriers", memory_count<&MemoryCounts::barriers>, nullptr},
    {"block start", "blocks",
     [](const Measurement& p) { return p.occupancy ? p.occupancy->grid_blocks : std::nullopt; }, nullptr},
}};

// Without the folder; kernels of one file need no name of it.
std::string file_of(const MemorySite& site, const Measurement& a, const Measurement& b) {
  return a.kernel == b.kernel ? site.file : "";
}

ByPlace excess_by_place(const Measurement& point, bool (*is_of_site)(const MemorySite&), const Measurement& a,
                        const Measurement& b) {
  ByPlace places;
  if (!point.memory) return places;
  for (const MemorySite& site : point.memory->sites) {
    if (site.conflicts <= 0 || !is_of_site(site)) continue;
    const std::string words = place_words(site, file_of(site, a, b));
    PlaceCount& place = places[words];
    place.count += site.conflicts;
    place.line = site.line;
    place.words = site.tile.empty() ? words : words + " (" + site.tile + ")";
  }
  return places;
}

// The place where the counts differ most in the direction of `change`.
PlaceCount most_changed(const ByPlace& before, const ByPlace& after, std::int64_t change) {
  PlaceCount most;
  const auto consider = [&](const std::string& key, const PlaceCount& place) {
    const auto in = [&](const ByPlace& places) {
      const auto found = places.find(key);
      return found == places.end() ? std::int64_t{0} : found->second.count;
    };
    const std::int64_t difference = in(after)-in(before);
    if ((difference < 0) != (change < 0) || std::llabs(difference) <= std::llabs(most.count)) return;
    most = {difference, place.line, place.words};
  };
  for (const auto& [key, place] : before) consider(key, place);
  for (const auto& [key, place] : after) consider(key, place);
  return most;
}

// A place with less than this share of a difference does not explain it.
constexpr double notable_share = 0.3;

std::string place_share_words(const PlaceCount& place, std::int64_t change) {
  const double share = static_cast<double>(place.count) / static_cast<double>(change);
  if (share >= 0.995) return ", all of them on " + place.words;
  return ", " + format_percent(share) + " of them on " + place.words;
}

std::string change_words(std::int64_t before, std::int64_t after, std::string_view things) {
  const std::string name(things);
  if (before == after) return "Both need " + format_short(after) + " " + name;
  return "B needs " + format_short(std::llabs(after - before)) + (after < before ? " fewer " : " more ") +
         name + " (" + format_short(after) + " instead of " + format_short(before) + ")";
}

// A part is the time in which nothing else went on. Other work hides more or less of the same counts.
std::string hidden_words(std::int64_t change, double microseconds) {
  if (microseconds < 0 && change >= 0) return ". More of their time passes behind other work in B";
  if (microseconds > 0 && change <= 0) return ". Less of their time passes behind other work in B";
  return "";
}

// "B's longest block, 63, has 3.20 times the instructions of the mean block"; "" where the blocks are nearly equal.
std::string longest_block_words(const char* side, const Measurement& point) {
  constexpr double notable = 1.1;
  const auto longest = point.prediction ? point.prediction->longest_block : std::nullopt;
  if (!longest || longest->over_mean < notable) return "";
  return std::string(side) + "'s longest block, " + format_count(longest->index) + ", has " +
         format_number(longest->over_mean, 2) + " times the instructions of the mean block";
}

std::string waves_words(double microseconds, const Measurement& a, const Measurement& b) {
  if (!a.occupancy || !b.occupancy) return "";
  const std::string waves_a = format_number(a.occupancy->waves, 2),
                    waves_b = format_number(b.occupancy->waves, 2);
  if (waves_a == waves_b) {
    const std::string blocks = microseconds < 0 ? "B's blocks end sooner" : "B's blocks end later";
    return "Both grids are " + waves_a + " waves of blocks, and " + blocks;
  }
  return "B's grid is " + waves_b + " waves of blocks, A's " + waves_a;
}

// A longer tail is the longest block's, where blocks differ.
CountReason tail_reason(double microseconds, const Measurement& a, const Measurement& b) {
  const std::string waves = waves_words(microseconds, a, b),
                    longest = microseconds > 0 ? longest_block_words("B", b) : longest_block_words("A", a);
  return {waves + (waves.empty() || longest.empty() ? "" : ". ") + longest, {}};
}

}  // namespace

CountReason count_reason(const std::string& part, double microseconds, const Measurement& a,
                         const Measurement& b) {
  if (part == "tail") return tail_reason(microseconds, a, b);
  const auto* found = std::ranges::find(counted_parts, part, &CountedPart::part);
  if (found == counted_parts.end()) return {};
  const Count before = found->count(a), after = found->count(b);
  if (!before || !after) return {};
  const std::int64_t change = *after - *before;
  CountReason reason{change_words(*before, *after, found->things) + hidden_words(change, microseconds), {}};
  if (found->is_of_site == nullptr || change == 0) return reason;
  const PlaceCount place = most_changed(excess_by_place(a, found->is_of_site, a, b),
                                        excess_by_place(b, found->is_of_site, a, b), change);
  if (static_cast<double>(place.count) / static_cast<double>(change) < notable_share) return reason;
  reason.text += place_share_words(place, change);
  if (place.line > 0) reason.lines = {place.line};
  return reason;
}

std::string count_changes(const Measurement& a, const Measurement& b) {
  constexpr double notable_change = 0.1;
  constexpr std::size_t most_changes = 3;
  std::vector<std::pair<double, std::string>> changes;  // by their size, the largest first
  for (const CountedPart& part : counted_parts) {
    const Count before = part.count(a), after = part.count(b);
    if (!before || !after || *before <= 0 || *after < 0) continue;
    const double change = static_cast<double>(*after) / static_cast<double>(*before) - 1;
    if (std::abs(change) < notable_change) continue;
    changes.emplace_back(-std::abs(std::log(std::max(change + 1, 1e-6))),
                         std::string(part.things) + (change > 0 ? " +" : " ") + format_percent(change));
  }
  std::ranges::stable_sort(changes, {}, &std::pair<double, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), most_changes); ++i)
    text += (i == 0 ? "" : ", ") + changes[i].second;
  return text;
}

std::string warps_reason(const Measurement& a, const Measurement& b) {
  if (!a.occupancy || !b.occupancy || a.occupancy->warps_per_sm == b.occupancy->warps_per_sm) return "";
  return "B holds " + format_count(b.occupancy->warps_per_sm) + " warps per SM instead of " +
         format_count(a.occupancy->warps_per_sm);
}

}  // namespace tilescope
