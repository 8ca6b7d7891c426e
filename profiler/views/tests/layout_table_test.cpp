#include "profiler/views/memory/layout_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiler/explanation/layouts/tests/recording_builder.hpp"

namespace tilescope {
namespace {

// A tile of 32 rows of 64 elements of 2 B, whose columns are read in one go.
class LayoutTexts : public testing::Test {
 protected:
  LayoutTexts() {
    const std::uint32_t reads = builder_.add_site("K", simt::Access::load, 16, 128);
    builder_.add_access(
        reads, [](int lane) { return 128 * static_cast<std::uint64_t>(lane); }, 3);
    question_.tile = {"K", 0, 32 * 128, std::nullopt};
    question_.elements.shape = {32, 64, 2};
    question_.elements.places = places_of({}, question_.elements.shape);
    question_.is_declared = true;
    question_.shared_bytes = 10'000;
    // The parameter pads another tile as well.
    KernelLayout padded{"PADDING", std::int64_t{8}, question_.tile, 11'024};
    padded.tile.bytes += 512;
    padded.tile.layout = TileLayout{32, 64, 2, 72, {}};
    for (const std::uint32_t place : places_of({16}, question_.elements.shape))
      padded.tile.layout->index.push_back(place / 2);
    question_.kernel_layouts.push_back(padded);
  }
  std::shared_ptr<const SolvedTile> solve() const { return solve_layouts(builder_.recording(), question_); }
  static const LayoutRow& row(const LayoutTable& table, std::string_view words) {
    for (const LayoutRow& each : table.rows) {
      if (each.words == words) return each;
    }
    throw std::out_of_range(std::string(words));
  }

  RecordingBuilder builder_;
  SolverQuestion question_;
};

TEST_F(LayoutTexts, AnIndexCountsElementsWhereTheyAreDeclared) {
  question_.kernel_layouts.clear();
  question_.tile.bytes = 4096;
  question_.elements.shape = {1, 2048, 2};
  question_.elements.places = places_of({}, question_.elements.shape);
  for (const bool is_declared : {true, false}) {
    question_.is_declared = is_declared;
    const auto solved = solve();
    const LayoutDetail best = layout_detail(*solved, builder_.recording(), 0);
    EXPECT_EQ(best.index, is_declared ? "offset ^ (offset >> 3 & 56)" : "offset ^ (offset >> 3 & 112)");
    EXPECT_EQ(best.index_unit, is_declared ? "in elements of 2 B from the start of the tile"
                                           : "in bytes from the start of the tile");
  }
}

TEST_F(LayoutTexts, ARowSaysWhatALayoutIsWorth) {
  const auto solved = solve();
  const LayoutTable table = layout_table(*solved, {});
  EXPECT_EQ(table.tile, "32 x 64 elements of 2 B, rows 128 B apart.");
  EXPECT_EQ(table.cost, "3 accesses of this block take 96 wavefronts; the minimum is 12.");
  const auto fewer = std::ranges::count_if(solved->layouts, [&](const RankedLayout& layout) {
    return layout.works && layout.cost.wavefronts < 96;
  });
  EXPECT_EQ(table.present, "Now row-major: " + std::to_string(fewer) + " of the " +
                               std::to_string(table.working) +
                               " layouts that work take fewer wavefronts. Rows 128 B apart start in the same "
                               "bank: 8-way conflicts on line 128.");
  EXPECT_TRUE(table.notes.empty());
  const LayoutRow& best = table.rows.front();
  EXPECT_EQ(best.rank, "1");
  EXPECT_EQ(best.words, "swizzle 3 bits, base 4, shift 3");
  EXPECT_EQ(best.name, "Swizzle<3, 4, 3>");
  EXPECT_EQ(best.wavefronts, "12");
  EXPECT_EQ(best.excess, "0");
  EXPECT_EQ(best.against, "8.00x fewer");
  EXPECT_EQ(best.padding, "0 B");
  EXPECT_EQ(best.kernel_has, "");
  const LayoutRow& padded = row(table, "pad 16 B");
  EXPECT_EQ(padded.padding, "+512 B");
  EXPECT_EQ(padded.shared, "11,024 B") << "of the kernel's own declaration";
  EXPECT_EQ(row(table, "pad 32 B").shared, "11,024 B") << "the kernel has it not: this tile alone";
  EXPECT_EQ(padded.kernel_has, "PADDING=8");
  const LayoutRow& current = table.rows[table.current];
  EXPECT_EQ(current.state, LayoutRow::State::current);
  EXPECT_EQ(current.against, "same");
  const LayoutRow& failed = row(table, "pad 4 B");
  EXPECT_EQ(failed.state, LayoutRow::State::fails);
  EXPECT_EQ(failed.rank + failed.wavefronts + failed.against, "");
  EXPECT_LT(table.working, table.rows.size());
}

TEST_F(LayoutTexts, WhereNoLayoutIsBetterThePresentOneSaysSo) {
  SolvedTile solved = *solve();
  const RankedLayout present = solved.layouts[solved.current];
  solved.layouts = {present};
  solved.current = 0;
  EXPECT_EQ(layout_table(solved, {}).present,
            "Now row-major: none of the 1 layouts that work takes fewer wavefronts, so no layout that was "
            "tried avoids the 84 excess ones. " +
                present.reason);
  solved.layouts[0].cost.wavefronts = solved.layouts[0].cost.minimum;
  EXPECT_EQ(layout_table(solved, {}).present,
            "Now row-major: no layout takes fewer wavefronts, as this is the minimum. " + present.reason);
}

TEST_F(LayoutTexts, TheDetailComparesSiteBySite) {
  const auto solved = solve();
  const LayoutDetail best = layout_detail(*solved, builder_.recording(), 0);
  EXPECT_EQ(best.cutlass, "Swizzle<3, 4, 3> on bytes, Swizzle<3, 3, 3> on elements");
  EXPECT_EQ(best.index, "row * 64 + (((column / 8) ^ (row % 8)) * 8) + column % 8");
  EXPECT_EQ(best.index_unit, "in elements of 2 B from the start of the tile");
  EXPECT_EQ(best.shared, "Block: 10,000 B of shared memory, as now.");
  const auto shared_of = [&](const std::string& words) {
    const LayoutTable table = layout_table(*solved, {});
    return layout_detail(*solved, builder_.recording(), row(table, words).layout).shared;
  };
  EXPECT_EQ(shared_of("pad 16 B"),
            "Block: 11,024 B of shared memory, 1,024 B more than now (other tiles change too).");
  EXPECT_EQ(shared_of("pad 48 B"), "Block: 11,536 B of shared memory, 1,536 B more than now.");
  ASSERT_EQ(best.sites.size(), 1u);
  const LayoutSiteRow& site = best.sites.front();
  EXPECT_EQ(site.place, "line 128");
  EXPECT_EQ(site.executions, "3");
  EXPECT_EQ(site.wavefronts, "96 to 12");
  EXPECT_EQ(site.excess, "84 to 0");
  EXPECT_EQ(site.tone, Tone::good);
  const LayoutDetail failed = layout_detail(*solved, builder_.recording(), solved->layouts.size() - 1);
  EXPECT_EQ(failed.sites.front().wavefronts, "96") << "what it is now";
}

TEST_F(LayoutTexts, ShortNamesTellLayoutsApart) {
  const LayoutTable table = layout_table(*solve(), {});
  std::set<std::string> names;
  for (const LayoutRow& each : table.rows) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name << ": " << each.words;
    EXPECT_LE(each.name.size(), 28U) << each.name;
  }
  EXPECT_EQ(names.count("pad 32 B, Swizzle<1, 4, 3>") + names.count("pad 32 B, XOR row / 4 % 2"), 2U);
}

TEST_F(LayoutTexts, TheTableIsCsvInFull) {
  const auto solved = solve();
  const std::string csv = layout_csv(*solved);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "rank,layout,cutlass (bytes),wavefronts,minimum,excess,padding [B],block's shared memory "
            "[B],current,kernel has it,index expression,why\r");
  EXPECT_NE(csv.find("1,\"swizzle 3 bits, base 4, shift 3\",\"Swizzle<3, 4, 3>\",12,12,0,0,10000,,,"),
            std::string::npos);
  EXPECT_NE(csv.find(",PADDING=8,row * 72 + column,"), std::string::npos);
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), solved->layouts.size() + 1);
}

