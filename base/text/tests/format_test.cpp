#include "base/text/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilescope {
namespace {

TEST(Format, CountsHaveGroupsOfThreeDigits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(57376), "57,376");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
}

TEST(Format, LargeCountsAreShortInSentences) {
  EXPECT_EQ(format_short(0), "0");
  EXPECT_EQ(format_short(999999), "999,999");
  EXPECT_EQ(format_short(1000000), "1.00 M");
  EXPECT_EQ(format_short(31540000), "31.5 M");
  EXPECT_EQ(format_short(314200000), "314 M");
  EXPECT_EQ(format_short(999600000), "1.00 G");
  EXPECT_EQ(format_short(-12000000), "-12.0 M");
}

TEST(Format, PointsHaveASingularAndNone) {
  EXPECT_EQ(format_points(0), "no points");
  EXPECT_EQ(format_points(1), "1 point");
  EXPECT_EQ(format_points(1152), "1,152 points");
}

TEST(Format, NumbersGroupOnlyBeforeThePoint) {
  EXPECT_EQ(format_number(1099.78, 2), "1,099.78");
  EXPECT_EQ(format_number(-1000, 0), "-1,000");
  EXPECT_EQ(format_number(std::nan(""), 2), "-");
  EXPECT_EQ(format_number(std::numeric_limits<double>::infinity(), 1), "-");
}

TEST(Format, TheLargestNumberFits) {
  EXPECT_GT(format_number(std::numeric_limits<double>::max(), 6).size(), 309u);
}

TEST(Format, LatencyTakesTheUnitThatFits) {
  EXPECT_EQ(format_latency(9.2414), "9.241 µs");
  EXPECT_EQ(format_latency(92.4), "92.40 µs");
  EXPECT_EQ(format_latency(1099.78), "1.100 ms");
  EXPECT_EQ(format_latency(2.4e6), "2.40 s");
}

TEST(Format, BytesShowTheExactCountToo) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(57376), "56.0 KiB (57,376 B)");
  EXPECT_EQ(format_short_bytes(1023), "1,023 B");
  EXPECT_EQ(format_short_bytes(57376), "56.0 KiB");
}

TEST(Format, AnErrorThatIsNotANumberIsSaid) {
  EXPECT_EQ(format_error(std::nan("")), "NaN");
  EXPECT_EQ(format_error(0), "0");
  EXPECT_EQ(format_error(0.000488), "4.88e-04");
}

TEST(Format, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(format_duration(8.4), "8 s");
  EXPECT_EQ(format_duration(59.7), "1 min 00 s");
  EXPECT_EQ(format_duration(125), "2 min 05 s");
  EXPECT_EQ(format_duration(4321), "1 h 12 min");
  EXPECT_EQ(format_duration(-1), "-");
}

TEST(Format, ANumberAndItsUnitStayInOneLine) {
  const std::string space = "\xC2\xA0";
  EXPECT_EQ(with_unbroken_units("issue slots, 53.0 %"), "issue slots, 53.0" + space + "%");
  EXPECT_EQ(with_unbroken_units("1.1 µs to 2.0 µs, 3 blocks"),
            "1.1" + space + "µs to 2.0" + space + "µs, 3 blocks");
  EXPECT_EQ(with_unbroken_units("3 sites"), "3 sites") << "a word that begins like a unit";
  EXPECT_EQ(with_unbroken_units("96 "), "96 ");
}

}  // namespace
}  // namespace tilescope
