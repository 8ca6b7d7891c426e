#include "profiler/explanation/model/removal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "profiler/explanation/model/explain.hpp"
#include "profiler/explanation/model/latency_model.hpp"
#include "profiler/explanation/model/tests/made_up_kernel.hpp"

namespace tilescope::model {
namespace {

using test_support::instruction;
using test_support::kernel_of;
using test_support::none;
using test_support::plain_parameters;

double us_of(const ExecutedKernel& kernel, const Removal& removal = {}, const LaunchPlan& plan = {},
             const ModelParameters& parameters = plain_parameters()) {
  return launch_time(kernel, plan, parameters, removal).us;
}

ExecutedInstruction shared_load(double wavefronts, std::int64_t line) {
  ExecutedInstruction load = instruction("LDS R0, [R1]", 1, 0);
  load.wavefronts = wavefronts;
  load.wavefronts_minimum = 1;
  load.place.line = line;
  return load;
}

ExecutedKernel conflicting_kernel(double first, double second) {
  std::vector<ExecutedInstruction> code;
  const ExecutedInstruction use = instruction("FADD R2, R0, R0", 1, none, 1);
  for (int i = 0; i < 20; ++i)
    code.insert(code.end(), {shared_load(first, 10), use, shared_load(second, 20), use});
  return kernel_of({code}, {0}, 8);
}

TEST(Removal, OfBankConflictsLeavesTheFewestWavefronts) {
  const ExecutedKernel kernel = conflicting_kernel(8, 4);
  EXPECT_DOUBLE_EQ(us_of(kernel, {Cause::bank_conflicts}), us_of(conflicting_kernel(1, 1)));
  std::vector<std::uint32_t> of_line_10;
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    if (kernel.code[i].place.line == 10) of_line_10.push_back(i);
  }
  EXPECT_DOUBLE_EQ(us_of(kernel, {Cause::bank_conflicts, of_line_10}), us_of(conflicting_kernel(1, 4)));
}

ExecutedInstruction global_load(double sectors, double fewest) {
  ExecutedInstruction load = instruction("LDG.E R0, desc[UR4][R2.64]", 1, 0);
  load.sectors = load.missed_sectors = load.l1_wavefronts = sectors;
  load.lines = load.missed_lines = sectors;
  load.sectors_minimum = fewest;
  load.lanes = 32;
  return load;
}

TEST(Removal, OfExcessSectorsLeavesWhatTheLanesUse) {
  const auto kernel_with = [](const ExecutedInstruction& load) {
    std::vector<ExecutedInstruction> code;
    for (int i = 0; i < 40; ++i) code.insert(code.end(), {load, instruction("FADD R2, R0, R0", 1, none, 1)});
    return kernel_of({code}, {0}, 8);
  };
  ExecutedInstruction coalesced = global_load(4, 4);
  coalesced.lines = coalesced.missed_lines = coalesced.l1_wavefronts = 1;
  const double with = us_of(kernel_with(global_load(32, 4)));
  const double without = us_of(kernel_with(global_load(32, 4)), {Cause::excess_sectors});
  EXPECT_LT(without, 0.9 * with);
  EXPECT_DOUBLE_EQ(without, us_of(kernel_with(coalesced)));
}

TEST(Removal, OfLocalMemoryExecutesNoneOfIt) {
  ExecutedInstruction spilled = instruction("STL [R1], R5", 1, none);
  spilled.sectors = spilled.lines = 4;
  const ExecutedInstruction other = instruction("FADD R2, R0, R0", 4);
  std::vector<ExecutedInstruction> with, without;
  for (int i = 0; i < 50; ++i) {
    with.insert(with.end(), {spilled, other});
    without.push_back(other);
  }
  EXPECT_DOUBLE_EQ(us_of(kernel_of({with}, {0}, 4), {Cause::local_memory}),
                   us_of(kernel_of({without}, {0}, 4)));
}

TEST(Removal, OfIdleWarpsDealsTheWorkEvenly) {
  const auto work = std::vector<ExecutedInstruction>(100, instruction("FADD R2, R0, R0", 4));
  const std::vector<ExecutedInstruction> barrier{instruction("BAR.SYNC 0x0", 1)};
  ExecutedKernel kernel = kernel_of({work, barrier}, {1}, 4);
  kernel.blocks[0].warps[0] = {0, 0, 0, 0, 1};
  const double with = us_of(kernel), without = us_of(kernel, {Cause::idle_warps});
  EXPECT_NEAR(with, 1.6, 0.05) << "400 instructions of one warp";
  EXPECT_NEAR(without, 0.4, 0.05) << "100 of each";
}

TEST(Removal, OfBarriersPassesThem) {
  const auto work = std::vector<ExecutedInstruction>(100, instruction("FADD R2, R0, R0", 4));
  const std::vector<ExecutedInstruction> barrier{instruction("BAR.SYNC 0x0", 1)};
  ExecutedKernel kernel = kernel_of({work, barrier}, {1}, 2);
  // Each warp works while the other one waits.
  kernel.blocks[0].warps[0] = {0, 1, 1};
  kernel.blocks[0].warps[1] = {1, 0, 1};
  EXPECT_NEAR(us_of(kernel), 0.8, 0.06);
  EXPECT_NEAR(us_of(kernel, {Cause::barriers}), 0.4, 0.03);
}

ExecutedKernel chain_of_blocks() {
  return kernel_of({std::vector<ExecutedInstruction>(100, instruction("FADD R2, R0, R0", 4))}, {0}, 1);
}

TEST(Removal, OfFewWarpsLetsTwiceAsManyBlocksReside) {
  LaunchPlan plan;
  plan.grid_x = 8;
  LaunchPlan twice = plan;
  twice.blocks_per_sm = 2;
  EXPECT_DOUBLE_EQ(us_of(chain_of_blocks(), {Cause::few_warps}, plan), us_of(chain_of_blocks(), {}, twice));
  ModelParameters small = plain_parameters();
  small.warps_of_sm = 1;
  EXPECT_DOUBLE_EQ(us_of(chain_of_blocks(), {Cause::few_warps}, plan, small),
                   us_of(chain_of_blocks(), {}, plan, small))
      << "the SM holds no second warp";
}

TEST(Removal, OfATailLeavesTheMeanWorkOfAllSms) {
  LaunchPlan plan;
  plan.grid_x = 3;
  ModelParameters two_sms = plain_parameters();
  two_sms.sms = 2;
  const LaunchTime time = launch_time(chain_of_blocks(), plan, two_sms);
  EXPECT_NEAR(time.us, 0.8, 0.02) << "two blocks, one behind the other";
  EXPECT_NEAR(time.tail_us, 0.2, 0.02) << "half a block";
  EXPECT_NEAR(us_of(chain_of_blocks(), {Cause::tail}, plan, two_sms), 0.6, 0.02);
}

TEST(Tail, NamesTheLongestBlock) {
  ExecutedLaunch launch{chain_of_blocks(), {}};
  launch.plan.grid_x = 4;
  launch.kernel.blocks.push_back({3, {WarpPath{0, 0, 0, 0, 0}}});
  launch.kernel.lengths = {100, 100, 100, 500};
  ModelParameters two_sms = plain_parameters();
  two_sms.sms = 2;
  const LaunchTime time = launch_time(launch.kernel, launch.plan, two_sms);
  EXPECT_EQ(time.longest_block, 3U);
  EXPECT_NEAR(time.longest_over_mean, 2.5, 0.01) << "500 of 200";
}

TEST(Tail, IsNothingWhereTheLastBlocksRunBesideOthers) {
  LaunchPlan plan;
  plan.grid_x = 3;
  plan.blocks_per_sm = 2;
  ModelParameters two_sms = plain_parameters();
  two_sms.sms = 2;
  const LaunchTime time = launch_time(chain_of_blocks(), plan, two_sms);
  EXPECT_NEAR(time.us, 0.4, 0.02) << "the two blocks of the busier SM run side by side";
  EXPECT_NEAR(time.tail_us, 0, 0.01);
}

TEST(Parts, AddUpAndAreIssueAndWaitsOfInstructions) {
  LaunchPlan plan;
  plan.grid_x = 3;
  ModelParameters parameters = plain_parameters();
  parameters.sms = 2;
  parameters.idle_w = 0.05;
  parameters.power_limit_w = 0.3;
  const ExecutedKernel kernel = conflicting_kernel(8, 4);
  const LaunchTime time = launch_time(kernel, plan, parameters);
  const double waits = std::accumulate(time.waits_us.begin(), time.waits_us.end(), 0.0);
  EXPECT_NEAR(time.launch_us + time.fetch_us + time.issue_us + waits + time.tail_us + time.clock_us, time.us,
              1e-9);
  double instructions = 0, by_instruction = 0;
  for (const ExecutedInstruction& one : kernel.code) instructions += one.executions;
  for (const LaunchTime::OfInstruction& of : time.by_instruction) by_instruction += of.issue_us + of.wait_us;
  EXPECT_NEAR(time.issue_us * 4 * 2 * parameters.clock_mhz, instructions, 1e-6);
  const double of_no_line = time.waits_us[static_cast<std::size_t>(Wait::start)];
  EXPECT_NEAR(by_instruction, time.issue_us + waits - of_no_line, 1e-9);
}

TEST(Explain, FindsTheLinesOfACauseAndPredictsWithoutEach) {
  ExecutedLaunch launch{conflicting_kernel(8, 4), {}};
  launch.plan.grid_x = 58;
  const DeviceModel device = test_support::datasheet_device();
  PredictedPoint point = predict(launch, {}, device, "");
  explain(launch, device, {{Cause::barriers, {10}}}, point);
  const std::vector<Counterfactual>& without = point.prediction.without;
  const auto found = [&](const char* cause, const std::vector<std::int64_t>& lines) {
    return std::ranges::find_if(
        without, [&](const Counterfactual& one) { return one.cause == cause && one.lines == lines; });
  };
  const auto all = found("bank_conflicts", {}), first = found("bank_conflicts", {10}),
             second = found("bank_conflicts", {20});
  ASSERT_NE(all, without.end());
  ASSERT_NE(first, without.end());
  ASSERT_NE(second, without.end());
  EXPECT_LT(all->p50_us, first->p50_us);
  EXPECT_LT(first->p50_us, second->p50_us) << "8 wavefronts each against 4";
  EXPECT_LT(second->p50_us, point.prediction.p50_us);
  EXPECT_EQ(found("local_memory", {}), without.end()) << "it accesses none";
  EXPECT_NE(found("barriers", {10}), without.end()) << "the caller asked for it";
  const std::vector<LineTime>& lines = point.prediction.lines;
  const auto line_10 = std::ranges::find(lines, 10, &LineTime::line),
             line_20 = std::ranges::find(lines, 20, &LineTime::line);
  ASSERT_TRUE(line_10 != lines.end() && line_20 != lines.end());
  EXPECT_EQ(line_10->executions, 8 * 20) << "as counted";
  EXPECT_DOUBLE_EQ(line_10->issue_us, line_20->issue_us);
}

}  // namespace
}  // namespace tilescope::model
