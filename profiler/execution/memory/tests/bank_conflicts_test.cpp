#include "profiler/execution/memory/bank_conflicts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tilescope {
namespace {

using simt::Access;
using simt::all_lanes;
using simt::LaneMask;

SharedCost cost_of(int lane_bytes, const std::function<std::uint64_t(std::uint64_t)>& address,
                   LaneMask lanes = all_lanes, Access access = Access::load) {
  std::array<std::uint64_t, simt::lane_count> addresses;
  for (std::uint64_t lane = 0; lane < simt::lane_count; ++lane) {
    // The addresses of inactive lanes must not matter.
    addresses[lane] = (lanes >> lane & 1u) != 0 ? address(lane) : 0xdead'beef'0000'0000 + lane * 128;
  }
  return shared_cost(access, addresses.data(), lanes, lane_bytes);
}

TEST(BankConflicts, ConsecutiveWordsTakeOneWavefront) {
  EXPECT_EQ(cost_of(4, [](auto lane) { return lane * 4; }), (SharedCost{1, 1, 1}));
}

TEST(BankConflicts, StrideOfWordsConflictsByItsCommonDivisorWith32) {
  for (std::uint64_t stride = 1; stride <= 33; ++stride) {
    const auto degree = static_cast<std::uint32_t>(std::gcd(stride, std::uint64_t{32}));
    EXPECT_EQ(cost_of(4, [&](auto lane) { return lane * stride * 4; }), (SharedCost{degree, 1, degree}))
        << "stride " << stride;
  }
}

TEST(BankConflicts, OneWordForAllLanesIsABroadcast) {
  EXPECT_EQ(cost_of(4, [](auto) { return 64u; }), (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(4, [](auto lane) { return lane % 3 * 4; }), (SharedCost{1, 1, 1}));
}

TEST(BankConflicts, BytesAndHalvesOfOneWordDoNotConflict) {
  EXPECT_EQ(cost_of(1, [](auto lane) { return lane; }), (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(2, [](auto lane) { return lane * 2; }), (SharedCost{1, 1, 1}));
  // A column of halves in rows of 128 B: 32 words of one bank.
  EXPECT_EQ(cost_of(2, [](auto lane) { return lane * 128 + 6; }), (SharedCost{32, 1, 32}));
  // XOR inside a word does not change the bank.
  EXPECT_EQ(cost_of(2, [](auto lane) { return lane * 128 + (lane % 2) * 2; }), (SharedCost{32, 1, 32}));
}

TEST(BankConflicts, DistinctWordsOfABankCountNotLanes) {
  // 32 lanes, two words of bank 0.
  EXPECT_EQ(cost_of(4, [](auto lane) { return lane % 2 * 128; }), (SharedCost{2, 1, 2}));
}

TEST(BankConflicts, EightBytesGoByHalfWarps) {
  EXPECT_EQ(cost_of(8, [](auto lane) { return lane * 8; }), (SharedCost{2, 2, 1}));
  // Stride 16 B: lanes 0 and 8 of a half meet in one bank.
  EXPECT_EQ(cost_of(8, [](auto lane) { return lane * 16; }), (SharedCost{4, 2, 2}));
  // The halves do not conflict with each other.
  EXPECT_EQ(cost_of(8, [](auto lane) { return lane % 16 * 8 + lane / 16 * 1024; }), (SharedCost{2, 2, 1}));
}

TEST(BankConflicts, SixteenBytesGoByQuarterWarps) {
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane * 16; }), (SharedCost{4, 4, 1}));
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane * 32; }), (SharedCost{8, 4, 2}));
  // A column of 16-byte chunks in rows of 128 B: all lanes of a quarter on the same four banks.
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane * 128; }), (SharedCost{32, 4, 8}));
  // Chunks XORed by the row, and rows padded by 16 B.
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane * 128 + (lane % 8) * 16; }), (SharedCost{4, 4, 1}));
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane * 144; }), (SharedCost{4, 4, 1}));
}

