// Records of a launch's accesses: lines, L1, first touches, atomic operations.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

#include "profiler/explanation/model/access_lines.hpp"
#include "profiler/explanation/model/atomic_counts.hpp"
#include "profiler/explanation/model/block_l1.hpp"
#include "profiler/explanation/model/interleaved_l1.hpp"
#include "profiler/explanation/model/touched_memory.hpp"

namespace tilescope::model {
namespace {

// An access of all lanes, each `stride` bytes from its neighbour.
class Lanes {
 public:
  Lanes(std::uint64_t first, std::uint64_t stride, int lane_bytes, simt::Space space = simt::Space::global,
        simt::Access kind = simt::Access::load) {
    for (std::size_t lane = 0; lane < addresses_.size(); ++lane) addresses_[lane] = first + lane * stride;
    access_.space = space;
    access_.access = kind;
    access_.lane_bytes = static_cast<std::uint8_t>(lane_bytes);
    access_.lanes = simt::all_lanes;
    access_.addresses = addresses_.data();
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  const simt::MemoryAccess& access() const { return access_; }

 private:
  std::array<std::uint64_t, simt::lane_count> addresses_{};
  simt::MemoryAccess access_;
};

struct Touched {
  std::size_t lines = 0;
  unsigned sectors = 0, partial = 0;
  bool operator==(const Touched&) const = default;
};

Touched touched_by(const Lanes& lanes) {
  AccessLines lines;
  lines.read(lanes.access(), 0);
  Touched sum;
  for (const TouchedLine& line : lines.lines()) {
    ++sum.lines;
    sum.sectors += static_cast<unsigned>(std::popcount(line.sectors()));
    sum.partial += line.partial_sectors();
  }
  return sum;
}

TEST(AccessLines, CountLinesSectorsAndPartsOfSectors) {
  EXPECT_EQ(touched_by({1024, 4, 4}), (Touched{1, 4, 0}));
  EXPECT_EQ(touched_by({1024, 8, 4}), (Touched{2, 8, 8})) << "half of each sector";
  EXPECT_EQ(touched_by({1024, 4096, 4}), (Touched{32, 32, 32}));
  EXPECT_EQ(touched_by({1024, 16, 16}), (Touched{4, 16, 0}));
  EXPECT_EQ(touched_by({1024, 0, 4}), (Touched{1, 1, 1}));
  EXPECT_EQ(touched_by({1040, 4, 4}), (Touched{2, 5, 2})) << "over the end of a line";
}

TEST(AccessLines, LanesHaveWordsOfLocalMemorySideBySide) {
  EXPECT_EQ(touched_by({64, 0, 4, simt::Space::local}), (Touched{1, 4, 0})) << "one word each";
  EXPECT_EQ(touched_by({0, 4, 4, simt::Space::local}), (Touched{32, 32, 32})) << "a word of its own each";
  EXPECT_EQ(touched_by({64, 0, 16, simt::Space::local}), (Touched{4, 16, 0}));
  AccessLines of_first, of_second;
  const Lanes lanes(0, 0, 4, simt::Space::local);
  of_first.read(lanes.access(), 0);
  of_second.read(lanes.access(), 1);
  EXPECT_NE(of_first.lines()[0].number, of_second.lines()[0].number) << "each warp has its own";
}

// [cycles] The mean of the eight warps of hardware/l1_loads.cu, which took 8.1, 8.4, 9.1, 13.3, 14.2, 8.7 and 11.4.
TEST(AccessLines, LinesOfOneBankOfTagsTakeTurns) {
  const auto lookups = [](std::uint64_t floats) {
    constexpr std::uint64_t warps = 8, bytes_of_warp = 32 * 4 * 17 * sizeof(float);
    double sum = 0;
    for (std::uint64_t warp = 0; warp < warps; ++warp) {
      AccessLines lines;
      lines.read(Lanes(warp * bytes_of_warp, 4 * floats, 4).access(), 0);
      sum += lines.lookups();
    }
    return sum / warps;
  };
  EXPECT_EQ(lookups(33), 8);
  EXPECT_NEAR(lookups(65), 8.4, 0.5);
  EXPECT_NEAR(lookups(34), 9.1, 0.5);
  EXPECT_NEAR(lookups(100), 13.3, 0.5);
  EXPECT_NEAR(lookups(300), 14.2, 1.1);
  EXPECT_NEAR(lookups(1023), 8.7, 0.5);
  EXPECT_NEAR(lookups(1999), 11.4, 0.5);
  EXPECT_EQ(lookups(1), 1) << "one line";
}

TEST(BlockL1, ReplacesTheLineThatWasNotUsedForTheLongestTime) {
  BlockL1 l1(3 * 128);
  for (const std::uint64_t line : {1u, 2u, 3u, 1u}) l1.find(line).sectors = 15;
  l1.find(4).sectors = 15;
  EXPECT_EQ(l1.find(1).sectors, 15u);
  EXPECT_EQ(l1.find(3).sectors, 15u);
  EXPECT_EQ(l1.find(2).sectors, 0u) << "gone";
}

constexpr auto load = InterleavedL1::Kind::load;

std::vector<TouchedLine> line(std::uint64_t number) {
  TouchedLine one;
  one.number = number;
  one.bytes.fill(~0u);
  return {one};
}

TEST(InterleavedL1, WarpsThatRunSideBySideLoadALineOnce) {
  std::vector<InterleavedL1::Accesses> sums(1);
  InterleavedL1 l1(2 * 128, 2 * 128, 8, 0, nullptr, sums);
  // Warp after warp walks over 100 lines, as the interpreter runs them: too many for L1 if they came one after the other.
  for (std::size_t warp = 0; warp < 8; ++warp)
    for (std::uint64_t i = 0; i < 100; ++i) l1.add(warp, 10 * i, 0, load, line(i));
  l1.replay();
  EXPECT_EQ(sums[0].in_share.lines, 100);
  EXPECT_EQ(sums[0].in_share.sectors, 400);
  EXPECT_EQ(sums[0].in_share.waiting, 800) << "all wait for a line that the first of them asked for";
  EXPECT_EQ(sums[0].repeated_sectors, 0);
}

TEST(InterleavedL1, AWarpWaitsOnceForALineAndNotLater) {
  std::vector<InterleavedL1::Accesses> sums(1);
  InterleavedL1 l1(1e4, 1e4, 2, 0, nullptr, sums);
  for (std::uint64_t i = 0; i < 5; ++i) l1.add(0, i, 0, load, line(7));
  l1.add(1, 500, 0, load, line(7));
  l1.replay();
  EXPECT_EQ(sums[0].in_share.waiting, 1);
}

TEST(InterleavedL1, ALoadOfWhatItsBlockStoredIsRepeatedAndNotFirst) {
  simt::GlobalMemory memory;
  const std::uint64_t address = memory.allocate("x", 128);
  TouchedMemory touched(memory);
  std::vector<InterleavedL1::Accesses> sums(2);
  InterleavedL1 l1(1e4, 1e4, 1, 0, &touched, sums);
  const Lanes store(address, 4, 4, simt::Space::global, simt::Access::store);
  touched.add(store.access(), 0);
  l1.add(0, 0, 0, InterleavedL1::Kind::global_store, line(address / 128));
  l1.add(0, 100, 1, load, line(address / 128));
  l1.replay();
  EXPECT_EQ(sums[1].in_share.sectors, 4);
  EXPECT_EQ(sums[1].in_share.first_sectors, 0);
  EXPECT_EQ(sums[1].repeated_sectors, 4);
  EXPECT_EQ(sums[1].bytes_between, 4 * 128) << "of each sector";
  EXPECT_EQ(sums[0].repeated_sectors, 0) << "a store waits for nothing";
}

TEST(InterleavedL1, WhatBlocksShareMayFillAllOfL1) {
  std::vector<InterleavedL1::Accesses> sums(1);
  InterleavedL1 l1(10 * 128, 40 * 128, 1, 0, nullptr, sums);
  for (std::uint64_t i = 0; i < 60; ++i) l1.add(0, 100 * i, 0, load, line(i % 20));
  l1.replay();
  EXPECT_EQ(sums[0].in_share.lines, 60);
  EXPECT_EQ(sums[0].in_whole.lines, 20);
  EXPECT_EQ(sums[0].repeated_sectors, 160) << "loaded again";
  EXPECT_NEAR(sums[0].bytes_between / sums[0].repeated_sectors, 20 * 128, 1) << "after twenty lines";
}

struct Buffers {
  Buffers() : first(memory.allocate("a", 4096)), second(memory.allocate("b", 1024)) {}
  simt::GlobalMemory memory;
  std::uint64_t first, second;
};

TEST(TouchedMemory, KnowsTheFirstBlockOfEachSectorAndWhatIsWritten) {
  Buffers buffers;
  TouchedMemory touched(buffers.memory);
  touched.add(Lanes(buffers.first, 4, 4).access(), 5);
  touched.add(Lanes(buffers.first + 64, 4, 4).access(), 6);
  touched.add(Lanes(buffers.second, 4, 4, simt::Space::global, simt::Access::store).access(), 6);
  EXPECT_EQ(touched.bytes(), 128 + 64 + 128);
  EXPECT_EQ(touched.written_bytes(), 128);
  EXPECT_TRUE(touched.take_first(buffers.first / 32, 5));
  EXPECT_FALSE(touched.take_first(buffers.first / 32, 5)) << "once";
  EXPECT_FALSE(touched.take_first(buffers.first / 32 + 2, 6)) << "block 5 was there";
  EXPECT_TRUE(touched.take_first(buffers.first / 32 + 4, 6));
  EXPECT_FALSE(touched.take_first(1, 0)) << "no buffer";
}

AtomicQueue queue_of(std::uint64_t stride, bool are_floats) {
  AtomicCounts counts;
  for (int i = 0; i < 10; ++i)
    counts.add(Lanes(1 << 20, stride, 4, simt::Space::global, simt::Access::atomic).access(), are_floats);
  return counts.queue(2);
}

TEST(AtomicCounts, ASliceTakesASectorAtATimeAndEachWordOfItOnce) {
  const AtomicQueue one = queue_of(0, true);
  EXPECT_EQ(one.turns_in_one_slice, 2 * 10 * 32);
  EXPECT_EQ(one.float_turns_in_one_sector, 2 * 10 * 32);
  const AtomicQueue line = queue_of(4, true);
  EXPECT_EQ(line.turns_in_one_slice, 2 * 10 * 4);
  EXPECT_EQ(line.float_turns_in_one_sector, 2 * 10);
  const AtomicQueue sectors = queue_of(32, false);
  EXPECT_EQ(sectors.turns_in_one_slice, 2 * 10 * 16) << "1 KB lies in two slices";
  EXPECT_EQ(sectors.float_turns_in_one_sector, 0);
  EXPECT_EQ(queue_of(1024, false).turns_in_one_slice, 2 * 10);
}

}  // namespace
}  // namespace tilescope::model
