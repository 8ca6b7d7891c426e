#include "profiler/views/code/line_heat.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json_reader.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope {
namespace {

class LineHeatTest : public test_support::ServiceTest {
 protected:
  LineHeatTest() {
    experiment.parameters = {{"SMEM_LAYOUT", "row_major"}};
    experiment.shape.B = 1;
    experiment.shape.Hq = experiment.shape.Hkv = 1;
    experiment.shape.Sq = experiment.shape.Sk = 77;
  }
  void make() {
    const Service service = make_measure_service(installation);
    answer = test_support::ask<Listing>(service, {experiment}, control);
    ASSERT_EQ(answer.status, Status::ok) << answer.reason;
    listing = LinkedListing(answer, "");
    CountOptions options;
    options.instruction_times = true;
    traced = test_support::ask<CountKernel>(service, {experiment, options, false, true}, control);
    ASSERT_TRUE(traced.memory) << traced.reason;
    RecordBlock::Params params{experiment, {}};
    const RecordingSummary summary = test_support::ask<RecordBlock>(service, params, control);
    recording.instructions = read_list<LineExecutions>(summary.instructions);
  }
  LineHeat heat(HeatMetric metric) const {
    return line_heat(metric, listing, {&*traced.memory, nullptr, &recording, &traced.findings});
  }
  static double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  Listing::Answer answer;
  LinkedListing listing;
  CountedPoint traced;
  BlockRecording recording;
};

constexpr std::size_t in_cuda = static_cast<std::size_t>(CodeColumn::cuda);
constexpr std::size_t in_ptx = static_cast<std::size_t>(CodeColumn::ptx);
constexpr std::size_t in_sass = static_cast<std::size_t>(CodeColumn::sass);

TEST_F(LineHeatTest, ExcessIsThatOfTheSites) {
  make();
  const LineHeat excess = heat(HeatMetric::excess);
  EXPECT_EQ(excess.why_none, "");
  EXPECT_GT(excess.total, 0);
  EXPECT_EQ(excess.total, static_cast<double>(traced.memory->shared_conflicts));
  EXPECT_EQ(sum(excess.values[in_ptx]), excess.total);
  EXPECT_EQ(sum(excess.values[in_cuda]), excess.total) << "every site has a line of the kernel's file";
  double of_lines = 0;
  for (const MemorySite& site : traced.memory->sites) {
    if (site.operation.ends_with(".global") || site.conflicts == 0) continue;
    of_lines += excess.value(CodeColumn::cuda, static_cast<std::size_t>(site.line - 1)) > 0;
  }
  EXPECT_GT(of_lines, 0) << "the lines are the sites' lines";
  const auto hottest = std::max_element(excess.values[in_cuda].begin(), excess.values[in_cuda].end());
  const auto row = static_cast<std::size_t>(hottest - excess.values[in_cuda].begin());
  EXPECT_EQ(excess.share_of_most(CodeColumn::cuda, row), 1);
  EXPECT_NE(heat_text(excess, CodeColumn::cuda, row).find("excess wavefronts, "), std::string::npos);
  EXPECT_NE(excess.origin.find("blocks"), std::string::npos);
}

TEST_F(LineHeatTest, ACountIsDividedAmongTheCopiesOfItsAccess) {
  make();
  const LineHeat whole = heat(HeatMetric::excess);
  const auto& sites = traced.memory->sites;
  const auto site = std::find_if(sites.begin(), sites.end(), [](const MemorySite& one) {
    return one.conflicts > 0 && !one.operation.ends_with(".global");
  });
  ASSERT_NE(site, sites.end());
  const auto first = static_cast<std::size_t>(site->ptx_line - 1);
  ASSERT_EQ(whole.value(CodeColumn::ptx, first), static_cast<double>(site->conflicts));
  EXPECT_NE(heat_text(whole, CodeColumn::ptx, first).find("at the first copy"), std::string::npos);

  // Three copies on lines of the same CUDA line, one of them free of conflicts, and two sites that only look like one.
  const auto lines =
      listing.linked(CodeColumn::cuda, static_cast<std::size_t>(site->line - 1), CodeColumn::ptx);
  std::vector<std::size_t> rows;
  for (const std::uint32_t row : lines) {
    if (listing.lines(CodeColumn::ptx)[row].find("ld.shared") != std::string::npos) rows.push_back(row);
  }
  ASSERT_GE(rows.size(), 5u) << "the loop is unrolled";
  std::vector<MemorySite> block(5, *site);
  for (std::size_t i = 0; i < block.size(); ++i) block[i].ptx_line = static_cast<std::int64_t>(rows[i] + 1);
  block[0].conflicts = 10;
  block[1].conflicts = 0;
  block[2].conflicts = 20;
  block[3].conflicts = 1000;
  block[3].tile = "another";
  block[4].conflicts = 1000;
  block[4].inlined = {"another.cuh:7 load"};
  const LineHeat divided = line_heat(HeatMetric::excess, listing, {&*traced.memory, &block});
  EXPECT_EQ(divided.total, whole.total);
  EXPECT_EQ(sum(divided.values[in_ptx]), sum(whole.values[in_ptx]));
  EXPECT_EQ(divided.values[in_cuda], whole.values[in_cuda]);
  const auto count = static_cast<double>(site->conflicts);
  EXPECT_EQ(divided.value(CodeColumn::ptx, rows[0]), std::floor(count / 3));
  EXPECT_EQ(divided.value(CodeColumn::ptx, rows[1]), 0);
  EXPECT_EQ(divided.value(CodeColumn::ptx, rows[2]), count - std::floor(count / 3));
  for (const std::size_t row : {rows[3], rows[4]})
    EXPECT_EQ(divided.value(CodeColumn::ptx, row), whole.value(CodeColumn::ptx, row));
  EXPECT_NE(heat_text(divided, CodeColumn::ptx, rows[2]).find("that it has in the traced block"),
            std::string::npos);
  EXPECT_EQ(heat_text(divided, CodeColumn::cuda, static_cast<std::size_t>(site->line - 1)).find("divided"),
            std::string::npos);
}

// Without line info nothing says that two instructions are one access.
TEST_F(LineHeatTest, WithoutALineNothingIsDivided) {
  make();
  MemorySite one = traced.memory->sites.front();
  one.operation = "ld.shared";
  one.file.clear();
  one.line = 0;
  one.ptx_line = 40;
  one.conflicts = 100;
  MemorySite other = one;
  other.ptx_line = 50;
  other.conflicts = 7;
  MemoryCounts counts;
  counts.sites = {one, other};
  std::vector<MemorySite> block = counts.sites;
  block[0].conflicts = block[1].conflicts = 1;
  const LineHeat excess = line_heat(HeatMetric::excess, listing, {&counts, &block});
  EXPECT_EQ(excess.value(CodeColumn::ptx, 39), 100);
  EXPECT_EQ(excess.value(CodeColumn::ptx, 49), 7);
  const LineHeat without_block = line_heat(HeatMetric::excess, listing, {&counts});
  EXPECT_EQ(heat_text(without_block, CodeColumn::ptx, 39), "100 excess wavefronts, 93.5 % of the kernel's");
}

TEST_F(LineHeatTest, ExecutionsAndInstructionsAddUp) {
  make();
  const LineHeat executions = heat(HeatMetric::executions);
  double expected = 0;
  for (const LineExecutions& line : recording.instructions) expected += static_cast<double>(line.executions);
  EXPECT_GT(expected, 0);
  EXPECT_EQ(executions.total, expected);
  EXPECT_EQ(sum(executions.values[in_ptx]), expected);
  const LineHeat instructions = heat(HeatMetric::instructions);
  std::size_t all = 0;
  for (const SassLine& line : answer.machine_code.lines) all += !line.is_label();
  EXPECT_EQ(instructions.total, static_cast<double>(all));
  EXPECT_GT(sum(instructions.values[in_cuda]), 0.9 * instructions.total);
  EXPECT_LE(sum(instructions.values[in_cuda]), instructions.total);
}

TEST_F(LineHeatTest, AMachineInstructionHasItsOwnFigure) {
  make();
  const LineHeat executions = heat(HeatMetric::executions);
  EXPECT_TRUE(executions.is_of_machine_code);
  EXPECT_EQ(executions.origin, "warp instructions of the machine code in the traced block alone");
  EXPECT_EQ(sum(executions.values[in_sass]), executions.total);
  for (const LineExecutions& line : recording.instructions) {
    ASSERT_TRUE(line.address);
    const std::uint32_t row = listing.sass_row(*line.address, line.ptx_line);
    ASSERT_NE(row, LinkedListing::no_row) << *line.address;
    ASSERT_EQ(executions.value(CodeColumn::sass, row), static_cast<double>(line.executions));
  }
  for (std::size_t row = 0; row < listing.size(CodeColumn::ptx); ++row) {
    double of_row = 0;
    for (const std::uint32_t made : listing.sass_rows(row))
      of_row += executions.value(CodeColumn::sass, made);
    ASSERT_EQ(executions.value(CodeColumn::ptx, row), of_row);
  }
  const LineHeat excess = heat(HeatMetric::excess);
  EXPECT_TRUE(excess.origin.starts_with("counted from the machine code over ")) << excess.origin;
  EXPECT_EQ(sum(excess.values[in_sass]), excess.total);
}

TEST_F(LineHeatTest, TimesAndExecutionsOfTheLaunchAreThoseOfEachInstruction) {
  make();
  ASSERT_FALSE(traced.instruction_times.empty());
  HeatSources sources;
  sources.prediction = &*traced.prediction;
  sources.instructions = &traced.instruction_times;
  const LineHeat times = line_heat(HeatMetric::time, listing, sources);
  const double of_lines =
      std::accumulate(traced.prediction->lines.begin(), traced.prediction->lines.end(), 0.0,
                      [](double us, const LineTime& line) { return us + line.us(); });
  EXPECT_NEAR(sum(times.values[in_sass]), of_lines, 1e-6 * of_lines);
  EXPECT_GT(sum(times.values[in_ptx]), 0.9 * of_lines);
  EXPECT_LE(sum(times.values[in_ptx]), of_lines * (1 + 1e-6));
  const auto hottest = std::ranges::max_element(times.values[in_sass]) - times.values[in_sass].begin();
  const std::string text = heat_text(times, CodeColumn::sass, static_cast<std::size_t>(hottest));
  EXPECT_NE(text.find("in which warps wait for them"), std::string::npos) << text;
  EXPECT_EQ(text.find("made from"), std::string::npos) << "its own figure: " << text;

  EXPECT_GT(sum(times.values[in_cuda]), 0.9 * of_lines) << "a line has what it calls in headers";

  sources.recording = &recording;
  const LineHeat executions = line_heat(HeatMetric::executions, listing, sources);
  for (std::size_t row = 0; row < times.times[in_cuda].size(); ++row)
    EXPECT_NEAR(times.times[in_cuda][row].executions, executions.values[in_cuda][row], 1e-6) << row;
  EXPECT_FALSE(executions.is_of_one_block);
  EXPECT_EQ(executions.origin, "warp instructions of the machine code in the whole launch");
  EXPECT_NEAR(executions.total, static_cast<double>(traced.memory->warp_instructions), 1);
  EXPECT_NEAR(sum(executions.values[in_sass]), executions.total, 1e-6);
}

TEST_F(LineHeatTest, WhereThePtxRanAnInstructionShowsTheFigureOfItsLine) {
  make();
  for (LineExecutions& line : recording.instructions) line.address.reset();
  const LineHeat executions = heat(HeatMetric::executions);
  EXPECT_FALSE(executions.is_of_machine_code);
  for (std::size_t row = 0; row < listing.size(CodeColumn::sass); ++row) {
    const std::uint32_t from = listing.ptx_row(row);
    if (from == LinkedListing::no_row) continue;
    ASSERT_EQ(executions.value(CodeColumn::sass, row), executions.value(CodeColumn::ptx, from));
  }
}

TEST_F(LineHeatTest, RacesAreOnTheirLines) {
  make();
  EXPECT_EQ(heat(HeatMetric::findings).total, 0);
  EXPECT_EQ(heat(HeatMetric::findings).origin, "the checkers found nothing");
  const std::vector<Finding> races = {{"race", {12, 14}, "", {}, {}, {}, 8},
                                      {"race", {14}, "", {}, {}, {}, 1},
                                      {"race", {9'999}, "", {}, {}, {}, 1}};
  const LineHeat found = line_heat(HeatMetric::findings, listing, {nullptr, nullptr, nullptr, &races});
  EXPECT_EQ(found.value(CodeColumn::cuda, 11), 8);
  EXPECT_EQ(found.value(CodeColumn::cuda, 13), 9);
  EXPECT_EQ(found.most[in_cuda], 9);
  EXPECT_EQ(heat_text(found, CodeColumn::cuda, 11), "8 findings of the checkers");
  EXPECT_EQ(heat_text(found, CodeColumn::cuda, 0), "");
}

TEST_F(LineHeatTest, WhatIsNotThereIsSaid) {
  make();
  for (const HeatMetric metric :
       {HeatMetric::excess, HeatMetric::sectors, HeatMetric::executions, HeatMetric::findings})
    EXPECT_NE(line_heat(metric, listing, {}).why_none, "") << to_words(metric);
  EXPECT_NE(line_heat(HeatMetric::instructions, LinkedListing(), {}).why_none, "");
}

TEST_F(LineHeatTest, TheTableHasALineForEachLine) {
  make();
  const LineHeat executions = heat(HeatMetric::executions);
  const std::string csv = listing_csv(listing, executions, {CodeColumn::cuda, CodeColumn::ptx});
  EXPECT_TRUE(csv.starts_with("column,line,\"Executions, 1 block\",text\r\nCUDA,1,0,")) << csv.substr(0, 80);
  const auto lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\r'));
  EXPECT_EQ(lines, 1 + listing.size(CodeColumn::cuda) + listing.size(CodeColumn::ptx));
  EXPECT_EQ(csv.find("SASS"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
