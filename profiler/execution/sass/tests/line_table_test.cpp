#include "profiler/execution/sass/line_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tilescope::sass {
namespace {

std::string number(std::size_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// A section with two files in one folder and these statements.
std::string section_of(const std::string& statements) {
  using namespace std::string_literals;
  const std::string header =
      "\1\1\xfb\x0e\x0a\0\1\1\1\1\0\0\0\1"s + "/src\0\0"s + "a.cu\0\1\0\0"s + "b.cuh\0\1\0\0\0"s;
  const std::string unit = number(2, 2) + number(header.size(), 4) + header + statements;
  return number(unit.size(), 4) + unit;
}

const std::string start = std::string("\0\x09\x02", 3) + number(0, 8);

TEST(LineTable, RowsNameTheRowThatTheyAreInlinedAt) {
  using namespace std::string_literals;
  // Line 12 of a.cu; in it line 3 of b.cuh, 0x20 further; back to a.cu, one line below.
  const std::string section = section_of(start + "\3\x0b\1"s + "\4\2\0\3\x90\1\5\3\x77\2\x20\1"s +
                                         "\4\1\0\3\x90\0\0\3\x0a\xf0"s + "\2\x10\0\1\1"s);
  const auto table = read_line_table(section);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->files, (std::vector<std::string>{"/src/a.cu", "/src/b.cuh"}));
  ASSERT_EQ(table->rows.size(), 3u);
  EXPECT_EQ(table->rows[0].line, 12u);
  EXPECT_EQ(table->rows[1].address, 0x20u);
  EXPECT_EQ(table->rows[1].file, 2u);
  EXPECT_EQ(table->rows[1].line, 3u);
  EXPECT_EQ(table->rows[1].inlined_at, 1u);
  EXPECT_EQ(table->rows[2].address, 0x30u);
  EXPECT_EQ(table->rows[2].line, 14u);
  EXPECT_EQ(table->rows[2].inlined_at, 0u);
}

TEST(LineTable, WhatIsNotUnderstoodHasNone) {
  using namespace std::string_literals;
  const std::string whole = section_of(start + "\3\x0b\1\2\x10\0\1\1"s);
  ASSERT_TRUE(read_line_table(whole));
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(read_line_table(std::string_view(whole).substr(0, bytes))) << bytes;
  EXPECT_FALSE(read_line_table(whole + whole)) << "two programs";
  EXPECT_FALSE(read_line_table(section_of(start + "\4\3\1"s))) << "a file that is not there";
  EXPECT_FALSE(read_line_table(section_of(start + "\0\3\x90\1\5\1"s))) << "inlined at itself";
  EXPECT_FALSE(read_line_table(section_of(start + "\0\2\x92\1\1"s))) << "an unknown statement";
  std::string newer = whole;
  newer[4] = 5;
  EXPECT_FALSE(read_line_table(newer)) << "DWARF 5";
}

TEST(LineTable, AnEmptySectionHasNoRows) {
  const auto table = read_line_table({});
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->rows.empty());
}

}  // namespace
}  // namespace tilescope::sass
