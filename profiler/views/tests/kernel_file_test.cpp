// The kernels, the launch and the accesses of an opened file, as rows.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "profiler/views/kernel_file/file_measurement.hpp"
#include "profiler/views/kernel_file/kernel_rows.hpp"
#include "profiler/views/kernel_file/launch_rows.hpp"
#include "profiler/views/kernel_file/launch_sizes.hpp"
#include "profiler/views/kernel_file/named_sources.hpp"
#include "profiler/views/kernel_file/opened_file_view.hpp"
#include "profiler/views/kernel_file/tried_row.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"
#include "profiler/views/kernel_file/varied_rows.hpp"

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

LaunchRow guessed_row(const std::string& what, const std::string& value, const std::string& reason) {
  return {what, value, reason, false, proposed_sizes(what, value)};
}

LaunchRow chosen_row(const LaunchRow& guess, const std::string& value) {
  LaunchRow row = guess;
  row.guess = guess.value;
  row.value = value;
  row.is_chosen = true;
  return row;
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
  EXPECT_EQ(rows,
            (std::vector<LaunchRow>{guessed_row("N", "64", "a"), chosen_row({"block", "[8]", "b"}, "[16]"),
                                    guessed_row("x", "2", "d")}));
}

TEST(LaunchRows, APartThatIsNoLongerGuessedGoes) {
  const std::vector<LaunchRow> before =
      launch_rows({}, launched_with({{"N", "64", "a"}, {"x", "1", "c"}}), {});
  EXPECT_EQ(names_of(launch_rows(before, launched_with({{"N", "64", "a"}}), {})),
            std::vector<std::string>{"N"});
}

TEST(LaunchRows, ColumnsThatAreAddedToAnArrayAreAConstantUntilTheyAreReset) {
  const ChosenValues chosen = {{"tile: added columns", "1"}};
  const std::vector<LaunchRow> rows = launch_rows({}, launched_with({{"N", "64", "a"}}), chosen);
  EXPECT_EQ(names_of(rows), (std::vector<std::string>{"N", "tile: added columns"}));
  EXPECT_EQ(rows.back().kind, LaunchRow::Kind::constant);
  EXPECT_TRUE(rows.back().is_chosen);
  EXPECT_EQ(names_of(launch_rows(rows, launched_with({{"N", "64", "a"}}), {})),
            std::vector<std::string>{"N"});
}

