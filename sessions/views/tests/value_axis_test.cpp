#include "sessions/views/points/value_axis.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

ParameterChoices numbers(std::vector<std::int64_t> values) {
  ParameterChoices choices{"P", {}};
  for (const std::int64_t value : values) choices.values.emplace_back(value);
  return choices;
}

TEST(ValueAxis, PowersOfTwoLieAtTheirLogarithm) {
  const ValueAxis axis = make_axis(numbers({64, 8, 16}));
  EXPECT_EQ(axis.scale, ValueAxis::Scale::log2);
  EXPECT_EQ(axis.labels, (std::vector<std::string>{"8", "16", "64"}));
  EXPECT_EQ(axis.positions, (std::vector<double>{3, 4, 6}));
  EXPECT_EQ(axis.spacing(), 1);
  EXPECT_EQ(axis.low(), 2.5);
  EXPECT_EQ(axis.high(), 6.5);
}

TEST(ValueAxis, OtherNumbersLieAtThemselves) {
  const ValueAxis axis = make_axis(numbers({0, 2, 5}));
  EXPECT_EQ(axis.scale, ValueAxis::Scale::linear);
  EXPECT_EQ(axis.positions, (std::vector<double>{0, 2, 5}));
  EXPECT_EQ(axis.spacing(), 2);
}

TEST(ValueAxis, NamesLieInTheOrderOfTheirDeclaration) {
  const ValueAxis axis = make_axis({"L", {std::string("row_major"), std::string("padded")}});
  EXPECT_EQ(axis.scale, ValueAxis::Scale::category);
  EXPECT_EQ(axis.labels, (std::vector<std::string>{"row_major", "padded"}));
  EXPECT_EQ(axis.find(std::string("padded")), 1u);
  EXPECT_FALSE(axis.find(std::string("swizzled")).has_value());
}

TEST(ValueAxis, OneValueHasAnAxisToo) {
  const ValueAxis axis = make_axis(numbers({4}));
  EXPECT_LT(axis.low(), axis.high());
}

}  // namespace
}  // namespace tilescope
