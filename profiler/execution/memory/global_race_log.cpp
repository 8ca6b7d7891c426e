#include "profiler/execution/memory/global_race_log.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

class Sentences {
 public:
  Sentences(const simt::Program& program, const simt::Launch& launch, const TileMap& tiles,
            std::string_view main_file)
      : program_(program), launch_(launch), tiles_(tiles), main_file_(main_file) {}

  Finding finding(const GlobalRaceLog::Entry& entry) const {
    const GlobalRace& race = entry.first;
    Finding finding;
    finding.kind = race.kind == GlobalRaceKind::same_value ? "same_value_store" : "global_race";
    finding.text = text_of(race);
    for (const std::uint32_t origin : {race.earlier, race.later}) add_line(finding, origin);
    finding.block = block_index(race.later_block);
    finding.threads.push_back(race.earlier_thread);
    if (race.earlier_thread != race.later_thread) finding.threads.push_back(race.later_thread);
    finding.addresses.push_back(static_cast<std::int64_t>(race.address));
    finding.occurrences = static_cast<std::int64_t>(entry.occurrences);
    return finding;
  }

 private:
  std::vector<std::int64_t> block_index(std::uint64_t block) const {
    const auto x = std::uint64_t{launch_.grid.x}, y = std::uint64_t{launch_.grid.y};
    return {static_cast<std::int64_t>(block % x), static_cast<std::int64_t>(block / x % y),
            static_cast<std::int64_t>(block / (x * y))};
  }

  void add_line(Finding& finding, std::uint32_t origin) const {
    const SitePlace place = place_of(program_, origin, main_file_);
    if (place.line == 0 || (!main_file_.empty() && place.file != main_file_)) return;
    if (std::ranges::find(finding.lines, place.line) == finding.lines.end())
      finding.lines.push_back(place.line);
  }

  std::string place(std::uint32_t origin) const {
    return describe(place_of(program_, origin, main_file_), main_file_);
  }

  std::string where(std::uint64_t address) const {
    const TileMap::Range range = tiles_.find(simt::Space::global, address);
    if (range.name == 0) return fmt::format("global memory at {:#x}", address);
    return fmt::format("byte {} of '{}' in global memory", address - range.begin, tiles_.name(range.name));
  }

  std::string thread(const GlobalRace& race, std::uint32_t block, std::uint32_t thread) const {
    if (race.earlier_block == race.later_block) return fmt::format("thread {}", thread);
    const std::vector<std::int64_t> index = block_index(block);
    return fmt::format("thread {} of block ({}, {}, {})", thread, index[0], index[1], index[2]);
  }

  std::string advice(const GlobalRace& race) const {
    if (race.earlier_block != race.later_block) {
      return "blocks run in any order: write with atomics, give each block its own memory, or order them "
             "with "
             "__threadfence() and an atomic";
    }
    if (race.has_atomic) return "make both accesses atomic, or put a barrier between them";
    const bool is_one_warp = race.earlier_thread / simt::lane_count == race.later_thread / simt::lane_count;
    if (race.earlier == race.later) return "use an atomic, or give each thread its own address";
    return is_one_warp ? "put __syncwarp() or __syncthreads() between them"
                       : "put __syncthreads() between them";
  }

  std::string text_of(const GlobalRace& race) const {
    const std::string first = thread(race, race.earlier_block, race.earlier_thread);
    const std::string second = thread(race, race.later_block, race.later_thread);
    const std::string at = where(race.address), here = place(race.earlier), there = place(race.later);
    switch (race.kind) {
      case GlobalRaceKind::lost_update:
        return fmt::format(
            "{} and {} each load {}, compute from it and store the result at {}, and nothing orders them: "
            "one "
            "of the updates is lost: use an atomic (atomicAdd)",
            first, second, at, there);
      case GlobalRaceKind::same_value:
        return fmt::format(
            "{} stores to {} at {} and {} stores the same value there{}, and nothing orders them: the order "
            "does not change the result",
            first, at, here, second, here == there ? std::string() : " at " + there);
      case GlobalRaceKind::write_read:
        return fmt::format("{} writes {} at {} and {} reads it at {}, and nothing orders the two: {}", first,
                           at, here, second, there, advice(race));
      case GlobalRaceKind::read_write:
        return fmt::format("{} reads {} at {} and {} writes it at {}, and nothing orders the two: {}", first,
                           at, here, second, there, advice(race));
      case GlobalRaceKind::write_write:
        break;
    }
    const std::string all =
        race.writing_blocks > 2 ? fmt::format(" ({} blocks write it)", race.writing_blocks) : std::string();
    return fmt::format(
        "{} writes {} at {} and {} writes another value there{}{}, and nothing orders the two: {}", first, at,
        here, second, here == there ? std::string() : " at " + there, all, advice(race));
  }

  const simt::Program& program_;
  const simt::Launch& launch_;
  const TileMap& tiles_;
  std::string_view main_file_;
};

// One mistake makes races in both directions and of several kinds: the first in the order of the kinds is reported.
void join(std::vector<Finding>& findings) {
  std::vector<Finding> joined;
  for (Finding& finding : findings) {
    const auto same = std::ranges::find_if(joined, [&](const Finding& other) {
      return (finding.kind == other.kind || other.kind == "global_race") &&
             finding.lines.size() == other.lines.size() &&
             std::ranges::is_permutation(finding.lines, other.lines) &&
             (!finding.lines.empty() || finding.text == other.text);
    });
    if (same == joined.end()) {
      joined.push_back(std::move(finding));
    } else if (finding.kind == same->kind) {
      same->occurrences += finding.occurrences;
    }
  }
  findings = std::move(joined);
}

}  // namespace

void GlobalRaceLog::add(const GlobalRace& race, std::uint64_t event) {
  const auto [found, is_new] =
      entries_.try_emplace(Key{static_cast<std::uint32_t>(race.kind), race.earlier, race.later});
  Entry& entry = found->second;
  if (is_new || race.later_block < entry.first.later_block) entry.first = race;
  if (is_new || entry.last_event != event) ++entry.occurrences;
  entry.last_event = event;
}

std::vector<Finding> fold_global_races(const simt::Program& program, const simt::Launch& launch,
                                       std::span<const GlobalRaceLog* const> logs, const TileMap& tiles,
                                       std::string_view main_file) {
  std::map<GlobalRaceLog::Key, GlobalRaceLog::Entry> merged;
  for (const GlobalRaceLog* log : logs) {
    for (const auto& [key, entry] : log->entries()) {
      const auto [found, is_new] = merged.try_emplace(key, entry);
      if (is_new) continue;
      const std::uint64_t occurrences = found->second.occurrences + entry.occurrences;
      if (entry.first.later_block < found->second.first.later_block) found->second = entry;
      found->second.occurrences = occurrences;
    }
  }
  const Sentences sentences(program, launch, tiles, main_file);
  std::vector<Finding> findings;
  findings.reserve(merged.size());
  for (const auto& [key, entry] : merged) findings.push_back(sentences.finding(entry));
  join(findings);
  return findings;
}

}  // namespace tilescope
