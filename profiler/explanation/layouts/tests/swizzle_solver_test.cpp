#include "profiler/explanation/layouts/swizzle_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiler/explanation/layouts/tests/recording_builder.hpp"

namespace tilescope {
namespace {

// Rows of 64 elements of 2 B that start at byte 256 of shared memory, and what reads them.
constexpr std::uint64_t tile_base = 256;
constexpr std::int64_t rows = 32, columns = 64;

SolverQuestion question_of(const BlockRecording&, std::int64_t element_bytes = 2) {
  SolverQuestion question;
  question.tile = {"K", tile_base, rows * columns * element_bytes, std::nullopt};
  question.elements.shape = {rows, columns, element_bytes};
  question.elements.places = places_of({}, question.elements.shape);
  question.is_declared = true;
  question.shared_bytes = 10'000;
  return question;
}

const RankedLayout& find(const SolvedTile& solved, std::string_view words) {
  const auto found = std::find_if(solved.layouts.begin(), solved.layouts.end(),
                                  [&](const RankedLayout& layout) { return layout.words == words; });
  if (found == solved.layouts.end()) throw std::out_of_range(std::string(words));
  return *found;
}

// 32 lanes read 16 B each of one column of 32 rows; three times.
RecordingBuilder column_reads() {
  RecordingBuilder builder;
  const std::uint32_t site = builder.add_site("K", simt::Access::load, 16, 128);
  builder.add_access(
      site, [](int lane) { return tile_base + static_cast<std::uint64_t>(lane) * 128; }, 3);
  return builder;
}

TEST(SwizzleSolver, RanksByWavefrontsThenPaddingThenSimplicity) {
  const RecordingBuilder builder = column_reads();
  const auto solved = solve_layouts(builder.recording(), question_of(builder.recording()));
  const RankedLayout& best = solved->layouts.front();
  EXPECT_EQ(best.words, "swizzle 3 bits, base 4, shift 3");
  EXPECT_EQ(best.cost.wavefronts, 3 * 4u);
  EXPECT_EQ(best.cost.excess(), 0u);
  EXPECT_EQ(best.padding_bytes, 0);
  EXPECT_EQ(best.reason,
            "XOR with row % 8 moves the 8 rows of a pass to different 16-byte groups: no two lanes meet in a "
            "bank.");
  const RankedLayout& current = solved->layouts[solved->current];
  EXPECT_TRUE(current.is_current);
  EXPECT_EQ(current.words, "row-major");
  EXPECT_EQ(current.cost.wavefronts, 3 * 32u) << "8 lanes of a pass in one bank";
  EXPECT_EQ(current.reason, "Rows 128 B apart start in the same bank: 8-way conflicts on line 128.");
  const RankedLayout& padded = find(*solved, "pad 16 B");
  EXPECT_EQ(padded.cost.excess(), 0u);
  EXPECT_EQ(padded.padding_bytes, rows * 16);
  EXPECT_EQ(solved->shared_bytes_with(padded), 10'000 + rows * 16);
  EXPECT_EQ(padded.reason,
            "Rows start 4 banks after each other: the 8 rows of a pass lie in different banks.");
  for (std::size_t i = 1; i < solved->layouts.size(); ++i) {
    const RankedLayout &a = solved->layouts[i - 1], &b = solved->layouts[i];
    EXPECT_GE(a.works, b.works);
    if (b.works) {
      EXPECT_LE(a.cost.wavefronts, b.cost.wavefronts);
    }
  }
}

TEST(SwizzleSolver, SumsOverAllSitesOfTheTileAndNoOther) {
  RecordingBuilder builder = column_reads();
  const std::uint32_t stores = builder.add_site("K", simt::Access::store, 4, 90);
  builder.add_access(
      stores, [](int lane) { return tile_base + 4 * static_cast<std::uint64_t>(lane); }, 5);
  const std::uint32_t other = builder.add_site("V", simt::Access::load, 4, 91);
  builder.add_access(
      other, [](int lane) { return 8192 + 128 * static_cast<std::uint64_t>(lane); }, 7);
  const auto solved = solve_layouts(builder.recording(), question_of(builder.recording()));
  const LayoutCost& now = solved->layouts[solved->current].cost;
  EXPECT_EQ(now.wavefronts, 3 * 32u + 5);
  EXPECT_EQ(now.minimum, 3 * 4u + 5);
  ASSERT_EQ(now.sites.size(), 2u);
  EXPECT_EQ(now.sites[0], (SiteCost{0, 3, 96, 12}));
  EXPECT_EQ(now.sites[1], (SiteCost{stores, 5, 5, 5}));
  EXPECT_EQ(solved->accesses.executions, 8u);
  EXPECT_EQ(solved->accesses.accesses.size(), 2u) << "executions of one pattern are judged once";
}

TEST(SwizzleSolver, TheTwoThatChangeNoBankAreShownToChangeNone) {
  RecordingBuilder builder;
  const std::uint32_t site = builder.add_site("K", simt::Access::load, 2, 7);
  builder.add_access(site, [](int lane) { return tile_base + static_cast<std::uint64_t>(lane) * 128; });
  const auto solved = solve_layouts(builder.recording(), question_of(builder.recording()));
  const std::uint64_t now = solved->layouts[solved->current].cost.wavefronts;
  EXPECT_EQ(now, 32u);
  const RankedLayout& in_word = find(*solved, "swizzle 1 bit, base 1, shift 6");
  EXPECT_TRUE(in_word.works);
  EXPECT_EQ(in_word.cost.wavefronts, now);
  EXPECT_EQ(in_word.reason, "Swaps the halves of a 4-byte word: no address changes its bank.");
  const RankedLayout& of_rows = find(*solved, "swizzle 2 bits, base 7, shift 3");
  EXPECT_TRUE(of_rows.works);
  EXPECT_EQ(of_rows.cost.wavefronts, now);
  EXPECT_EQ(of_rows.index, "(row ^ (row / 8 % 4)) * 64 + column") << "what the exhibit idle_swizzle does";
  EXPECT_EQ(of_rows.reason, "Moves whole turns of 128 B through the banks: no address changes its bank.");
  EXPECT_EQ(solved->layouts.front().cost.wavefronts, 1u) << "others repair it";
}

TEST(SwizzleSolver, SaysWhichAccessALayoutCuts) {
  const RecordingBuilder builder = column_reads();
  const auto solved = solve_layouts(builder.recording(), question_of(builder.recording()));
  const RankedLayout& narrow = find(*solved, "swizzle 2 bits, base 2, shift 5");
  EXPECT_FALSE(narrow.works);
  EXPECT_EQ(narrow.reason, "Cuts the 16-byte accesses of line 128: it moves pieces of 4 B.");
  const RankedLayout& padded = find(*solved, "pad 4 B");
  EXPECT_FALSE(padded.works);
  EXPECT_EQ(
      padded.reason,
      "Leaves the 16-byte accesses of line 128 at addresses that are not a multiple of their width: rows "
      "lie 132 B apart.");
  EXPECT_FALSE(find(*solved, "swizzle 1 bit, base 1, shift 6").works);
  EXPECT_EQ(find(*solved, "swizzle 1 bit, base 1, shift 6").reason.find("Swaps the halves"), 0u)
      << "that it changes no bank is said here too";
}

TEST(SwizzleSolver, SaysWhereTheXorBitsAreTheSameForAllRowsOfAPass) {
  const RecordingBuilder builder = column_reads();
  const auto solved = solve_layouts(builder.recording(), question_of(builder.recording()));
  EXPECT_EQ(
      find(*solved, "swizzle 2 bits, base 4, shift 6").reason,
      "XOR with row / 8 % 4 is the same for the 8 rows of a pass, which move together: 8-way conflicts on "
      "line 128.");
  EXPECT_EQ(find(*solved, "swizzle 1 bit, base 4, shift 3").reason,
            "XOR with row % 2 moves the 8 rows of a pass by 2 different steps: 4-way conflicts on line 128.");
  EXPECT_EQ(find(*solved, "pad 32 B").reason,
            "Rows start 8 banks after each other, so that the banks repeat after 4 rows: 2-way conflicts on "
            "line 128.");
}

TEST(SwizzleSolver, WmmaTakesAPaddingButNoSwizzle) {
  RecordingBuilder builder;
  const std::uint32_t site =
      builder.add_site("K", simt::Access::matrix_load, 16, 40, "wmma.load.a.sync.aligned.row.m16n16k16");
  builder.add_access(site, [](int lane) { return tile_base + static_cast<std::uint64_t>(lane) * 128; });
  const auto solved = solve_layouts(builder.recording(), question_of(builder.recording()));
  EXPECT_EQ(solved->layouts.front().words, "pad 16 B");
  EXPECT_EQ(find(*solved, "swizzle 3 bits, base 4, shift 3").reason,
            "wmma on line 40 takes rows at one distance: a padding works, a swizzle does not.");
}

TEST(SwizzleSolver, ALayoutThatNeedsMoreSharedMemoryThanABlockHasFails) {
  const RecordingBuilder builder = column_reads();
  SolverQuestion question = question_of(builder.recording());
  question.max_shared_bytes = 10'400;
  const auto solved = solve_layouts(builder.recording(), question);
  EXPECT_FALSE(find(*solved, "pad 16 B").works);
  EXPECT_EQ(find(*solved, "pad 16 B").reason,
            "Needs 10512 B of shared memory; a block has 10400 B on this device.");
  EXPECT_TRUE(find(*solved, "swizzle 3 bits, base 4, shift 3").works);
}

TEST(SwizzleSolver, WithoutRowsOnlyTheOffsetIsSwizzled) {
  const RecordingBuilder builder = column_reads();
  const TileRange tile{"K", tile_base, rows * 128, std::nullopt};
  SolverQuestion question;
  question.tile = tile;
  question.elements = elements_in_line(tile.bytes, common_element_bytes(builder.recording(), tile));
  EXPECT_EQ(question.elements.shape.element_bytes, 16);
  const auto solved = solve_layouts(builder.recording(), question);
  EXPECT_EQ(solved->layouts.front().words, "swizzle 3 bits, base 4, shift 3");
  EXPECT_EQ(solved->layouts.front().cost.excess(), 0u);
  EXPECT_EQ(solved->layouts.front().index, "offset ^ (offset >> 3 & 112)") << "in bytes";
  EXPECT_EQ(solved->layouts[solved->current].words, "as it is");
  EXPECT_EQ(solved->layouts[solved->current].reason, "Lanes of a pass meet: 8-way conflicts on line 128.")
      << "rows are not declared";
  for (const RankedLayout& layout : solved->layouts) EXPECT_EQ(layout.words.find("pad"), std::string::npos);
}

TEST(SwizzleSolver, APitchThatAPersonGivesMakesRows) {
  const RecordingBuilder builder = column_reads();
  const TileRange tile{"K", tile_base, rows * 128, std::nullopt};
  SolverQuestion question;
  question.tile = tile;
  question.elements = elements_by_pitch(tile.bytes, 128, 16);
  const auto solved = solve_layouts(builder.recording(), question);
  const RankedLayout& padded = find(*solved, "pad 16 B");
  EXPECT_EQ(padded.cost.excess(), 0u);
  EXPECT_EQ(padded.index, "row * 144 + column") << "in bytes";
  EXPECT_THROW(elements_by_pitch(tile.bytes, 100, 16), std::invalid_argument);
  EXPECT_THROW(elements_by_pitch(tile.bytes, 0, 16), std::invalid_argument);
}

TEST(SwizzleSolver, StopsWhenItIsCancelled) {
  const RecordingBuilder builder = column_reads();
  SolverControl control;
  int asked = 0;
  control.cancelled = [&] { return ++asked > 5; };
  EXPECT_EQ(solve_layouts(builder.recording(), question_of(builder.recording()), control), nullptr);
  EXPECT_EQ(asked, 6);
}

TEST(SwizzleSolver, ATileWithoutAccessesHasNothingToRank) {
  const RecordingBuilder builder;
  const auto solved = solve_layouts(builder.recording(), question_of(builder.recording()));
  EXPECT_EQ(solved->accesses.executions, 0u);
  EXPECT_EQ(solved->layouts.front().words, "row-major");
  EXPECT_EQ(solved->layouts.front().cost.wavefronts, 0u);
}

TEST(SwizzleSolver, PlacesThatNoCandidateHasAreListedAsTheyAre) {
  const RecordingBuilder builder = column_reads();
  SolverQuestion question = question_of(builder.recording());
  // Rows in the opposite order.
  std::vector<std::uint32_t>& places = question.elements.places;
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<std::uint32_t>((rows - 1 - static_cast<std::int64_t>(i) / columns) * 128 +
                                           static_cast<std::int64_t>(i) % columns * 2);
  const auto solved = solve_layouts(builder.recording(), question);
  const RankedLayout& current = solved->layouts[solved->current];
  EXPECT_EQ(current.words, "as declared");
  EXPECT_EQ(current.reason, "With these places: 8-way conflicts on line 128.");
  EXPECT_EQ(current.index, "");
}

// Rows of 5 floats, 32 B apart, of which each lane reads the last one and the 12 B of padding behind it.
TEST(SwizzleSolver, ThePresentLayoutWorksAlsoWhereAccessesReachIntoItsPadding) {
  RecordingBuilder builder;
  const std::uint32_t site = builder.add_site("K", simt::Access::load, 16, 128);
  builder.add_access(site, [](int lane) { return tile_base + static_cast<std::uint64_t>(lane) * 32 + 16; });
  SolverQuestion question;
  question.tile = {"K", tile_base, rows * 32, std::nullopt};
  question.elements.shape = {rows, 5, 4};
  question.elements.places = places_of({12}, question.elements.shape);
  question.is_declared = true;
  const auto solved = solve_layouts(builder.recording(), question);
  const RankedLayout& current = solved->layouts[solved->current];
  EXPECT_EQ(current.words, "pad 12 B");
  EXPECT_TRUE(current.works);
  EXPECT_EQ(current.cost.wavefronts, builder.recording().accesses.front().wavefronts);
  EXPECT_FALSE(find(*solved, "row-major").works) << "the bytes behind a row are elements of the next one";
}

TEST(AccessedTiles, AreTheDeclaredOnesAndWhatHasOnlyAName) {
  RecordingBuilder builder = column_reads();
  const std::uint32_t site = builder.add_site("scratch", simt::Access::store, 4, 9);
  builder.add_access(site, [](int lane) { return 9000 + 4 * static_cast<std::uint64_t>(lane); });
  const std::vector<TileRange> declared = {{"K", tile_base, 4096, std::nullopt},
                                           {"V", 8192, 128, std::nullopt}};
  const std::vector<TileRange> tiles = accessed_tiles(builder.recording(), declared);
  ASSERT_EQ(tiles.size(), 2u) << "nothing accesses V";
  EXPECT_EQ(tiles[0].name, "K");
  EXPECT_EQ(tiles[1], (TileRange{"scratch", 9000, 128, std::nullopt}));
  BlockRecording with_array = builder.recording();
  with_array.arrays = {{"scratch", 8960, 4096}};
  EXPECT_EQ(accessed_tiles(with_array, declared)[1], (TileRange{"scratch", 8960, 4096, std::nullopt}))
      << "also what no lane accesses: a swizzle may use it without more memory";
  with_array.arrays[0].bytes = 0;
  EXPECT_EQ(accessed_tiles(with_array, declared)[1], (TileRange{"scratch", 8960, 168, std::nullopt}));
}

}  // namespace
}  // namespace tilescope
