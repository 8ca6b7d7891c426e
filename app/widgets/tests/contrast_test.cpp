#include "app/widgets/contrast.hpp"

#include <gtest/gtest.h>

#include "app/widgets/tests/color_vision.hpp"

namespace tilescope {
namespace {

const ImVec4 black(0, 0, 0, 1);
const ImVec4 white(1, 1, 1, 1);

ImVec4 grey(int level) {
  const float channel = static_cast<float>(level) / 255;
  return {channel, channel, channel, 1};
}

TEST(Contrast, IsThatOfTheGuidelinesExamples) {
  EXPECT_NEAR(contrast_ratio(black, white), 21, 1e-9);
  EXPECT_NEAR(contrast_ratio(white, white), 1, 1e-9);
  // The last grey that passes on white, and the first that does not.
  EXPECT_GE(contrast_ratio(grey(0x76), white), 4.5);
  EXPECT_LT(contrast_ratio(grey(0x77), white), 4.5);
}

TEST(Contrast, OfATranslucentColorIsThatOfTheMixture) {
  const ImVec4 half = blend({1, 1, 1, 0.5F}, black);
  EXPECT_FLOAT_EQ(half.x, 0.5F);
  EXPECT_FLOAT_EQ(half.w, 1);
}

TEST(Contrast, BlackOrWhiteIsReadableOnEveryGrey) {
  for (int level = 0; level < 256; ++level)
    EXPECT_GE(contrast_ratio(black_or_white_on(grey(level)), grey(level)), 4.5) << level;
}

TEST(ColorVision, GreyStaysGreyForEveryEye) {
  for (const auto& vision : test_support::color_visions())
    EXPECT_LT(test_support::color_difference(test_support::simulate(vision, grey(120)), grey(120)), 0.1)
        << vision.name;
}

TEST(ColorVision, RedAndGreenOfOneLightnessAreAlikeWithoutGreenCones) {
  const ImVec4 red(0.72F, 0.37F, 0.31F, 1);
  const ImVec4 green(0.48F, 0.48F, 0.25F, 1);
  const auto seen = [&](const auto& vision) {
    return test_support::color_difference(test_support::simulate(vision, red),
                                          test_support::simulate(vision, green));
  };
  EXPECT_GT(seen(test_support::color_visions()[0]), 25);
  EXPECT_LT(seen(test_support::color_visions()[2]), 10);
}

// Pairs of Sharma, Wu and Dalal 2005 are given in L*a*b*, beyond sRGB for most: these two end points are the same in
// every reference implementation.
TEST(ColorVision, BlackAndWhiteDifferByAHundred) {
  EXPECT_NEAR(test_support::color_difference(black, white), 100, 0.01);
  EXPECT_NEAR(test_support::color_difference(white, white), 0, 1e-9);
}

}  // namespace
}  // namespace tilescope
