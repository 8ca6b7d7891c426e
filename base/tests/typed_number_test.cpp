#include "base/typed_number.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tilescope {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(WholeNumber, IsDecimalDigits) {
  EXPECT_EQ(whole_number_from("0"), 0U);
  EXPECT_EQ(whole_number_from("7"), 7U);
  EXPECT_EQ(whole_number_from("100"), 100U);
  EXPECT_EQ(whole_number_from("18446744073709551615"), largest);
}

TEST(WholeNumber, IsNothingElse) {
  for (const char* text : {"",
                           "-1",
                           "-0",
                           "+1",
                           "010",
                           "00",
                           "0x10",
                           "0b1",
                           "1e3",
                           "1.0",
                           "1.",
                           " 1",
                           "1 ",
                           "1k",
                           "1,000",
                           "1'000",
                           "1_000",
                           "nan",
                           "inf",
                           "18446744073709551616",
                           "99999999999999999999999999",
                           "\xd9\xa1"})
    EXPECT_FALSE(whole_number_from(text)) << text;
  EXPECT_FALSE(whole_number_from(std::string("1\0002", 3)));
}

TEST(WholeNumber, HasARangeThatTheComplaintNames) {
  EXPECT_EQ(whole_number_in({1, 64}, "1"), 1U);
  EXPECT_EQ(whole_number_in({1, 64}, "64"), 64U);
  for (const char* text : {"0", "65", "-1", "010", "", "99999999999999999999"}) {
    try {
      whole_number_in({1, 64}, text);
      ADD_FAILURE() << text << " is accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), "'" + std::string(text) +
                                  "' is not a whole number from 1 to 64, written in decimal digits without a "
                                  "sign or leading zeros");
    }
  }
}

TEST(Decimal, IsDigitsWithAPointAndAnExponent) {
  EXPECT_EQ(decimal_from("0.5"), 0.5);
  EXPECT_EQ(decimal_from("0"), 0);
  EXPECT_EQ(decimal_from("120"), 120);
  EXPECT_EQ(decimal_from("1e3"), 1000);
  EXPECT_EQ(decimal_from("2.5e-1"), 0.25);
}

TEST(Decimal, IsNothingElse) {
  for (const char* text : {"", "-1", "+1", "010", "00.5", ".5", "0x10", "1e", "1e400", "1e-400", "inf", "nan",
                           "infinity", " 1", "1 ", "1s", "1,5", "0x1p3"})
    EXPECT_FALSE(decimal_from(text)) << text;
}

}  // namespace
}  // namespace tilescope