TEST(LaunchRows, AnAnswerWithoutALaunchKeepsThemAll) {
  const std::vector<LaunchRow> before =
      launch_rows({}, launched_with({{"N", "64", "a"}, {"x", "1", "c"}}), {});
  const std::vector<LaunchRow> rows = launch_rows(before, OpenedPoint(), {{"N", "many"}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], chosen_row(before[0], "many"));
  EXPECT_EQ(rows[1], before[1]);
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

TEST(LaunchRows, WhatEntriesOfACacheDifferInIsNoConstantOfASource) {
  OpenedPoint point;
  point.constants = {{"cache_entry", 2, 0, {1, 2}}, {"num_warps", 8, 0, {4, 8}}};
  const std::vector<LaunchRow> rows = launch_rows({}, point, {{"num_warps", "8"}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kind, LaunchRow::Kind::entry);
  EXPECT_EQ(rows[0].value, "2") << "it follows the chosen value";
  EXPECT_FALSE(rows[0].is_chosen);
  EXPECT_TRUE(rows[1].is_chosen);
  EXPECT_EQ(rows[1].proposals, (std::vector<std::string>{"4", "8"}));
}

TEST(TriedRows, EntriesThatAreTriedByNumberSayInWhatTheyDiffer) {
  const auto tried = [](const std::string& number, std::vector<OpenedConstant> constants) {
    const auto point = std::make_shared<OpenedPoint>();
    point->constants = std::move(constants);
    return TriedPoint{{{"cache_entry", number}}, point};
  };
  std::vector<TriedPoint> points = {
      tried("1", {{"cache_entry", 1, 0, {}}, {"num_warps", 4, 0, {}}}),
      tried("2", {{"cache_entry", 2, 0, {}}, {"num_warps", 8, 0, {}}, {"BLOCK", 64, 2, {}}}), tried("9", {})};
  add_entry_values(points);
  const std::vector<std::vector<std::string>> expected = {{"1", "4", ""}, {"2", "8", "64"}, {"9", "", ""}};
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(tried_row(points[i]).values, expected[i]);
  points = {{{{"num_warps", "4"}}, points[0].point}};
  add_entry_values(points);
  EXPECT_EQ(points[0].values.size(), 1u) << "values that are tried themselves say enough";
}

TEST(LaunchRows, ConstantsStandBehindTheGuessesWithTheirProposals) {
  OpenedPoint point = launched_with({{"N", "64", "a"}});
  point.constants = {{"TILE", 32, 5, {16, 32, 64}}};
  const LaunchRow written{
      "TILE", "32", "32 in line 5 of the source", false, {"16", "32", "64"}, LaunchRow::Kind::constant};
  const LaunchRow n = guessed_row("N", "64", "a");
  const std::vector<LaunchRow> before = launch_rows({}, point, {});
  EXPECT_EQ(before, (std::vector<LaunchRow>{n, written}));
  LaunchRow chosen = written;
  chosen.value = "48";
  chosen.is_chosen = true;
  EXPECT_EQ(launch_rows(before, point, {{"TILE", "48"}}), (std::vector<LaunchRow>{n, chosen}));
  EXPECT_EQ(launch_rows(before, OpenedPoint(), {{"TILE", "48"}}), (std::vector<LaunchRow>{n, chosen}))
      << "of a source that does not compile with it";
}

TEST(LaunchRows, OfAFileWithSeveralKernelsOfferTheOthersToCompareWith) {
  OpenedPoint point;
  point.entry = "b";
  point.outputs = {"y"};
  for (const char* name : {"a", "b", "c"}) {
    point.kernels.emplace_back().name = name;
    point.kernels.back().demangled = name + std::string("(float*)");
  }
  const std::vector<LaunchRow> rows = launch_rows({}, point, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].kind, LaunchRow::Kind::reference);
  EXPECT_EQ(rows[1].proposals, (std::vector<std::string>{"a(float*)", "c(float*)"}));
  EXPECT_FALSE(rows[1].is_chosen);
  const std::vector<LaunchRow> chosen = launch_rows({}, point, {{"reference kernel", "c(float*)"}});
  EXPECT_TRUE(chosen[1].is_chosen);
  EXPECT_EQ(chosen[1].value, "c(float*)");
}

TEST(LaunchRows, OfAFileWithSeveralKernelsHaveThoseThatAreLaunchedBeforeAndOneMore) {
  OpenedPoint point;
  point.entry = "b";
  point.launch = "{}";
  for (const char* name : {"a", "b", "c"}) {
    point.kernels.emplace_back().name = name;
    point.kernels.back().demangled = name + std::string("(float*)");
  }
  std::vector<LaunchRow> rows = launch_rows({}, point, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, LaunchRow::Kind::earlier);
  EXPECT_EQ(rows[0].proposals, (std::vector<std::string>{"a(float*)", "c(float*)"}));
  rows = launch_rows(rows, point, {{"before 1 kernel", "c(float*)"}, {"before 1 grid", "4"}});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].value, "c(float*)");
  EXPECT_EQ(rows[1].what, "before 2 kernel");
  EXPECT_FALSE(rows[1].is_chosen);
  EXPECT_EQ(rows[2].what, "before 1 grid");
  point.guesses = {{"before 1 kernel", "a(float*)", "main launches it first"},
                   {"before 2 kernel", "c(float*)", "main launches it first"}};
  rows = launch_rows(rows, point, {});
  ASSERT_EQ(rows.size(), 2u) << "an offer is taken or left before others are chosen";
  EXPECT_EQ(rows[1].suggestion, "c(float*)");
  EXPECT_EQ(rows[1].reason, "c: main launches it first");
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
  point.compared[0].formula = "";
  point.compared[0].reference = "void twice<float>(float const*, float*)";
  EXPECT_EQ(opened_file_view(point, "k.cu").status, "Correct: 4,096 values match those of twice");
  point.compared[0].wrong = 7;
  EXPECT_EQ(opened_file_view(point, "k.cu").status, "Incorrect result: 7 of 4,096 values differ");
  point.compared.clear();
  point.status = Status::unchecked;
  EXPECT_EQ(opened_file_view(point, "k.cu").status, "Executed, result not checked");
}

class NamedSources : public ::testing::Test {
 protected:
  NamedSources() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilescope-sources-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ / "kernels" / "old");
    write("runner.cu", "int main() {}\n");
    write("kernels/naive.cuh", "slow();\n");
    point_.prediction.emplace();
    point_.prediction->lines = {{1, "", 1, 2, 3, "naive.cuh"}, {1, "", 1, 2, 3, "runner.cu"}};
  }
  ~NamedSources() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
  OpenedPoint point_;
};

