#include "profiler/views/memory/bank_traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "base/text/format.hpp"
#include "profiler/execution/memory/access_passes.hpp"

namespace tilescope {
namespace {

constexpr std::int64_t word_bytes = 4;

// Accesses of one pattern at one place by sites of one width, which touch the same words.
struct Group {
  std::uint32_t reads = 0, writes = 0;
};

bool reads(simt::Access access) {
  return access == simt::Access::load || access == simt::Access::matrix_load || simt::is_atomic(access);
}
bool writes(simt::Access access) {
  return access != simt::Access::load && access != simt::Access::matrix_load;
}

// Loops make the same accesses over and over: the lanes of each are gone through once.
std::unordered_map<std::uint64_t, Group> grouped(const BlockRecording& recording) {
  std::unordered_map<std::uint64_t, Group> groups;
  for (const RecordedAccess& access : recording.accesses) {
    const RecordedSite& site = recording.sites[access.site];
    if (!site.is_shared) continue;
    // 24 bits of the pattern, 8 of the width, 32 of the place.
    const std::uint64_t key =
        std::uint64_t{access.pattern} << 40 | std::uint64_t{site.width_bytes} << 32 | access.base;
    Group& group = groups[key];
    group.reads += reads(site.access) ? 1 : 0;
    group.writes += writes(site.access) ? 1 : 0;
  }
  return groups;
}

}  // namespace

WordCounts count_words(const BlockRecording& recording, std::int64_t words) {
  WordCounts counts;
  counts.reads.assign(static_cast<std::size_t>(words), 0);
  counts.writes.assign(static_cast<std::size_t>(words), 0);
  for (const auto& [key, group] : grouped(recording)) {
    const RecordedPattern& pattern = recording.patterns[key >> 40];
    const auto width = static_cast<std::int64_t>(key >> 32 & 0xff);
    const auto base = static_cast<std::int64_t>(key & 0xffffffff);
    for (simt::LaneMask rest = pattern.lanes; rest != 0; rest &= rest - 1) {
      const std::int64_t first = base + pattern.offsets[static_cast<std::size_t>(std::countr_zero(rest))];
      const std::int64_t last = (first + width - 1) / word_bytes;
      for (std::int64_t word = first / word_bytes; word <= last && word < words; ++word) {
        counts.reads[static_cast<std::size_t>(word)] += group.reads;
        counts.writes[static_cast<std::size_t>(word)] += group.writes;
      }
    }
  }
  if (words > 0) {
    counts.most_reads = *std::max_element(counts.reads.begin(), counts.reads.end());
    counts.most_writes = *std::max_element(counts.writes.begin(), counts.writes.end());
  }
  return counts;
}

int heat_level(std::uint32_t count, std::uint32_t most) {
  if (count == 0) return 0;
  if (most <= 1) return heat_levels;
  const double share = std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
  return 1 + static_cast<int>(std::lround(share * (heat_levels - 1)));
}

std::vector<BankGridBox> heat_boxes(const BankGrid& grid, const std::vector<std::uint32_t>& counts,
                                    std::uint32_t most, std::int64_t first_row, std::int64_t end_row,
                                    std::int64_t rows_per_line) {
  const auto level_at = [&](std::int64_t word) -> std::int32_t {
    const std::int32_t look = grid.look(word);
    if (look == BankGrid::outside) return look;
    const int level = heat_level(counts[static_cast<std::size_t>(word)], most);
    return level == 0 && look == BankGrid::unused ? BankGrid::unused : level;
  };
  return merged_boxes(first_row, std::min(end_row, grid.rows()), rows_per_line,
                      [&](std::int64_t first, std::int64_t end, std::int64_t bank) {
                        std::int32_t hottest = BankGrid::outside;
                        for (std::int64_t row = first; row < end; ++row)
                          hottest = std::max(hottest, level_at(row * grid_banks + bank));
                        return hottest;
                      });
}

std::vector<TouchedWord> touched_words(const BlockRecording& recording, const RecordedAccess& access) {
  std::vector<TouchedWord> touched;
  if (!recording.sites[access.site].is_shared) return touched;
  const SharedPasses shared = shared_passes(recording, access);
  for (const AccessPass& pass : shared.passes) {
    for (const BankWord& word : pass.words) {
      const auto same_bank = [&](const BankWord& other) { return other.bank == word.bank; };
      const bool collides = (word.lanes & pass.colliding) != 0;
      const auto in_bank = std::count_if(pass.words.begin(), pass.words.end(), same_bank);
      const std::uint32_t degree = shared.is_past_l1 ? pass.wavefronts : static_cast<std::uint32_t>(in_bank);
      touched.push_back({static_cast<std::int64_t>(word.word), word.lanes, collides ? degree : 1,
                         collides ? word.wavefront + 1 : 1});
    }
  }
  std::stable_sort(touched.begin(), touched.end(),
                   [](const TouchedWord& a, const TouchedWord& b) { return a.word < b.word; });
  // Two passes, or the lanes of an atomic, may touch one word.
  std::size_t kept = 0;
  for (std::size_t i = 1; i < touched.size(); ++i) {
    if (touched[i].word == touched[kept].word) {
      touched[kept].lanes |= touched[i].lanes;
      touched[kept].degree = std::max(touched[kept].degree, touched[i].degree);
    } else {
      touched[++kept] = touched[i];
    }
  }
  if (!touched.empty()) touched.resize(kept + 1);
  return touched;
}

std::string short_lanes(simt::LaneMask lanes) {
  std::string text;
  for (int lane = 0; lane < simt::lane_count; ++lane) {
    if ((lanes >> lane & 1u) == 0) continue;
    int last = lane;
    while (last + 1 < simt::lane_count && (lanes >> (last + 1) & 1u) != 0) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(lane);
    if (last > lane) text += (last == lane + 1 ? "," : "-") + std::to_string(last);
    lane = last;
  }
  return text;
}

std::vector<TextPair> traffic_details(std::int64_t word, const std::vector<TouchedWord>& touched,
                                      const WordCounts* counts) {
  std::vector<TextPair> lines;
  for (const TouchedWord& one : touched) {
    if (one.word != word) continue;
    lines.emplace_back("Lanes", short_lanes(one.lanes));
    if (one.collides())
      lines.emplace_back("Wavefront", std::to_string(one.turn) + " of " + std::to_string(one.degree));
  }
  const auto index = static_cast<std::size_t>(word);
  if (counts != nullptr && word >= 0 && index < counts->reads.size()) {
    lines.emplace_back("Reads", format_count(counts->reads[index]));
    lines.emplace_back("Writes", format_count(counts->writes[index]));
  }
  return lines;
}

std::string marked_words(const BlockRecording& recording, const RecordedAccess& access) {
  const RecordedSite& site = recording.sites[access.site];
  if (!site.is_shared) return "";
  std::string text = "Marked: " + site.operation;
  if (!site.tile.empty()) text += " of " + site.tile;
  text += ", " + place_words(site) + ", warp " + std::to_string(access.warp);
  return text + ": " + std::to_string(access.wavefronts) + " wavefronts, minimum " +
         std::to_string(access.minimum);
}

}  // namespace tilescope
