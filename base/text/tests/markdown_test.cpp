#include "base/text/markdown.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(MarkdownTable, AlignsNumbersToTheRight) {
  EXPECT_EQ(
      markdown_table({"kernel", "p50", "ratio"}, {{"tiled", "41.80", "1.0"}, {"naive", "80.10", "1.9"}}),
      "| kernel | p50 | ratio |\n"
      "|---|---:|---:|\n"
      "| tiled | 41.80 | 1.0 |\n"
      "| naive | 80.10 | 1.9 |\n");
  EXPECT_EQ(markdown_rule({false, false, true}), "|---|---|---:|\n");
}

TEST(MarkdownTable, ACellCannotEndTheCellOrTheRow) {
  EXPECT_EQ(markdown_row({"a|b", "two\nlines"}), "| a\\|b | two lines |\n");
}

TEST(MarkdownTable, TextIsNoMarkup) {
  EXPECT_EQ(markdown_escaped("BLOCK_M=64"), "BLOCK_M=64") << "an underscore in a word is not emphasis";
  EXPECT_EQ(markdown_escaped("_x_ *y* `z` [w] #1 ~2 \\"), "\\_x\\_ \\*y\\* \\`z\\` \\[w\\] \\#1 \\~2 \\\\");
  EXPECT_EQ(markdown_escaped("<b> & c"), "&lt;b&gt; &amp; c");
}

TEST(MarkdownTable, ControlCharactersAreEscaped) {
  EXPECT_EQ(markdown_escaped("\x1b]0;t\x07 k\u202egnp"), "\\\\x1b\\]0;t\\\\x07 k\\\\u202egnp");
  EXPECT_EQ(markdown_row({"a\tb", "c\r\nd", "e\rf", "\xff"}), "| a b | c d | e\\\\rf | \\\\xff |\n");
}

TEST(MarkdownTable, BacktickInCodeDoesNotEndIt) {
  EXPECT_EQ(markdown_code("flash BLOCK_M=64"), "`flash BLOCK_M=64`");
  EXPECT_EQ(markdown_code("a`<b>"), "`` a`<b> ``");
  EXPECT_EQ(markdown_code("``` x"), "```` ``` x ````");
  EXPECT_EQ(markdown_code("two\nlines\x1b"), "`two\\nlines\\x1b`");
}

}  // namespace
}  // namespace tilescope
