#include "base/text/csv.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tilescope {
namespace {

std::string line(const std::string& field) {
  CsvText csv;
  csv.add({field});
  return csv.text();
}

TEST(Csv, QuotesWhatWouldEndAField) {
  CsvText csv;
  csv.add({"a", "b,c", "say \"x\"", "two\nlines", "left;right", ""});
  EXPECT_EQ(csv.text(), "a,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\"left;right\",\r\n");
}

TEST(Csv, FormulasAreNotRun) {
  EXPECT_EQ(line("=HYPERLINK(\"http://127.0.0.1/\",\"k\")"),
            "\"'=HYPERLINK(\"\"http://127.0.0.1/\"\",\"\"k\"\")\"\r\n");
  for (const char* text :
       {"=1+1", "+1+1", "+5", "-2+3", "-2+3 %", "-A1 %", "+-5 %", "@SUM(A1)", "=", "+", "--1",
        "-cmd|' /C calc'!A0", "\uff1d1+1", "\uff0b1+1", "\uff0d1+1", "\uff20SUM(A1)"})
    EXPECT_EQ(line(text), "'" + std::string(text) + "\r\n");
  EXPECT_EQ(line("\t=1+1"), "\"'\t=1+1\"\r\n");
  EXPECT_EQ(line("\n=1+1"), "\"'\n=1+1\"\r\n");
  EXPECT_EQ(line("\r=1+1"), "\\r=1+1\r\n");
}

TEST(Csv, NumbersStayAsTheyAre) {
  for (const char* text :
       {"-5", "-1.25", "-1.5e-07", "-inf", "-", "-3.25 µs", "+20.0 %", "-20.0 %", "a=1", "1+1", "x@y"})
    EXPECT_EQ(line(text), std::string(text) + "\r\n");
  for (const double value : {-1.0, -0.125, -1e300, -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(line(csv_number(value)), csv_number(value) + "\r\n");
}

TEST(Csv, ControlCharactersAreEscaped) {
  EXPECT_EQ(line("\x1b]0;t\x07"), "\"\\x1b]0;t\\x07\"\r\n");
  EXPECT_EQ(line("k\u202egnp\xff"), "k\\u202egnp\\xff\r\n");
  EXPECT_EQ(line("one\r\ntwo"), "\"one\ntwo\"\r\n");
}

}  // namespace
}  // namespace tilescope