TEST_F(NamedSources, AHeaderInAFolderBelowIsFoundByItsName) {
  const SourceFile source = named_sources(point_, folder_ / "runner.cu");
  EXPECT_EQ(source.name, "runner.cu");
  EXPECT_EQ(source.text, "int main() {}\n");
  EXPECT_EQ(source.headers, (std::map<std::string, std::string>{{"naive.cuh", "slow();\n"}}));
}

TEST_F(NamedSources, OneOfTwoFilesWithTheNameIsNotGuessed) {
  write("kernels/old/naive.cuh", "slower();\n");
  EXPECT_TRUE(named_sources(point_, folder_ / "runner.cu").headers.empty());
}

TEST(FileMeasurement, HasTheFilesNameTheEntryAndTheValuesThatWereChosen) {
  OpenedPoint point;
  point.parameters = {{"TILE", std::int64_t{16}}};
  point.entry = "_Z4gemmILi16EEvPf";
  point.kernels.resize(1);
  point.kernels[0].name = point.entry;
  point.kernels[0].demangled = "void gemm<16>(float*)";
  Measurement one = file_measurement(
      point, "gemm.cu",
      {{"TILE", "16"}, {"grid", "4,2"}, {"C: expected", "A"}, {"reference kernel", "naive"}});
  EXPECT_EQ(one.kernel, "gemm.cu");
  EXPECT_EQ(one.parameters, (Configuration{{"TILE", std::int64_t{16}}, {"grid", "4,2"}}));
  point.kernels.resize(2);
  EXPECT_EQ(file_measurement(point, "gemm.cu", {}).kernel, "gemm.cu:gemm");
}

TEST(LaunchSizes, AreProposedAroundAWholeNumber) {
  using Sizes = std::vector<std::string>;
  EXPECT_EQ(proposed_sizes("N", "64"), (Sizes{"16", "32", "64", "128", "256"}));
  EXPECT_EQ(proposed_sizes("N", "77"), (Sizes{"77", "154", "308"})) << "whole ones";
  EXPECT_EQ(proposed_sizes("n", "1500000000"), (Sizes{"375000000", "750000000", "1500000000"}));
  for (const char* value : {"0", "-4", "0.125", "many", "[8, 4, 2]", ""})
    EXPECT_TRUE(proposed_sizes("n", value).empty()) << value;
  EXPECT_TRUE(proposed_sizes("x: elements", "4096").empty()) << "it follows from the sizes";
}

TEST(LaunchSizes, ABlockHasUpTo1024ThreadsAndMayBeAPlane) {
  using Sizes = std::vector<std::string>;
  EXPECT_EQ(proposed_sizes("block", "[512, 1, 1]"), (Sizes{"128", "256", "512", "1024"}));
  EXPECT_EQ(proposed_sizes("block", "[16, 16, 1]"),
            (Sizes{"8x8", "8x16", "16x8", "16x16", "16x32", "32x16", "32x32"}));
  EXPECT_EQ(proposed_sizes("block", "[32, 32, 1]"), (Sizes{"16x16", "16x32", "32x16", "32x32"}));
  EXPECT_EQ(proposed_sizes("block", "[32, 3, 1]"), (Sizes{"16x3", "32x3", "32x6", "64x3", "64x6"}));
  EXPECT_TRUE(proposed_sizes("grid", "[8, 4, 1]").empty());
  EXPECT_EQ(short_size("[16, 8, 1]"), "16x8");
  EXPECT_EQ(short_size("[256, 1, 1]"), "256");
  EXPECT_EQ(short_size("[8, 4, 2]"), "[8, 4, 2]");
}

TEST(LaunchRows, ASizeKeepsItsProposalsWhereTheUserChoosesAnother) {
  const std::vector<LaunchRow> before = launch_rows({}, launched_with({{"N", "64", "a"}}), {});
  EXPECT_EQ(before[0].proposals.size(), 5u);
  const std::vector<LaunchRow> rows = launch_rows(before, launched_with({}), {{"N", "256"}});
  EXPECT_EQ(rows[0].value, "256");
  EXPECT_EQ(rows[0].proposals, before[0].proposals) << "the slider does not move below the pointer";
}

TEST(LaunchRows, ASizeThatFollowsFromAnotherHasNoProposals) {
  OpenedPoint point =
      launched_with({{"cols", "300", "a size"},
                     {"n", "28800", "rows * cols with rows = 96 (line 42), cols = 300 (line 42)"},
                     {"block", "[16, 16, 1]", "block.x = BLOCK_SIZE (line 3) with BLOCK_SIZE = 16 (line 2)"},
                     {"grid", "[7, 1, 1]", "threads / 2 with threads = 14 (line 9)"}});
  const std::vector<LaunchRow> rows = launch_rows({}, point, {});
  EXPECT_FALSE(rows[0].proposals.empty());
  EXPECT_TRUE(rows[1].proposals.empty()) << "cols changes it";
  EXPECT_TRUE(rows[2].proposals.empty()) << "the kernel is compiled with it";
  EXPECT_FALSE(rows[3].proposals.empty()) << "no row has the number of threads";
}

