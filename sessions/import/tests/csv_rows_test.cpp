#include "sessions/import/csv_rows.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

using Fields = std::vector<std::string>;

TEST(CsvRows, SplitsQuotedFieldsAndCountsLines) {
  const auto rows = read_csv("\"a\",\"1,234\"\n\n\"two\nlines\",\"a \"\"word\"\"\"\r\nplain,\"\"\n", 7);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "1,234"}));
  EXPECT_EQ(rows[0].line, 7U);
  EXPECT_EQ(rows[1].fields, (Fields{"two\nlines", "a \"word\""}));
  EXPECT_EQ(rows[1].line, 9U);
  EXPECT_EQ(rows[2].fields, (Fields{"plain", ""}));
  EXPECT_EQ(rows[2].line, 11U);
}

TEST(CsvRows, TheLastLineNeedsNoLineBreak) {
  const auto rows = read_csv("a,b\nc,d", 1);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].fields, (Fields{"c", "d"}));
  EXPECT_TRUE(read_csv("", 1).empty());
}

}  // namespace
}  // namespace tilescope
