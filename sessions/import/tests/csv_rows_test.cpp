#include "sessions/import/csv_rows.hpp"

#include <stdexcept>

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

TEST(CsvRows, QuotesThatAreNotClosedAreRefusedWithTheLine) {
  for (const char* text :
       {"a,b\n\"c\",\"12", "a,b\n\"c\",\"12\n", "a,b\n\"", "a,b\n\"c\",\"one\ntwo\nthree\n"}) {
    try {
      read_csv(text, 1);
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("line 2: the quotes of a field are not closed"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(read_csv("a,b \"c\nd,e\n", 1).size(), 2U) << "a quote inside a field opens nothing";
}

}  // namespace
}  // namespace tilescope
