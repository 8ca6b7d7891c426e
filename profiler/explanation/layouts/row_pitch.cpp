#include "profiler/explanation/layouts/row_pitch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <utility>

namespace tilescope {
namespace {

constexpr std::size_t most_distances = 3;
constexpr std::size_t lanes = 32;

/// [B] From each lane to the one `step` behind it, where that is the same for all of them; else 0.
std::int64_t distance_at(const RecordedPattern& pattern, std::size_t step) {
  std::int64_t distance = 0;
  for (std::size_t lane = 0; lane + step < lanes; ++lane) {
    const std::uint32_t both = std::uint32_t{1} << lane | std::uint32_t{1} << (lane + step);
    if ((pattern.lanes & both) != both) continue;
    const std::int64_t here = std::abs(pattern.offsets[lane + step] - pattern.offsets[lane]);
    if (distance != 0 && here != distance) return 0;
    distance = here;
    if (here == 0) return 0;
  }
  return distance;
}

/// [B] Distance of the nearest lanes that do not lie behind each other; 0 where no distance is the same throughout.
std::int64_t distance_of(const RecordedPattern& pattern, std::uint32_t width) {
  for (std::size_t step = 1; step < lanes; step *= 2) {
    const std::int64_t distance = distance_at(pattern, step);
    if (distance > static_cast<std::int64_t>(width * step)) return distance;
  }
  return 0;
}

}  // namespace

std::vector<std::int64_t> lane_distances(const BlockRecording& recording, const TileRange& tile) {
  // By pattern and site: most executions repeat one.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> excess_of;
  for (const RecordedAccess& access : recording.accesses) {
    const RecordedSite& site = recording.sites[access.site];
    if (!site.is_shared || site.tile != tile.name || access.wavefronts == access.minimum) continue;
    excess_of[{access.pattern, access.site}] += access.wavefronts - access.minimum;
  }
  std::map<std::int64_t, std::uint64_t> weight;
  for (const auto& [key, excess] : excess_of) {
    const auto distance = distance_of(recording.patterns[key.first], recording.sites[key.second].width_bytes);
    if (distance > 0 && distance < tile.bytes) weight[distance] += excess;
  }
  std::vector<std::int64_t> distances;
  distances.reserve(weight.size());
  for (const auto& [distance, excess] : weight) distances.push_back(distance);
  std::ranges::stable_sort(distances,
                           [&](std::int64_t a, std::int64_t b) { return weight.at(a) > weight.at(b); });
  if (distances.size() > most_distances) distances.resize(most_distances);
  return distances;
}

}  // namespace tilescope
