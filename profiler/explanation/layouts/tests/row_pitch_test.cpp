#include "profiler/explanation/layouts/row_pitch.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace tilescope {
namespace {

// One access of all lanes, at the place that each lane has, with as many wavefronts beyond the minimum.
void add(BlockRecording& recording, std::uint16_t excess, const std::function<std::int64_t(int)>& place) {
  RecordedPattern pattern;
  pattern.lanes = 0xffffffffU;
  for (int lane = 0; lane < 32; ++lane)
    pattern.offsets[static_cast<std::size_t>(lane)] = place(lane) - place(0);
  RecordedAccess access;
  access.pattern = static_cast<std::uint32_t>(recording.patterns.size());
  access.minimum = 1;
  access.wavefronts = static_cast<std::uint16_t>(1 + excess);
  recording.patterns.push_back(pattern);
  recording.accesses.push_back(access);
}

BlockRecording with_site() {
  BlockRecording recording;
  RecordedSite site;
  site.width_bytes = 4;
  site.tile = "tile";
  recording.sites.push_back(site);
  return recording;
}

const TileRange tile{"tile", 0, 16384};

TEST(LaneDistances, AreThoseOfConflictsAlone) {
  BlockRecording recording = with_site();
  add(recording, 0, [](int lane) { return 256 * lane; });
  EXPECT_TRUE(lane_distances(recording, tile).empty());
  add(recording, 31, [](int lane) { return 128 * lane; });
  EXPECT_EQ(lane_distances(recording, tile), std::vector<std::int64_t>{128});
  EXPECT_TRUE(lane_distances(recording, {"other", 0, 16384}).empty());
}

TEST(LaneDistances, OfGroupsAreBetweenTheGroups) {
  BlockRecording recording = with_site();
  add(recording, 7, [](int lane) { return 512 * (lane / 4) + 4 * (lane % 4); });
  EXPECT_EQ(lane_distances(recording, tile), std::vector<std::int64_t>{512});
}

TEST(LaneDistances, BeginWithTheOneThatCostsMost) {
  BlockRecording recording = with_site();
  add(recording, 3, [](int lane) { return 64 * lane; });
  add(recording, 31, [](int lane) { return 128 * lane; });
  add(recording, 9, [](int lane) { return lane * lane * 4; });
  EXPECT_EQ(lane_distances(recording, tile), (std::vector<std::int64_t>{128, 64}));
}

}  // namespace
}  // namespace tilescope
