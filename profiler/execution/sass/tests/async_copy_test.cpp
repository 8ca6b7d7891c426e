#include <gtest/gtest.h>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/operand.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

TEST(AsyncCopyWait, NamesFurtherScoreboards) {
  SassSnippet snippet(async_copy_opcodes());
  snippet.run("DEPBAR.LE SB0, 0x0, {1}");
  EXPECT_EQ(snippet.decoded().immediate, 0);
  snippet.run("DEPBAR.LE SB0, 0x2, {5,4,3}");
  EXPECT_EQ(snippet.decoded().immediate, 2);
  EXPECT_THROW(snippet.run("DEPBAR.LE SB0, 0x0, R1"), Unsupported);
  EXPECT_THROW(snippet.run("DEPBAR.LE SB0, 0x0, {1}, {2}"), Unsupported);
}

TEST(AsyncCopyWait, ScoreboardsAreASet) {
  const auto operand = parse_operand("{5,4,3}");
  ASSERT_TRUE(operand);
  EXPECT_EQ(operand->kind, Operand::Kind::scoreboards);
  EXPECT_EQ(operand->value, 0b111000);
  for (const char* wrong : {"{}", "{8}", "{1", "{R1}", "{1;2}"}) EXPECT_FALSE(parse_operand(wrong)) << wrong;
}

}  // namespace
}  // namespace tilescope::sass
