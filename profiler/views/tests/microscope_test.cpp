#include "profiler/views/memory/microscope.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "profiler/views/memory/access_reason.hpp"
#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {
namespace {

using simt::Access;
using simt::LaneMask;

struct MadeAccess {
  Access access = Access::load;
  std::uint32_t width = 4;
  std::function<std::uint64_t(std::uint64_t lane)> address;
  LaneMask lanes = simt::all_lanes;
  bool is_shared = true;
  /// Source of a cp.async past L1.
  std::function<std::uint64_t(std::uint64_t lane)> source = nullptr;
};

class Microscope : public testing::Test {
 protected:
  MicroscopeView look(const MadeAccess& made) {
    BlockRecording recording;
    RecordedSite& site = recording.sites.emplace_back();
    site.is_shared = made.is_shared;
    site.access = made.access;
    site.line = 148;
    site.operation = made.is_shared ? "ld.shared" : "ld.global";
    site.width_bytes = made.width;
    site.instruction = "ld.shared.u32 \t%r1,  [%r2];";
    site.tile = "K";
    RecordedPattern& pattern = recording.patterns.emplace_back();
    pattern.lanes = made.lanes;
    RecordedAccess access;
    const auto first = static_cast<std::uint64_t>(std::countr_zero(made.lanes));
    access.base = made.address(first);
    access.warp = 2;
    if (made.source) {
      access.source_base = made.source(first);
      pattern.source_offsets.resize(32);
      pattern.source_lanes = made.lanes;
    }
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      if ((made.lanes >> lane & 1u) == 0) continue;
      pattern.offsets[lane] = static_cast<std::int64_t>(made.address(lane) - access.base);
      if (made.source)
        pattern.source_offsets[lane] = static_cast<std::int64_t>(made.source(lane) - access.source_base);
    }
    return microscope_view(recording, tiles, access);
  }
  /// A tile K of 64 rows of 2-byte elements at byte 0.
  void declare(std::int64_t columns, std::int64_t pitch, std::int64_t swizzle = 0) {
    TileRange range{"K", 0, 64 * pitch * 2, TileLayout{64, columns, 2, pitch, {}}};
    for (std::int64_t row = 0; row < 64; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t chunk = swizzle != 0 ? column / 8 ^ row % swizzle : column / 8;
        range.layout->index.push_back(static_cast<std::uint32_t>(row * pitch + chunk * 8 + column % 8));
      }
    }
    tiles = TileFinder({range});
  }

  TileFinder tiles;
};

TEST_F(Microscope, NamesTheLanesThatMeetAndTheRowsThatTheyRead) {
  declare(64, 64);
  const MicroscopeView view = look({Access::load, 16, [](auto lane) { return lane * 128; }});
  EXPECT_EQ(view.title, "ld.shared of K, 16 B per lane");
  EXPECT_EQ(view.instruction, "ld.shared.u32 %r1, [%r2];");
  EXPECT_EQ(view.verdict, "8-way bank conflict");
  EXPECT_EQ(view.cost_words, "32 wavefronts, minimum 4");
  EXPECT_TRUE(view.has_excess);
  EXPECT_EQ(
      view.reason,
      "8 lanes of pass 1 need different words of banks 0 to 3: lanes 0 to 7 read rows 0 to 7, column 0 of K, "
      "128 B apart, which is a whole turn of the 32 banks. A row of K takes 128 B, so that every row begins "
      "in "
      "the same bank.");
  EXPECT_EQ(view.shared.passes.size(), 4U);
  for (const LaneView& lane : view.lanes) EXPECT_EQ(lane.role, LaneRole::colliding);
  EXPECT_EQ(view.lanes[9].pass, 1U);
  EXPECT_EQ(view.pass_name(1), "Pass 2");
  EXPECT_EQ(pass_reason(view, 0), view.reason);
  EXPECT_EQ(pass_reason(view, std::nullopt), view.reason + " The other 3 passes take 8 wavefronts, too.");
  EXPECT_EQ(pass_reason(view, 2).substr(0, 81),
            "8 lanes of pass 3 need different words of banks 0 to 3: lanes 16 to 23 read rows ");
}