TEST(BankConflicts, PassesOfLoadsMergeWhereNeighboursAgree) {
  EXPECT_EQ(cost_of(8, [](auto lane) { return lane / 2 * 8; }), (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(8, [](auto lane) { return (lane & ~2u) * 8; }), (SharedCost{2, 1, 2}));
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane / 2 * 16; }), (SharedCost{2, 2, 1}));
  EXPECT_EQ(cost_of(16, [](auto lane) { return (lane & 1) * 16 + lane / 4 * 32; }), (SharedCost{2, 2, 1}));
  // One address for all: four requests become two, not one.
  EXPECT_EQ(cost_of(16, [](auto) { return 32u; }), (SharedCost{2, 2, 1}));
  EXPECT_EQ(cost_of(8, [](auto) { return 32u; }), (SharedCost{1, 1, 1}));
}

TEST(BankConflicts, PassesDoNotMergeWhenOnlySomeNeighboursAgree) {
  // Lanes 0 to 15 agree with lane ^ 1 only, lanes 16 to 31 with lane ^ 2 only: each half merges by itself.
  const auto halves = [](std::uint64_t lane) {
    return lane < 16 ? lane / 2 * 16 : 512 + (lane & 1) * 16 + lane / 4 * 32;
  };
  EXPECT_EQ(cost_of(16, halves).minimum, 2u);
  // Quarters of a half that agree with lane ^ 1 only or with lane ^ 2 only.
  const auto quarters = [](std::uint64_t lane) {
    return lane % 16 < 8 ? lane / 2 * 16 : 512 + (lane & 1) * 16 + lane / 4 * 32;
  };
  EXPECT_EQ(cost_of(16, quarters).minimum, 4u);
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane == 5 ? 4096u : lane / 2 * 16; }).minimum, 3u);
}

TEST(BankConflicts, StoresDoNotMerge) {
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane / 2 * 16; }, all_lanes, Access::store),
            (SharedCost{4, 4, 1}));
}

TEST(BankConflicts, InactiveLanesCostNothing) {
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane * 128; }, 0x0000'000fu),
            (SharedCost{4, 1, 4}));
  EXPECT_EQ(cost_of(
                8, [](auto lane) { return lane * 8; }, 0x0000'ffffu),
            (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane * 16; }, 0x00ff'0000u),
            (SharedCost{1, 1, 1}));
  // No active neighbour disagrees, so the passes of lanes 0 and 8 merge, in which their rows may conflict.
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane * 16; }, 0x0101'0101u),
            (SharedCost{4, 2, 2}));
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane * 18; }, 0x0101'0101u),
            (SharedCost{2, 2, 1}));
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane * 4; }, 0x8000'0000u),
            (SharedCost{1, 1, 1}));
}

TEST(BankConflicts, LdmatrixTakesAPassAMatrix) {
  // Rows of 128 B: the eight rows of a matrix on the same banks.
  const auto unpadded = [](std::uint64_t lane) { return lane * 128; };
  EXPECT_EQ(cost_of(16, unpadded, all_lanes, Access::matrix_load), (SharedCost{32, 4, 8}));
  EXPECT_EQ(cost_of(16, unpadded, 0xffffu, Access::matrix_load), (SharedCost{16, 2, 8}));
  EXPECT_EQ(cost_of(16, unpadded, 0xffu, Access::matrix_load), (SharedCost{8, 1, 8}));
  const auto padded = [](std::uint64_t lane) { return lane * 144; };
  EXPECT_EQ(cost_of(16, padded, all_lanes, Access::matrix_load), (SharedCost{4, 4, 1}));
  EXPECT_EQ(cost_of(16, padded, all_lanes, Access::matrix_store), (SharedCost{4, 4, 1}));
  // Identical matrices are read again: passes of ldmatrix do not merge.
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane % 8 * 16; }, all_lanes, Access::matrix_load),
            (SharedCost{4, 4, 1}));
}

TEST(BankConflicts, PublishedGemmRowsOf32BytesConflictTwice) {
  // A rows of 32 B, ldmatrix.x4 of a 16x16 tile: lane l gives row l % 16, half l / 16. Eight rows span 256 B, two rows
  // of each matrix meet: 4 conflicts an instruction, which over 8192 blocks and 64 steps are the published 2,097,152.
  const SharedCost cost = cost_of(
      16, [](auto lane) { return lane % 16 * 32 + lane / 16 * 16; }, all_lanes, Access::matrix_load);
  EXPECT_EQ(cost, (SharedCost{8, 4, 2}));
  EXPECT_EQ((cost.wavefronts - cost.minimum) * 8192u * 64u, 2'097'152u);
}