TEST(VariedRows, ConstantsComeFirstThenSizes) {
  std::vector<LaunchRow> rows{guessed_row("N", "64", "a"),
                              guessed_row("scale", "0.125", "b"),
                              guessed_row("block", "[256, 1, 1]", "c"),
                              guessed_row("grid", "[8, 4, 1]", "d"),
                              guessed_row("x: elements", "4096", "e"),
                              guessed_row("x: fill", "random", "f")};
  rows.push_back({"TILE", "24", "g", true, {"16", "32"}, LaunchRow::Kind::constant});
  const std::vector<VariedRow> varied = varied_rows(rows);
  ASSERT_EQ(varied.size(), 3u);
  EXPECT_EQ(varied[0].what, "TILE");
  EXPECT_EQ(varied[0].values, (std::vector<std::string>{"16", "24", "32"}));
  EXPECT_EQ(varied[1].what, "N");
  EXPECT_EQ(varied[1].values, (std::vector<std::string>{"16", "32", "64", "128", "256"}));
  EXPECT_EQ(varied[2].what, "block");
  EXPECT_EQ(varied[2].current, "256");
}

TEST(VariedRows, TheFirstToVaryFollowsNoOther) {
  const LaunchRow n = guessed_row(
      "n", "28800", "from the launch in line 50: rows * cols with rows = 96 (line 42), cols = 300 (line 42)");
  const LaunchRow cols = guessed_row("cols", "300", "from the launch in line 50: cols = 300 (line 42)");
  const LaunchRow grid =
      guessed_row("grid", "[300, 1, 1]", "from the launch in line 50: cols = 300 (line 42)");
  std::vector<VariedRow> varied = varied_rows({n, grid, cols});
  EXPECT_EQ(first_to_vary(varied)->what, "cols");
  varied = varied_rows({n, grid});
  EXPECT_EQ(first_to_vary(varied)->what, "n") << "the kernel gets neither rows nor cols";
  LaunchRow tile{"TILE", "16", "16 in line 3 of the source", false, {"16"}, LaunchRow::Kind::constant};
  varied = varied_rows({cols, tile});
  EXPECT_EQ(first_to_vary(varied)->what, "TILE");
  EXPECT_EQ(first_to_vary({}), nullptr);
}

TEST(TriedRows, AreSortedByLatencyWithFaultyOnesLast) {
  std::vector<TriedRow> rows(4);
  rows[0].latency_us = 3;
  rows[1].is_faulty = true;  // It did not compile.
  rows[2].latency_us = 1;
  rows[2].is_faulty = true;
  rows[3].latency_us = 2;
  EXPECT_EQ(places_by_latency(rows, 6), (std::vector<std::size_t>{3, 0, 2, 1, 4, 5}));
}

TEST(TriedRows, TheFastestAreThoseThatCannotBeToldFromIt) {
  const auto point = [](double us, double band) {
    OpenedPoint opened;
    opened.status = Status::unchecked;
    opened.prediction = Prediction{us, us / band, us * band, {}, "", "", {}};
    return TriedPoint{{{"TILE", "8"}}, std::make_shared<const OpenedPoint>(opened)};
  };
  EXPECT_EQ(fastest_places({point(40, 1.01), point(10, 1.01), point(10, 1.01)}),
            (std::set<std::size_t>{1, 2}));
  EXPECT_TRUE(fastest_places({point(10, 1.01), point(10, 1.01)}).empty()) << "nothing tells them apart";
  EXPECT_TRUE(fastest_places({}).empty());
}

TEST(ValueCombinations, TheLastGoesFastest) {
  const std::vector<VariedValues> varied{{"A", {"1", "2"}}, {"B", {"x", "y", "z"}}};
  EXPECT_EQ(count_combinations(varied), 6U);
  const std::vector<ValueCombination> all = value_combinations(varied);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[1], (ValueCombination{{"A", "1"}, {"B", "y"}}));
  EXPECT_EQ(all[3], (ValueCombination{{"A", "2"}, {"B", "x"}}));
  EXPECT_TRUE(value_combinations({{"A", {"1"}}, {"B", {}}}).empty());
}