TEST_F(Microscope, NarrowReadsOfAColumnMeetInOneBank) {
  declare(64, 64);
  const MicroscopeView view = look({Access::load, 2, [](auto lane) { return lane * 128 + 6; }});
  EXPECT_EQ(view.verdict, "32-way bank conflict");
  EXPECT_NE(view.reason.find(
                "32 lanes of the warp need different words of bank 1: lanes 0 to 31 read rows 0 to 31, "
                "column 3 of K, 128 B apart"),
            std::string::npos)
      << view.reason;
}

TEST_F(Microscope, APitchOfHalfATurnMakesEverySecondRowMeet) {
  declare(32, 32);
  const MicroscopeView view = look({Access::load, 16, [](auto lane) { return lane * 64; }});
  EXPECT_EQ(view.verdict, "4-way bank conflict");
  EXPECT_NE(view.reason.find("lanes 0, 2, 4 and 6 read rows 0, 2, 4 and 6, column 0 of K"), std::string::npos)
      << view.reason;
  EXPECT_NE(view.reason.find("every second row begins in the same bank"), std::string::npos) << view.reason;
}

TEST_F(Microscope, APaddingOfOneWordMakesEvery32ndRowMeet) {
  declare(64, 66);
  const MicroscopeView view = look({Access::load, 4, [](auto lane) { return lane % 2 * 32 * 132; }});
  EXPECT_EQ(view.verdict, "2-way bank conflict");
  EXPECT_NE(view.reason.find("every 32nd row begins in the same bank"), std::string::npos) << view.reason;
}

TEST_F(Microscope, SaysThatALayoutIsFreeOfConflicts) {
  declare(64, 72);
  const MicroscopeView padded = look({Access::load, 16, [](auto lane) { return lane * 144; }});
  EXPECT_EQ(padded.verdict, "No bank conflict");
  EXPECT_EQ(padded.cost_words, "4 wavefronts, minimum 4");
  EXPECT_EQ(
      padded.reason,
      "Each pass needs at most one word of each bank: lanes 0 to 7 read rows 0 to 7, column 0 of K, in 32 "
      "banks.");
  declare(64, 64, 8);
  const MicroscopeView swizzled =
      look({Access::load, 16, [](auto lane) { return lane * 128 + lane % 8 * 16; }});
  EXPECT_FALSE(swizzled.has_excess);
  EXPECT_EQ(swizzled.lanes[3].place.element->column, 0) << "the index function is undone";
  EXPECT_NE(swizzled.reason.find("rows 0 to 7, column 0 of K"), std::string::npos) << swizzled.reason;
}

TEST_F(Microscope, AStrideIsTheCauseWhereNoRowIs) {
  const MicroscopeView view = look({Access::store, 4, [](auto lane) { return lane * 8; }});
  EXPECT_NE(view.reason.find("Neighbouring lanes are 8 B apart and use 16 of the 32 banks."),
            std::string::npos)
      << view.reason;
  EXPECT_NE(view.reason.find("2 lanes of the warp need different words of bank 0: "), std::string::npos)
      << view.reason;
  EXPECT_NE(view.reason.find("lanes 0 and 16 write"), std::string::npos) << view.reason;
}

TEST_F(Microscope, WordsThatSeveralLanesShareCountOnce) {
  const MicroscopeView view = look({Access::load, 4, [](auto lane) { return lane % 2 * 128; }});
  EXPECT_EQ(view.verdict, "2-way bank conflict");
  EXPECT_NE(view.reason.find(
                "The warp needs 2 different words of bank 0: lanes 0 and 1, and those that share their "
                "words, read "),
            std::string::npos)
      << view.reason;
}