// 32 lanes copy rows of `row_bytes`, 16 B each, `lanes_per_row` of them side by side, from rows that follow each other
// in global memory to rows `stride` apart; `permute` gives a chunk's place in its row.
SharedCost copied(std::uint64_t row_bytes, std::uint64_t stride, std::uint64_t lanes_per_row,
                  std::uint64_t first_row,
                  const std::function<std::uint64_t(std::uint64_t row, std::uint64_t chunk)>& permute,
                  LaneMask lanes = all_lanes) {
  std::uint64_t to[32], from[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t row = first_row + lane / lanes_per_row, chunk = lane % lanes_per_row;
    from[lane] = 4096 + row * row_bytes + chunk * 16;
    to[lane] = row * stride + permute(row, chunk) * 16;
  }
  return past_l1_cost(to, from, lanes, lanes);
}

TEST(BankConflicts, CopiesPastL1MoveSectorsOfOneLineToOneTurn) {
  const auto plain = [](std::uint64_t, std::uint64_t chunk) { return chunk; };
  const auto swizzled = [](std::uint64_t row, std::uint64_t chunk) { return chunk ^ row % 8; };
  EXPECT_EQ(copied(128, 128, 8, 0, plain), (SharedCost{4, 4, 1}));
  EXPECT_EQ(copied(128, 128, 8, 0, swizzled), (SharedCost{4, 4, 1}));
  // Half rows: each is the half of another line.
  EXPECT_EQ(copied(128, 64, 4, 0, plain), (SharedCost{8, 8, 1}));
  // Rows of 144 B: every second row is 16 B off its sectors, and all but one in eight end in another turn. Rows 0 to 7
  // take 1, 3, 2, 4, 2, 4, 2 and 3, as an H200 counts: 10.5 for four rows.
  EXPECT_EQ(copied(128, 144, 8, 0, plain), (SharedCost{10, 4, 4}));
  EXPECT_EQ(copied(128, 144, 8, 4, plain), (SharedCost{11, 4, 4}));
  EXPECT_EQ(copied(128, 144, 8, 1, plain, 0xff), (SharedCost{3, 1, 3}));
  // A column of rows: each chunk goes to a turn of its own.
  const auto down = [](std::uint64_t, std::uint64_t chunk) { return chunk * 8; };
  EXPECT_EQ(copied(128, 1024, 8, 0, down), (SharedCost{32, 4, 8}));
  // One chunk for all lanes.
  EXPECT_EQ(copied(0, 16, 1, 0, plain), (SharedCost{32, 4, 32}));
}

// A launch of h200_copies_past_l1.txt.
struct CopyPastL1 {
  std::uint32_t wavefronts = 0;
  LaneMask lanes = 0;
  std::uint64_t to[32] = {}, from[32] = {};
  std::string name;

  bool writes_a_place_twice() const {
    std::set<std::uint64_t> places;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1u) != 0 && !places.insert(to[lane]).second) return true;
    }
    return false;
  }
};

std::vector<CopyPastL1> recorded_copies() {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) +
                     "/profiler/execution/ptx/tests/hardware/h200_copies_past_l1.txt");
  std::vector<CopyPastL1> copies;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream text(line);
    CopyPastL1& copy = copies.emplace_back();
    text >> copy.wavefronts >> copy.lanes;
    for (std::uint64_t& offset : copy.to) text >> offset;
    for (std::uint64_t& offset : copy.from) text >> offset;
    std::getline(text, copy.name);
  }
  return copies;
}

TEST(BankConflicts, CopiesPastL1TakeTheWavefrontsThatAnH200Counts) {
  int compared = 0;
  for (const CopyPastL1& copy : recorded_copies()) {
    // If lanes write one place, the GPU drops all but one of them.
    if (copy.writes_a_place_twice()) continue;
    ++compared;
    EXPECT_EQ(past_l1_cost(copy.to, copy.from, copy.lanes, copy.lanes).wavefronts, copy.wavefronts)
        << copy.name;
    std::uint64_t moved[32];
    for (unsigned lane = 0; lane < 32; ++lane) moved[lane] = copy.to[lane] + 5 * 128;
    EXPECT_EQ(past_l1_cost(moved, copy.from, copy.lanes, copy.lanes).wavefronts, copy.wavefronts)
        << copy.name;
  }
  EXPECT_EQ(compared, 186);
}

