// The kernels, the launch and the accesses of an opened file, as rows.

#include <gtest/gtest.h>

#include "profiler/views/kernel_file/kernel_rows.hpp"
#include "profiler/views/kernel_file/launch_rows.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"

namespace tilescope {
namespace {

OpenedPoint launched_with(std::vector<LaunchGuess> guesses) {
  OpenedPoint point;
  point.guesses = std::move(guesses);
  point.launch = "{}";
  return point;
}

std::vector<std::string> names_of(const std::vector<LaunchRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const LaunchRow& row : rows) names.push_back(row.what);
  return names;
}

TEST(LaunchRows, AChosenPartKeepsItsPlaceAndTheReasonOfItsGuess) {
  const std::vector<LaunchRow> before = launch_rows(
      {},
      launched_with(
          {{"kernel", "f", "the only one"}, {"N", "64", "a"}, {"block", "[8]", "b"}, {"x", "1", "c"}}),
      {});
  EXPECT_EQ(names_of(before), (std::vector<std::string>{"N", "block", "x"}));
  const std::vector<LaunchRow> rows =
      launch_rows(before, launched_with({{"N", "64", "a"}, {"x", "2", "d"}}), {{"block", "[16]"}});
  EXPECT_EQ(rows, (std::vector<LaunchRow>{{"N", "64", "a"}, {"block", "[16]", "b", true}, {"x", "2", "d"}}));
}

TEST(LaunchRows, APartThatIsNoLongerGuessedGoes) {
  const std::vector<LaunchRow> before =
      launch_rows({}, launched_with({{"N", "64", "a"}, {"x", "1", "c"}}), {});
  EXPECT_EQ(names_of(launch_rows(before, launched_with({{"N", "64", "a"}}), {})),
            std::vector<std::string>{"N"});
}

TEST(LaunchRows, AnAnswerWithoutALaunchKeepsThemAll) {
  const std::vector<LaunchRow> before =
      launch_rows({}, launched_with({{"N", "64", "a"}, {"x", "1", "c"}}), {});
  const std::vector<LaunchRow> rows = launch_rows(before, OpenedPoint(), {{"N", "many"}});
  EXPECT_EQ(rows, (std::vector<LaunchRow>{{"N", "many", "a", true}, {"x", "1", "c"}}));
}

TEST(LaunchRows, AnOutputHasARowForItsFormula) {
  OpenedPoint point = launched_with({{"N", "64", "a"}});
  point.outputs = {"y"};
  const std::vector<LaunchRow> before = launch_rows({}, point, {});
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before[1].what, "y: expected");
  EXPECT_EQ(before[1].value, "") << "none is needed";
  EXPECT_EQ(before[1].kind, LaunchRow::Kind::formula);
  const std::vector<LaunchRow> rows = launch_rows(before, point, {{"y: expected", "2 * x"}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].value, "2 * x");
  EXPECT_TRUE(rows[1].is_chosen);
}

// Nothing is compared before the user chooses it.
TEST(LaunchRows, AFormulaThatTheValuesEqualIsOfferedAndNotInForce) {
  OpenedPoint point = launched_with({{"y: expected", "a * x", "the values equal it"}});
  point.outputs = {"y"};
  const std::vector<LaunchRow> rows = launch_rows({}, point, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].value, "");
  EXPECT_EQ(rows[0].proposals, std::vector<std::string>{"a * x"});
  EXPECT_NE(rows[0].reason.find("a * x"), std::string::npos);
}

TEST(LaunchRows, ConstantsStandBehindTheGuessesWithTheirProposals) {
  OpenedPoint point = launched_with({{"N", "64", "a"}});
  point.constants = {{"TILE", 32, 5, {16, 32, 64}}};
  const LaunchRow written{
      "TILE", "32", "32 in line 5 of the source", false, {"16", "32", "64"}, LaunchRow::Kind::constant};
  const std::vector<LaunchRow> before = launch_rows({}, point, {});
  EXPECT_EQ(before, (std::vector<LaunchRow>{{"N", "64", "a"}, written}));
  LaunchRow chosen = written;
  chosen.value = "48";
  chosen.is_chosen = true;
  EXPECT_EQ(launch_rows(before, point, {{"TILE", "48"}}), (std::vector<LaunchRow>{{"N", "64", "a"}, chosen}));
  EXPECT_EQ(launch_rows(before, OpenedPoint(), {{"TILE", "48"}}),
            (std::vector<LaunchRow>{{"N", "64", "a"}, chosen}))
      << "of a source that does not compile with it";
}

TEST(OpenedFile, AComparedResultIsItsStatus) {
  OpenedPoint point;
  point.status = Status::ok;
  point.warp_instructions = 1;
  ComparedBuffer compared;
  compared.name = "y";
  compared.elements = 4096;
  compared.formula = "2 * x";
  point.compared = {compared};
  EXPECT_EQ(opened_file_view(point, "k.cu").status, "Correct: 4,096 values match 2 * x");
  point.compared[0].wrong = 7;
  EXPECT_EQ(opened_file_view(point, "k.cu").status, "Incorrect result: 7 of 4,096 values differ");
  point.compared.clear();
  point.status = Status::unchecked;
  EXPECT_EQ(opened_file_view(point, "k.cu").status, "Executed, result not checked");
}

TEST(KernelRows, PtxHasNoRegisters) {
  OpenedKernel kernel;
  kernel.name = "_Z1fv";
  kernel.demangled = "f()";
  kernel.problem = "it needs a newer device";
  const std::vector<KernelRow> rows = kernel_rows({kernel});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].name, "f()");
  EXPECT_EQ(rows[0].registers, "");
  EXPECT_EQ(rows[0].details, std::vector<std::string>{"it needs a newer device"});
}

}  // namespace
}  // namespace tilescope
