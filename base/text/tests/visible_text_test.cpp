#include "base/text/visible_text.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace tilescope {
namespace {

using namespace std::string_literals;

TEST(VisibleText, KeepsWhatIsSeen) {
  for (const char* text :
       {"", "flash<64>(int, float *)", "41.25 µs ± 1 %", "日本語", "é", "🙂", "a\tb\nc", "\\x1b"}) {
    EXPECT_EQ(visible_text(text), text);
  }
}

TEST(VisibleText, EscapesControlCharacters) {
  EXPECT_EQ(visible_text("\x1b]0;own title\x07\x1b[31mred"), "\\x1b]0;own title\\x07\\x1b[31mred");
  EXPECT_EQ(visible_text("a\0b"s), "a\\x00b");
  EXPECT_EQ(visible_text("\b\v\f\x7f"), "\\x08\\x0b\\x0c\\x7f");
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "31mred\xc2\x9d"
                         "0;t\xc2\x85"),
            "\\u009b31mred\\u009d0;t\\u0085");
  for (int code = 0; code < 0x20; ++code) {
    const std::string shown = visible_line(std::string(1, static_cast<char>(code)));
    EXPECT_EQ(shown.front(), '\\') << code;
  }
}

TEST(VisibleText, KeepsLinesAndALineHasNone) {
  EXPECT_EQ(visible_text("one\r\ntwo\n\tthree\rfour"), "one\ntwo\n\tthree\\rfour");
  EXPECT_EQ(visible_line("one\r\ntwo\tthree\n"), "one\\r\\ntwo\\tthree\\n");
  EXPECT_EQ(visible_line("one\xe2\x80\xa8two"), "one\\u2028two");
}

TEST(VisibleText, EscapesMarksThatTurnText) {
  for (const char* mark : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                           "\u2066", "\u2067", "\u2068", "\u2069", "\ufeff"}) {
    const std::string shown = visible_text("a"s + mark + "b");
    EXPECT_EQ(shown.size(), 8U) << shown;
    EXPECT_EQ(shown.substr(0, 3), "a\\u") << shown;
    EXPECT_EQ(shown.back(), 'b');
  }
  EXPECT_EQ(visible_text("k\u202egnp.exe"), "k\\u202egnp.exe");
  EXPECT_EQ(visible_text("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(visible_text("‐—…“”€"), "‐—…“”€") << "U+2010 to U+20AC around them";
}

TEST(VisibleText, EscapesWhatXmlForbids) {
  EXPECT_EQ(visible_text("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff");
  EXPECT_EQ(visible_text("\xef\xbf\xbd"), "\xef\xbf\xbd") << "the replacement character is one";
  EXPECT_EQ(visible_text("\xf0\x9f\xbf\xbe"), "\\U0001fffe");
}

TEST(VisibleText, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(visible_text("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(visible_text("\x9b"
                         "31m"),
            "\\x9b31m")
      << "a C1 control of an 8-bit terminal";
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a lone surrogate";
  EXPECT_EQ(visible_text("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(visible_text("\xe0\x80\x9b"), "\\xe0\\x80\\x9b") << "overlong";
  EXPECT_EQ(visible_text("\xf0\x80\x80\x9b"), "\\xf0\\x80\\x80\\x9b") << "overlong";
  EXPECT_EQ(visible_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond U+10FFFF";
  EXPECT_EQ(visible_text("a\xe2\x80"), "a\\xe2\\x80") << "cut off";
  EXPECT_EQ(visible_text("\xe2\x80(\x1b"), "\\xe2\\x80(\\x1b") << "cut off before another character";
}

TEST(VisibleText, EscapingTwiceChangesNothing) {
  const std::string once = visible_text("\x1b[2J \u202e \xff \\n");
  EXPECT_EQ(visible_text(once), once);
  EXPECT_EQ(visible_line(once), once);
}

TEST(VisibleJson, IsTheSameDocument) {
  const Json document = {{"k\x7f", "\x1b[2J \u009b31m \u202e µ \U000e0041"}, {"n", 1.5}};
  const std::string text = visible_json(to_line(document));
  EXPECT_EQ(text, "{\"k\\u007f\":\"\\u001b[2J \\u009b31m \\u202e µ \\udb40\\udc41\",\"n\":1.5}");
  EXPECT_EQ(parse_json(text), document);
}

}  // namespace
}  // namespace tilescope