TEST(BankConflicts, WholeSectorsWithAndWithoutSwappedHalvesMoveApart) {
  // Rows of 64 B, swizzled by chunks: in rows 1 and 3 the halves of the sectors change places. An H200 counts 8.
  std::uint64_t to[32], from[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    from[lane] = lane * 16;
    to[lane] = lane / 4 * 64 + (lane % 4 ^ lane / 4 % 4) * 16;
  }
  EXPECT_EQ(past_l1_cost(to, from, all_lanes, all_lanes), (SharedCost{8, 4, 2}));
}

TEST(BankConflicts, ACopyWithLanesThatCopyZerosCostsAPassOfEachQuarterMore) {
  std::uint64_t to[32], from[32];
  for (std::uint64_t lane = 0; lane < 32; ++lane) to[lane] = from[lane] = lane * 16;
  EXPECT_EQ(past_l1_cost(to, from, all_lanes, 0xffff), (SharedCost{6, 6, 1}));
  EXPECT_EQ(past_l1_cost(to, from, all_lanes, 1), (SharedCost{5, 5, 1}));
  EXPECT_EQ(past_l1_cost(to, from, 0xff, 0x0f), (SharedCost{2, 2, 1}));
  // Where a lane that copies zeros would read does not matter.
  for (std::uint64_t lane = 16; lane < 32; ++lane) from[lane] = lane * 4096;
  EXPECT_EQ(past_l1_cost(to, from, all_lanes, 0xffff), (SharedCost{6, 6, 1}));
  // Two lines that a quarter reads from the same banks: it writes in two wavefronts.
  for (std::uint64_t lane = 0; lane < 32; ++lane) from[lane] = lane / 4 * 256 + lane % 4 * 16;
  EXPECT_EQ(past_l1_cost(to, from, all_lanes, 0xff), (SharedCost{7, 6, 2}));
}

// A launch of h200_copies_with_zeros.txt.
struct CopyWithZeros {
  std::uint32_t wavefronts = 0, sectors = 0;
  LaneMask lanes = 0, reading = 0;
  std::uint64_t to[32] = {}, from[32] = {};
  std::string name;

  // Lanes of a quarter meet in a bank of shared memory, and in one of the lines of global memory.
  bool meets_on_both_sides() const {
    for (unsigned first = 0; first < 32; first += 8) {
      std::map<std::uint64_t, std::set<std::uint64_t>> writes, reads;
      for (unsigned lane = first; lane < first + 8; ++lane) {
        if ((lanes >> lane & 1u) != 0) writes[to[lane] / 16 % 8].insert(to[lane]);
        if ((reading >> lane & 1u) != 0) reads[from[lane] / 16 % 8].insert(from[lane]);
      }
      const auto meet = [](const auto& bank) { return bank.second.size() > 1; };
      if (std::ranges::any_of(writes, meet) && std::ranges::any_of(reads, meet)) return true;
    }
    return false;
  }
};

std::vector<CopyWithZeros> recorded_copies_with_zeros() {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) +
                     "/profiler/execution/ptx/tests/hardware/h200_copies_with_zeros.txt");
  std::vector<CopyWithZeros> copies;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream text(line);
    CopyWithZeros& copy = copies.emplace_back();
    text >> copy.wavefronts >> copy.sectors >> copy.lanes >> copy.reading;
    for (std::uint64_t& offset : copy.to) text >> offset;
    for (std::uint64_t& offset : copy.from) text >> offset;
    std::getline(text, copy.name);
  }
  return copies;
}

TEST(BankConflicts, CopiesWithZerosTakeTheWavefrontsThatAnH200Counts) {
  int exact = 0, exceptions = 0;
  for (const CopyWithZeros& copy : recorded_copies_with_zeros()) {
    const SharedCost cost = past_l1_cost(copy.to, copy.from, copy.lanes, copy.reading);
    if (cost.wavefronts == copy.wavefronts) {
      ++exact;
      continue;
    }
    ++exceptions;
    EXPECT_TRUE(copy.meets_on_both_sides() && copy.lanes != copy.reading) << copy.name;
    EXPECT_NEAR(cost.wavefronts, copy.wavefronts, 2) << copy.name;
  }
  EXPECT_EQ(exact, 203);
  EXPECT_EQ(exceptions, 2);
}

