// Cases of one process do not see what an earlier one left behind (cmake/test_main.cpp).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr const char* added = "TILESCOPE_TEST_MAIN_ADDED";
constexpr const char* changed = "HOME";

/// Each case finds the surroundings of the suite and leaves others. There are two, so that one of them is the later one.
class Surroundings : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    home = std::getenv(changed) == nullptr ? "" : std::getenv(changed);
    folder = fs::current_path();
  }

  static void expect_own_and_change() {
    EXPECT_EQ(std::getenv(added), nullptr);
    EXPECT_EQ(std::getenv(changed) == nullptr ? "" : std::getenv(changed), home);
    EXPECT_EQ(fs::current_path(), folder);
    ::setenv(added, "1", 1);
    ::setenv(changed, "/", 1);
    fs::current_path("/");
  }

  inline static std::string home;
  inline static fs::path folder;
};

TEST_F(Surroundings, AreNotThoseThatAnEarlierCaseLeft) {
  expect_own_and_change();
}

TEST_F(Surroundings, AreNotThoseThatALaterCaseLeaves) {
  expect_own_and_change();
}

/// The variable that a suite sets for its cases.
class SuiteVariable : public testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv(added, "suite", 1); }
};

TEST_F(SuiteVariable, IsThereForItsFirstCase) {
  EXPECT_STREQ(std::getenv(added), "suite");
  ::unsetenv(added);
}

TEST_F(SuiteVariable, IsThereForItsSecondCase) {
  EXPECT_STREQ(std::getenv(added), "suite");
}

TEST(OtherSuite, DoesNotSeeIt) {
  EXPECT_EQ(std::getenv(added), nullptr);
}

TEST(Outcomes, AreNotWrittenByProgramsThatATestStarts) {
  EXPECT_EQ(std::getenv("TILESCOPE_TEST_OUTCOMES"), nullptr);
}

}  // namespace
