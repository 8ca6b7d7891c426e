#include "profiler/execution/memory/sectors.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>

namespace tilescope {
namespace {

using simt::all_lanes;
using simt::LaneMask;

std::array<std::uint64_t, simt::lane_count> lanes_at(
    const std::function<std::uint64_t(std::uint64_t)>& address) {
  std::array<std::uint64_t, simt::lane_count> addresses;
  for (std::uint64_t lane = 0; lane < simt::lane_count; ++lane) addresses[lane] = address(lane);
  return addresses;
}

SectorCost cost_of(int lane_bytes, const std::function<std::uint64_t(std::uint64_t)>& address,
                   LaneMask lanes = all_lanes) {
  return sector_cost(lanes_at(address).data(), lanes, lane_bytes);
}

TEST(Sectors, CoalescedAccessesTakeTheFewest) {
  EXPECT_EQ(cost_of(2, [](auto lane) { return lane * 2; }), (SectorCost{2, 2}));
  EXPECT_EQ(cost_of(4, [](auto lane) { return 4096 + lane * 4; }), (SectorCost{4, 4}));
  EXPECT_EQ(cost_of(8, [](auto lane) { return lane * 8; }), (SectorCost{8, 8}));
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane * 16; }), (SectorCost{16, 16}));
}

TEST(Sectors, MisalignedRunTakesOneMore) {
  EXPECT_EQ(cost_of(4, [](auto lane) { return 4 + lane * 4; }), (SectorCost{5, 4}));
}

TEST(Sectors, StridedLanesTakeASectorEach) {
  EXPECT_EQ(cost_of(4, [](auto lane) { return lane * 32; }), (SectorCost{32, 4}));
  EXPECT_EQ(cost_of(4, [](auto lane) { return lane * 8; }), (SectorCost{8, 4}));
  EXPECT_EQ(cost_of(2, [](auto lane) { return lane * 4096; }), (SectorCost{32, 2}));
}

TEST(Sectors, LanesOnOneAddressWantItOnce) {
  EXPECT_EQ(cost_of(4, [](auto) { return 128u; }), (SectorCost{1, 1}));
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane / 8 * 16; }), (SectorCost{2, 2}));
}

TEST(Sectors, OrderAndInactiveLanesDoNotMatter) {
  EXPECT_EQ(cost_of(4, [](auto lane) { return (31 - lane) * 4; }), (SectorCost{4, 4}));
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane * 4; }, 0xffu),
            (SectorCost{1, 1}));
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane * 4; }, 0x8000'0001u),
            (SectorCost{2, 1}));
}

TEST(Sectors, AgreesWithSetsOfBytesAndSectors) {
  std::uint64_t state = 7;
  for (int round = 0; round < 500; ++round) {
    const int lane_bytes = 1 << round % 5;
    const auto addresses = lanes_at([&](auto) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return (state >> 40) % 700;
    });
    const auto lanes = static_cast<LaneMask>(state >> 32) | 1u;
    std::set<std::uint64_t> bytes, sectors;
    for (std::uint64_t lane = 0; lane < simt::lane_count; ++lane) {
      if ((lanes >> lane & 1u) == 0) continue;
      for (std::uint64_t byte = 0; byte < static_cast<std::uint64_t>(lane_bytes); ++byte) {
        bytes.insert(addresses[lane] + byte);
        sectors.insert((addresses[lane] + byte) / sector_bytes);
      }
    }
    const SectorCost expected{static_cast<std::uint32_t>(sectors.size()),
                              static_cast<std::uint32_t>((bytes.size() + 31) / 32)};
    ASSERT_EQ(sector_cost(addresses.data(), lanes, lane_bytes), expected) << "round " << round;
  }
}

TEST(LocalSectors, LanesAtOneIndexShareALine) {
  std::array<std::uint64_t, simt::lane_count> same{}, apart{};
  same.fill(8);
  for (std::size_t lane = 0; lane < apart.size(); ++lane) apart[lane] = 4 * lane;
  EXPECT_EQ(local_sector_cost(same.data(), simt::all_lanes, 4), (SectorCost{4, 4}));
  EXPECT_EQ(local_sector_cost(same.data(), simt::all_lanes, 16), (SectorCost{16, 16}));
  EXPECT_EQ(local_sector_cost(same.data(), simt::all_lanes, 1), (SectorCost{4, 1}));
  EXPECT_EQ(local_sector_cost(same.data(), 0xffu, 4), (SectorCost{1, 1}));
  EXPECT_EQ(local_sector_cost(apart.data(), simt::all_lanes, 4), (SectorCost{32, 4}));
}

}  // namespace
}  // namespace tilescope