TEST(BankConflicts, EachHalfMergesItsPasses) {
  // Pairs in the lower half alone: it takes one pass, the upper half two.
  const auto pairs_below = [](std::uint64_t lane) { return (lane < 16 ? lane / 2 : lane) % 8 * 16; };
  EXPECT_EQ(cost_of(16, pairs_below), (SharedCost{3, 3, 1}));
  // Pairs whose words meet: the pass takes as many wavefronts as both.
  EXPECT_EQ(cost_of(16, [](auto lane) { return lane / 2 * 64; }), (SharedCost{8, 2, 4}));
  // At most 16 lanes of one address, and the lower half alone.
  EXPECT_EQ(cost_of(
                16, [](auto) { return 64; }, 0x55555555),
            (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(
                16, [](auto) { return 64; }, 0x5555ffff),
            (SharedCost{2, 2, 1}));
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane % 8 * 16; }, 0xffff),
            (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane % 8 * 16; }, 0xffff0000),
            (SharedCost{2, 2, 1}));
}

TEST(BankConflicts, WideLoadsTakeTheWavefrontsThatAnH200Counts) {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) +
                     "/profiler/execution/ptx/tests/hardware/h200_wide_loads.txt");
  int exact = 0, exceptions = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream text(line);
    std::uint32_t wavefronts = 0;
    int bytes = 0;
    LaneMask lanes = 0;
    std::uint64_t from[32];
    text >> wavefronts >> bytes >> lanes;
    for (std::uint64_t& offset : from) text >> offset;
    const std::uint32_t counted = shared_cost(Access::load, from, lanes, bytes).wavefronts;
    if (counted == wavefronts) {
      ++exact;
      continue;
    }
    // Some lanes of both halves load 16 B.
    ++exceptions;
    EXPECT_TRUE(bytes == 16 && (lanes & 0xffff) != 0 && lanes >> 16 != 0 && lanes != all_lanes) << line;
    EXPECT_NEAR(counted, wavefronts, 1) << line;
  }
  EXPECT_EQ(exact, 401);
  EXPECT_EQ(exceptions, 18);
}

TEST(BankConflicts, AsyncCopiesWriteLikeStores) {
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane * 16; }, all_lanes, Access::async_copy_issue),
            (SharedCost{4, 4, 1}));
  EXPECT_EQ(cost_of(
                16, [](auto lane) { return lane * 128; }, all_lanes, Access::async_copy_issue),
            (SharedCost{32, 4, 8}));
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane * 8; }, all_lanes, Access::async_copy_issue),
            (SharedCost{2, 1, 2}));
}

TEST(BankConflicts, AtomicsOnOneWordFollowEachOther) {
  EXPECT_EQ(cost_of(
                4, [](auto) { return 0u; }, all_lanes, Access::atomic),
            (SharedCost{32, 1, 32}));
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane / 4 * 4; }, all_lanes, Access::atomic),
            (SharedCost{4, 1, 4}));
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane * 4; }, all_lanes, Access::atomic),
            (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(
                8, [](auto) { return 0u; }, all_lanes, Access::atomic),
            (SharedCost{32, 2, 16}));
}

// 188 ATOMS.POPC.INC of a histogram, whose lanes all count one word, took 188 wavefronts on an H200.
TEST(BankConflicts, LanesThatCountOneWordAreAddedAtOnce) {
  EXPECT_EQ(cost_of(
                4, [](auto) { return 0u; }, all_lanes, Access::atomic_count),
            (SharedCost{1, 1, 1}));
  EXPECT_EQ(cost_of(
                4, [](auto lane) { return lane % 3 * 128; }, all_lanes, Access::atomic_count),
            (SharedCost{3, 1, 3}));
}

TEST(BankConflicts, MovingAllAddressesByWordsChangesNothing) {
  for (const int lane_bytes : {1, 2, 4, 8, 16}) {
    const auto bytes = static_cast<std::uint64_t>(lane_bytes);
    const auto pattern = [&](std::uint64_t lane) { return (lane * 7 + lane * lane * 3) % 61 * bytes; };
    const SharedCost cost = cost_of(lane_bytes, pattern, 0xfeed'beefu);
    const std::uint64_t step = std::max<std::uint64_t>(bytes, 4);
    for (std::uint64_t move = step; move < 40 * step; move += step) {
      EXPECT_EQ(cost_of(
                    lane_bytes, [&](auto lane) { return pattern(lane) + move; }, 0xfeed'beefu),
                cost);
    }
  }
}

}  // namespace
}  // namespace tilescope