TEST_F(LayoutTexts, WhatTheFiguresLackIsSaid) {
  const LayoutTable table = layout_table(*solve(), {"merged rows"});
  ASSERT_EQ(table.notes.size(), 1u);
  EXPECT_NE(table.notes[0].find("merged rows"), std::string::npos);
  question_.elements = elements_in_line(32 * 128, 16);
  question_.is_declared = false;
  question_.kernel_layouts.clear();
  EXPECT_NE(layout_table(*solve(), {}).tile.find("Enter the row pitch"), std::string::npos);
  EXPECT_EQ(overlapping_tiles({"K", 0, 64, {}}, {{"K", 0, 64, {}}, {"O", 32, 64, {}}, {"V", 64, 64, {}}}),
            std::vector<std::string>{"O"});
}

TEST_F(LayoutTexts, AnAppliedLayoutIsHeldToItsPromise) {
  AppliedLayout applied{"SMEM_LAYOUT=padded", "K", 96, 12, std::nullopt, 10'000, 11'024, false};
  EXPECT_EQ(applied_words(applied).heading, "SMEM_LAYOUT=padded applied");
  EXPECT_EQ(applied_words(applied).text,
            "K: 96 wavefronts before, 12 promised, being traced... Block: 10,000 B of "
            "shared memory before, 11,024 B now.");
  applied.traced = 12;
  applied.shared_after = 10'000;
  EXPECT_EQ(
      applied_words(applied).text,
      "K: 96 wavefronts before, 12 promised, 12 traced. Block: 10,000 B of shared memory before and now.");
  applied.has_other_accesses = true;
  EXPECT_NE(applied_words(applied).text.find("other accesses"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