TEST(ValueCombinations, AreCountedWithoutBeingListed) {
  const VariedValues many{"A", std::vector<std::string>(1000, "1")};
  EXPECT_EQ(count_combinations({many, many}), 1000000U);
  EXPECT_EQ(count_combinations(std::vector<VariedValues>(10, many)), std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(count_combinations({many, {"B", {}}}), 0U);
}

TEST(VariedRows, TypedValuesMayHaveBlanks) {
  EXPECT_EQ(split_values(" 8,16 , ,32, 8"), (std::vector<std::string>{"8", "16", "32"}));
  EXPECT_TRUE(split_values(" ").empty());
}

TriedPoint tried_point(const std::string& value, double us, Status status = Status::unchecked) {
  OpenedPoint point;
  point.status = status;
  point.guesses = {{"x: elements", "64", ""}};
  if (us > 0) point.prediction = Prediction{us, us, us, {}, "", "", {}};
  return {{{"TILE", value}}, std::make_shared<const OpenedPoint>(std::move(point))};
}

TriedPoint with_result(TriedPoint tried, std::uint64_t wrong) {
  OpenedPoint point = *tried.point;
  point.status = Status::ok;
  point.compared.resize(1);
  point.compared[0].elements = 64;
  point.compared[0].wrong = wrong;
  tried.point = std::make_shared<const OpenedPoint>(std::move(point));
  return tried;
}

// An incorrect kernel and an unchecked one may be fast because they leave something out.
TEST(TriedRow, OnlyCorrectPointsAreRankedWhereThereAreSome) {
  const TriedPoint incorrect = with_result(tried_point("8", 1), 3);
  const TriedPoint correct = with_result(tried_point("16", 4), 0);
  const std::vector<TriedPoint> points{incorrect, tried_point("32", 2), correct,
                                       tried_point("64", 0, Status::unsupported)};
  EXPECT_EQ(fastest_words(points), "Lowest predicted latency: TILE=16, 4.000 µs");
  EXPECT_EQ(tried_row(incorrect).result, "Incorrect");
  EXPECT_TRUE(tried_row(incorrect).is_faulty);
  EXPECT_EQ(tried_row(correct).result, "Correct");
  EXPECT_EQ(tried_row(points[1]).result, "Not checked");
  EXPECT_EQ(tried_row(points[3]).latency, "");
  EXPECT_TRUE(tried_row(points[3]).is_faulty);
}

TEST(TriedRow, PointsOfOtherSizesAreNotRanked) {
  TriedPoint larger = tried_point("32", 2);
  OpenedPoint point = *larger.point;
  point.guesses[0].value = "128";
  larger.point = std::make_shared<const OpenedPoint>(std::move(point));
  EXPECT_EQ(fastest_words({tried_point("16", 1), larger}), "");
  EXPECT_NE(fastest_words({tried_point("16", 1), tried_point("32", 2)}), "");
}

TEST(LineFigures, InlinedCodeCountsWhereItsFileIsKnownElseAtItsCall) {
  LaunchedPoint point;
  point.prediction = Prediction{10, 10, 10, {}, "", "", {}};
  point.prediction->lines = {
      {2, "", 1, 2, 64}, {2, "helper.cuh:1", 4, 0, 32}, {3, "elsewhere.cuh:7", 3, 0, 16}};
  point.memory.emplace();
  MemorySite site;
  site.file = "k.cu";
  site.line = 2;
  site.operation = "ld.shared";
  site.wavefronts = 32;
  site.minimum = 1;
  site.conflicts = 31;
  point.memory->sites = {site};
  Finding finding;
  finding.lines = {3};
  finding.text = "a race";
  point.findings = {finding};
  const SourceFile source{"k.cu", "one\r\ntwo\nthree", {{"helper.cuh", "inline"}, {"unused.cuh", "text"}}};
  const std::vector<LineFigures> files = line_figures(point, source);
  ASSERT_EQ(files.size(), 2u) << "a header without figures is left out";
  EXPECT_EQ(files[0].file, "k.cu");
  EXPECT_EQ(files[0].lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(files[0].of(HeatMetric::time), (std::vector<double>{0, 3, 3}));
  EXPECT_EQ(files[0].of(HeatMetric::excess), (std::vector<double>{0, 31, 0}));
  EXPECT_EQ(files[0].of(HeatMetric::findings), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(files[0].metrics, (std::vector<HeatMetric>{HeatMetric::time, HeatMetric::excess,
                                                       HeatMetric::executions, HeatMetric::findings}));
  EXPECT_NE(files[0].words[1].find("32 wavefronts, minimum 1"), std::string::npos) << files[0].words[1];
  EXPECT_EQ(files[1].of(HeatMetric::time), std::vector<double>{4});
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
