#include "sessions/views/code/source_excerpt.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

const SourceFile source = {"k.cu", "first\n  second\n\n    fourth", {{"device/tile.cuh", "only\n"}}};

TEST(SourceExcerpt, HasTheLineAndItsNeighboursWithoutTheSharedIndent) {
  const SourceExcerpt excerpt = excerpt_of(source, "k.cu", 3, 1);
  EXPECT_EQ(excerpt.file, "k.cu");
  ASSERT_EQ(excerpt.lines.size(), 3U);
  EXPECT_EQ(excerpt.lines[0].number, 2);
  EXPECT_EQ(excerpt.lines[0].text, "second");
  EXPECT_EQ(excerpt.lines[1].text, "") << "an empty line has no indent";
  EXPECT_TRUE(excerpt.lines[1].is_named);
  EXPECT_EQ(excerpt.lines[2].text, "  fourth");
}

TEST(SourceExcerpt, StopsAtTheEndsOfTheFile) {
  EXPECT_EQ(excerpt_of(source, "", 1, 2).lines.size(), 3U);
  EXPECT_EQ(excerpt_of(source, "", 4, 2).lines.size(), 3U) << "the last line has no newline";
  EXPECT_EQ(excerpt_of(source, "tile.cuh", 1, 2).lines.size(), 1U);
}

TEST(SourceExcerpt, IsEmptyForALineThatIsNotThere) {
  EXPECT_TRUE(excerpt_of(source, "", 5, 2).lines.empty());
  EXPECT_TRUE(excerpt_of(source, "", 0, 2).lines.empty());
  EXPECT_TRUE(excerpt_of(source, "other.cuh", 1, 2).lines.empty());
}

}  // namespace
}  // namespace tilescope
