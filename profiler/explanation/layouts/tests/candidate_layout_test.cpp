#include "profiler/explanation/layouts/candidate_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "profiler/explanation/layouts/index_expression.hpp"

namespace tilescope {
namespace {

const TileShape halves{64, 64, 2};

bool has(const std::vector<CandidateLayout>& list, const CandidateLayout& layout) {
  return std::find(list.begin(), list.end(), layout) != list.end();
}

CandidateLayout swizzle(int bits, int base, int shift, std::int64_t padding = 0) {
  return {padding, XorSwizzle{bits, base, shift}, XorSource::offset};
}

TEST(XorSwizzle, IsThatOfCutlass) {
  // cute::Swizzle<3, 4, 3>: yyy_msk 0x380 moves down by 3 onto zzz_msk 0x70.
  const XorSwizzle cutlass{3, 4, 3};
  EXPECT_EQ(cutlass.apply(0x080), 0x090u);
  EXPECT_EQ(cutlass.apply(0x380), 0x3f0u);
  EXPECT_EQ(cutlass.apply(0x3f5), 0x385u);
  EXPECT_EQ(cutlass.apply(0x400), 0x400u) << "bit 10 is not a source";
}

TEST(PlacesOf, PaddingComesBehindEachRowAndTheSwizzleAfterIt) {
  const std::vector<std::uint32_t> padded = places_of({16}, halves);
  EXPECT_EQ(padded[64], 144u);
  EXPECT_EQ(padded[3 * 64 + 5], 3 * 144u + 10);
  const std::vector<std::uint32_t> swizzled = places_of(swizzle(3, 4, 3), halves);
  EXPECT_EQ(swizzled[0], 0u);
  EXPECT_EQ(swizzled[64], 128u + 16) << "row 1 starts in its second group of 16 B";
  EXPECT_EQ(swizzled[2 * 64 + 8], 256u + (1 ^ 2) * 16);
}

TEST(PlacesOf, ByRowShiftsRowsThatAreNoPowerOfTwo) {
  const TileShape rows_of_192{32, 96, 2};
  const std::vector<std::uint32_t> places = places_of({0, XorSwizzle{2, 4, 1}, XorSource::row}, rows_of_192);
  EXPECT_EQ(places[96], 192u) << "rows 0 and 1 share a step";
  EXPECT_EQ(places[2 * 96], 2 * 192u + 16);
  EXPECT_EQ(places[7 * 96], 7 * 192u + 48);
  EXPECT_EQ(places[8 * 96], 8 * 192u);
}

TEST(Candidates, AllPutEveryElementElsewhere) {
  for (const TileShape& shape : {halves, TileShape{24, 80, 2}, TileShape{16, 33, 4}, TileShape{1, 500, 4},
                                 TileShape{40, 96, 2}, TileShape{7, 9, 1}}) {
    CandidateList list(shape, 4);
    std::vector<CandidateLayout> all = list.simple();
    for (const std::int64_t padding : list.paddings()) {
      for (const CandidateLayout& layout : list.with_padding(padding)) all.push_back(layout);
    }
    EXPECT_EQ(all.front(), CandidateLayout{}) << "row-major is one of them";
    std::set<std::vector<std::uint32_t>> seen;
    for (const CandidateLayout& layout : all) {
      std::vector<std::uint32_t> places = places_of(layout, shape);
      EXPECT_TRUE(seen.insert(places).second) << to_words(layout) << " is listed twice";
      std::sort(places.begin(), places.end());
      for (std::size_t i = 1; i < places.size(); ++i)
        ASSERT_GE(places[i], places[i - 1] + shape.element_bytes) << to_words(layout);
    }
  }
}

TEST(Candidates, HaveTheUsualOnesAndTheTwoThatChangeNoBank) {
  const std::vector<CandidateLayout> simple = CandidateList(halves, 16).simple();
  EXPECT_TRUE(has(simple, {16}));
  EXPECT_TRUE(has(simple, {2})) << "one element";
  EXPECT_TRUE(has(simple, swizzle(3, 4, 3)));
  EXPECT_TRUE(has(simple, swizzle(1, 1, 1))) << "swaps the halves of a word";
  EXPECT_TRUE(has(simple, swizzle(3, 7, 3))) << "permutes whole rows";
}

TEST(Words, NameALayout) {
  EXPECT_EQ(to_words({}), "row-major");
  EXPECT_EQ(to_words({16}), "pad 16 B");
  EXPECT_EQ(to_words(swizzle(3, 4, 3)), "swizzle 3 bits, base 4, shift 3");
  EXPECT_EQ(to_words({32, XorSwizzle{1, 4, 2}, XorSource::row}),
            "pad 32 B, swizzle 1 bit, base 4, by row / 4");
  EXPECT_EQ(cutlass_name(swizzle(3, 4, 3)), "Swizzle<3, 4, 3>");
  EXPECT_EQ(cutlass_name({16}), "");
}

TEST(IndexExpression, ReadsAsAPersonWouldWriteIt) {
  EXPECT_EQ(index_expression({}, halves), "row * 64 + column");
  EXPECT_EQ(index_expression({16}, halves), "row * 72 + column");
  EXPECT_EQ(index_expression(swizzle(3, 4, 3), halves),
            "row * 64 + (((column / 8) ^ (row % 8)) * 8) + column % 8");
  EXPECT_EQ(index_expression(swizzle(3, 7, 3), halves), "(row ^ (row / 8 % 8)) * 64 + column");
  EXPECT_EQ(index_expression(swizzle(2, 4, 2), halves),
            "(row * 64 + column) ^ ((row * 64 + column) >> 2 & 24)");
  EXPECT_EQ(index_expression(swizzle(3, 4, 3), {1, 4096, 1}), "offset ^ (offset >> 3 & 112)");
  EXPECT_EQ(index_expression({1}, halves), "") << "no whole number of elements";
}

}  // namespace
}  // namespace tilescope
