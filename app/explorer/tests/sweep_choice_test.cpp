#include "app/explorer/tune/sweep_choice.hpp"
#include "base/json.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

ParameterValue number(std::int64_t value) {
  return value;
}

class SweepChoiceTest : public ::testing::Test {
 protected:
  SweepChoiceTest() {
    kernel.name = "k";
    kernel.parameters = {{"M", {number(8), number(16), number(32)}, number(8), ""},
                         {"LAYOUT", {std::string("row"), std::string("padded")}, std::string("row"), ""}};
  }
  KernelDeclaration kernel;
  SweepChoice choice;
};

TEST_F(SweepChoiceTest, NothingIsSweptAtFirst) {
  EXPECT_TRUE(choice.swept_of(kernel).empty());
  EXPECT_FALSE(choice.is_swept("k", "M"));
  EXPECT_TRUE(choice.has_value("k", "M", number(8)));
}

TEST_F(SweepChoiceTest, AParameterIsSweptOverItsChosenValuesInTheOrderOfTheDeclaration) {
  choice.toggle("k", "LAYOUT");
  choice.toggle("k", "M");
  choice.toggle_value("k", "M", number(16));
  const SweptParameters expected{{"M", {number(8), number(32)}},
                                 {"LAYOUT", {std::string("row"), std::string("padded")}}};
  EXPECT_EQ(choice.swept_of(kernel), expected);
  EXPECT_TRUE(choice.without_value(kernel).empty());
}

TEST_F(SweepChoiceTest, ValuesStayWhenAParameterLeavesTheSweepAndComesBack) {
  choice.toggle("k", "M");
  choice.toggle_value("k", "M", number(16));
  choice.toggle("k", "M");
  EXPECT_TRUE(choice.swept_of(kernel).empty());
  choice.toggle("k", "M");
  EXPECT_EQ(choice.swept_of(kernel).at(0).second, (std::vector<ParameterValue>{number(8), number(32)}));
}

// An empty list of values would mean all of them.
TEST_F(SweepChoiceTest, AParameterWithoutAValueMakesNoSweep) {
  choice.toggle("k", "LAYOUT");
  choice.toggle("k", "M");
  choice.choose_none("k", kernel.parameters[0]);
  EXPECT_TRUE(choice.swept_of(kernel).empty());
  EXPECT_EQ(choice.without_value(kernel), "M");
  choice.choose_all("k", "M");
  EXPECT_EQ(choice.swept_of(kernel).size(), 2U);
}

TEST_F(SweepChoiceTest, EachKernelHasItsOwn) {
  choice.toggle("k", "M");
  EXPECT_FALSE(choice.is_swept("other", "M"));
}

TEST_F(SweepChoiceTest, IsReadAsItWasWritten) {
  choice.toggle("k", "M");
  choice.toggle_value("k", "M", number(16));
  choice.toggle_value("k", "LAYOUT", std::string("padded"));
  EXPECT_EQ(Json::parse(Json(choice).dump()).get<SweepChoice>(), choice);
}

TEST_F(SweepChoiceTest, WhatCannotBeReadIsLeftOut) {
  EXPECT_EQ(Json().get<SweepChoice>(), SweepChoice());
  const Json damaged = Json::parse(
      R"({"k": {"M": {"swept": true, "left_out": [16]}, "N": 3, "W": {"swept": "yes"}}, "l": []})");
  choice.toggle("k", "M");
  choice.toggle_value("k", "M", number(16));
  EXPECT_EQ(damaged.get<SweepChoice>(), choice);
}

}  // namespace
}  // namespace tilescope