TEST_F(Microscope, ABroadcastIsOneWavefront) {
  const MicroscopeView view = look({Access::load, 4, [](auto) { return 64U; }, 0x00ff'ffffU});
  EXPECT_EQ(view.verdict, "No bank conflict");
  EXPECT_EQ(view.reason,
            "All 24 active lanes read one word, which moves once for all of them. Lanes 24 to 31 are idle.");
  EXPECT_EQ(view.lanes[0].role, LaneRole::sharing);
  EXPECT_EQ(view.lanes[31].role, LaneRole::idle);
  EXPECT_EQ(role_letter(view, LaneRole::sharing), "B");
  EXPECT_EQ(lane_details(view, 31), (std::vector<TextPair>{{"Lane", "31, idle"}}));
  // A wide one: two passes become one.
  const MicroscopeView wide = look({Access::load, 16, [](auto) { return 64U; }});
  EXPECT_NE(wide.reason.find("two passes become one"), std::string::npos) << wide.reason;
  EXPECT_EQ(wide.minimum, 2U);
}

TEST_F(Microscope, LanesWithTheirOwnWordsAreNotMarked) {
  const MicroscopeView view = look({Access::store, 4, [](auto lane) { return lane * 4; }});
  for (const LaneView& lane : view.lanes) EXPECT_EQ(lane.role, LaneRole::alone);
  EXPECT_EQ(role_letter(view, LaneRole::alone), "");
  EXPECT_EQ(role_letter(view, LaneRole::sharing), "S") << "a store broadcasts nothing";
}

TEST_F(Microscope, MatricesArePasses) {
  declare(64, 64);
  MadeAccess made{Access::matrix_load, 16, [](auto lane) { return lane * 128; }, 0xffffU};
  const MicroscopeView view = look(made);
  EXPECT_EQ(view.shared.passes.size(), 2U);
  EXPECT_NE(view.rule.find("8x8 matrix"), std::string::npos);
  EXPECT_NE(view.reason.find("rows 0 to 7, column 0 of K"), std::string::npos) << view.reason;
  EXPECT_NE(view.reason.find("Lanes 16 to 31 are idle."), std::string::npos) << view.reason;
}

TEST_F(Microscope, AtomicsOnOneWordFollowEachOther) {
  const MicroscopeView view = look({Access::atomic, 4, [](auto) { return 0U; }});
  EXPECT_EQ(view.verdict, "32-way bank conflict");
  EXPECT_EQ(
      view.reason,
      "32 lanes of the warp update the same word of bank 0: lanes 0 to 31. Atomics on one word follow each "
      "other, a wavefront each.");
  const MicroscopeView apart = look({Access::atomic, 4, [](auto lane) { return lane * 128; }});
  EXPECT_NE(apart.reason.find("different words of bank 0"), std::string::npos) << apart.reason;
}

TEST_F(Microscope, CopiesPastL1GoByTheLinesThatTheyRead) {
  const auto from = [](std::uint64_t lane) { return 4096 + lane * 16; };
  const MicroscopeView straight =
      look({Access::async_copy_issue, 16, [](auto lane) { return lane * 16; }, simt::all_lanes, true, from});
  EXPECT_EQ(straight.cost_words, "4 wavefronts, minimum 4");
  EXPECT_EQ(straight.reason, "The lanes copy from 4 lines of 128 B of global memory, each in one wavefront.");
  EXPECT_EQ(straight.pass_name(0), "Global line 1");
  EXPECT_EQ(straight.lanes[9].source, 4096U + 9 * 16);
  // Rows of 144 B: the second row is 16 B off its sectors and ends in another turn.
  const auto padded = [](std::uint64_t lane) { return lane / 8 * 144 + lane % 8 * 16; };
  const MicroscopeView shifted = look({Access::async_copy_issue, 16, padded, simt::all_lanes, true, from});
  EXPECT_TRUE(shifted.has_excess);
  EXPECT_NE(shifted.reason.find("that read global line 4 (128 B) write into"), std::string::npos)
      << shifted.reason;
  EXPECT_NE(shifted.reason.find("cuts sectors of 32 B in two"), std::string::npos) << shifted.reason;
  EXPECT_NE(shifted.rule.find("rotated or mirrored"), std::string::npos);
  EXPECT_EQ(role_words(shifted, LaneRole::colliding), "global line takes several wavefronts");
  EXPECT_EQ(shifted.verdict, "Up to 4 wavefronts per global line");
}

TEST_F(Microscope, GlobalAccessesGoBySectors) {
  const MicroscopeView coalesced =
      look({Access::load, 4, [](auto lane) { return 4096 + lane * 4; }, simt::all_lanes, false});
  EXPECT_EQ(coalesced.verdict, "Coalesced");
  EXPECT_EQ(coalesced.cost_words, "4 sectors, minimum 4");
  EXPECT_EQ(coalesced.reason, "Every byte of the 4 sectors is used.");
  EXPECT_EQ(role_letter(coalesced, coalesced.lanes[0].role), "S") << "eight lanes share a sector";

  const MicroscopeView strided =
      look({Access::load, 4, [](auto lane) { return 4096 + lane * 128; }, simt::all_lanes, false});
  EXPECT_EQ(strided.verdict, "Uncoalesced");
  EXPECT_EQ(strided.reason,
            "128 B of the 1,024 B moved are used. They would fit into 4 sectors but lie in 32: neighbouring "
            "lanes are "
            "128 B apart.");
  const MicroscopeView shifted =
      look({Access::load, 4, [](auto lane) { return 4096 + 8 + lane * 4; }, simt::all_lanes, false});
  EXPECT_NE(shifted.reason.find("the first one begins 8 B into a sector"), std::string::npos)
      << shifted.reason;
  const MicroscopeView scattered =
      look({Access::load, 4, [](auto lane) { return 4096 + lane * lane * 64; }, simt::all_lanes, false});
  EXPECT_NE(scattered.reason.find("lines of 128 B"), std::string::npos) << scattered.reason;
  EXPECT_EQ(sector_details(strided.global.sectors[1])[2].second, "4 of 32");
}

TEST_F(Microscope, TooltipsNameTileRowColumnAndBank) {
  declare(64, 64);
  const MicroscopeView view = look({Access::load, 16, [](auto lane) { return lane * 128 + 16; }});
  EXPECT_EQ(lane_details(view, 9), (std::vector<TextPair>{{"Lane", "9, collides"},
                                                          {"Byte of shared memory", "1,168 (0x490)"},
                                                          {"Tile", "K"},
                                                          {"Row", "9"},
                                                          {"Column", "8"},
                                                          {"Bank", "4 to 7"},
                                                          {"Pass", "2"}}));
  const std::vector<TextPair> word = word_details(tiles, view.shared.passes[1].words[1]);
  EXPECT_EQ(word[0], TextPair("Byte of shared memory", "1,168 (0x490)"));
  EXPECT_EQ(word[4], TextPair("Bank", "4"));
  EXPECT_EQ(word[5], TextPair("Wavefront", "2"));
  EXPECT_EQ(word[6], TextPair("Used by", "lane 9"));
}

TEST_F(Microscope, WordsOfOneLaneAreOneCell) {
  const MicroscopeView view = look({Access::load, 16, [](auto lane) { return lane * 128; }});
  ASSERT_EQ(view.cells.size(), 4U);
  ASSERT_EQ(view.cells[1].size(), 8U);
  const WordCell& cell = view.cells[1][2];
  EXPECT_EQ(cell.first_bank, 0U);
  EXPECT_EQ(cell.banks, 4U);
  EXPECT_EQ(cell.wavefront, 2U);
  EXPECT_EQ(cell.label, "10");
  EXPECT_EQ(cell.role, LaneRole::colliding);
  EXPECT_EQ(view.lanes_at(10 * 128 + 9), 1U << 10);
  EXPECT_EQ(view.lanes_at(10 * 128 + 16), 0U);
  EXPECT_EQ(view.roles(), (std::vector<LaneRole>{LaneRole::colliding}));

  const MicroscopeView halves = look({Access::load, 2, [](auto lane) { return lane * 2; }, 0xffffU});
  ASSERT_EQ(halves.cells[0].size(), 8U);
  EXPECT_EQ(halves.cells[0][1].label, "2-3");
  EXPECT_EQ(halves.cells[0][1].role, LaneRole::sharing);
  EXPECT_EQ(halves.roles(), (std::vector<LaneRole>{LaneRole::sharing, LaneRole::idle}));
  EXPECT_EQ(lanes_label(0x5555'5555U), "x16");
}

TEST_F(Microscope, WithoutALayoutTheBytesAreNamed) {
  tiles = TileFinder({{"K", 0, 8192, std::nullopt}});
  const MicroscopeView view = look({Access::load, 16, [](auto lane) { return lane * 128; }});
  EXPECT_NE(view.reason.find("bytes 0, 128, 256 ... 896 of K"), std::string::npos) << view.reason;
  tiles = TileFinder();
  const MicroscopeView unknown = look({Access::load, 16, [](auto lane) { return lane * 128; }});
  EXPECT_NE(unknown.reason.find("bytes 0, 128, 256 ... 896 of shared memory"), std::string::npos)
      << unknown.reason;
}

TEST_F(Microscope, BytesOfAnArrayAreCountedFromItsStart) {
  tiles = TileFinder({}, {{"before", 0, 4096}, {"K", 4096, 8192}, {"dynamic", 12288, 0}});
  const MicroscopeView view = look({Access::load, 16, [](auto lane) { return 4096 + lane * 128; }});
  EXPECT_NE(view.reason.find("bytes 0, 128, 256 ... 896 of K"), std::string::npos) << view.reason;
  EXPECT_EQ(lane_details(view, 2)[1], (TextPair{"Byte of shared memory", "4,352 (0x1100)"}));
  EXPECT_EQ(lane_details(view, 2)[3], (TextPair{"Byte of the tile", "256"}));
  EXPECT_EQ(word_details(tiles, view.shared.passes[0].words[0])[2], (TextPair{"Byte of the tile", "0"}));
  EXPECT_EQ(tiles.place(12290).tile, "dynamic");
  EXPECT_EQ(tiles.place(12290).offset, 2);
  const TileFinder declared({{"Q", 12288, 64, std::nullopt}}, {{"dynamic", 12288, 0}});
  EXPECT_EQ(declared.place(12290).tile, "Q");
  EXPECT_EQ(declared.place(12290 + 64).tile, "") << "between the tiles";
}

TEST(NumberLists, AreShort) {
  EXPECT_EQ(number_list({5}), "5");
  EXPECT_EQ(number_list({0, 16}), "0 and 16");
  EXPECT_EQ(number_list({0, 1, 2, 3}), "0 to 3");
  EXPECT_EQ(number_list({0, 4, 8, 12}), "0, 4, 8 and 12");
  EXPECT_EQ(number_list({0, 4, 8, 12, 16, 20}), "0, 4, 8 ... 20");
  EXPECT_EQ(lane_list(1u << 3), "lane 3");
  EXPECT_EQ(lane_list(0xff), "lanes 0 to 7");
  EXPECT_EQ(counted_noun(1, "lane"), "1 lane");
}

TEST(ExecutionWords, CountFromOne) {
  EXPECT_EQ(execution_words(2, 1024, 2), "Execution 3 of 1,024, warp 2");
}

}  // namespace
}  // namespace tilescope
