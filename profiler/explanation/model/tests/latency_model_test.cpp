#include "profiler/explanation/model/latency_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/explanation/model/power.hpp"
#include "profiler/explanation/model/tests/made_up_kernel.hpp"

namespace tilescope::model {
namespace {

using test_support::instruction;
using test_support::kernel_of;
using test_support::plain_parameters;

// [cycles] of one block on one SM
double cycles_of(const ExecutedKernel& kernel, const ModelParameters& parameters = plain_parameters(),
                 LaunchPlan plan = {}) {
  return launch_time(kernel, plan, parameters).us * 1000;
}

std::vector<ExecutedInstruction> repeated(const ExecutedInstruction& one, int times) {
  return std::vector<ExecutedInstruction>(static_cast<std::size_t>(times), one);
}

TEST(LatencyModel, AWarpAloneTakesItsStallCounts) {
  const auto kernel = kernel_of({repeated(instruction("FFMA R0, R0, R1, R2", 4), 100)}, {0}, 1);
  EXPECT_NEAR(cycles_of(kernel), 400, 1);
}

TEST(LatencyModel, AQuarterIssuesOneInstructionACycle) {
  // Eight warps, two a quarter, that could each issue in every cycle.
  const auto kernel = kernel_of({repeated(instruction("MOV R0, R1", 2), 100)}, {0}, 8);
  EXPECT_NEAR(cycles_of(kernel), 400, 3) << "the ALU takes a warp's instruction in two cycles";
  const auto nop = kernel_of({repeated(instruction("NOP", 1), 100)}, {0}, 8);
  EXPECT_NEAR(cycles_of(nop), 200, 3);
}

TEST(LatencyModel, BothHalvesOfTheFmaPipeExecuteMultiplyAdds) {
  const auto fused = kernel_of({repeated(instruction("FFMA R0, R1, R2, R3", 1), 100)}, {0}, 8);
  EXPECT_NEAR(cycles_of(fused), 200, 4);
  const auto integer = kernel_of({repeated(instruction("IMAD R0, R1, R2, R3", 1), 100)}, {0}, 8);
  EXPECT_NEAR(cycles_of(integer), 400, 4) << "the heavy half alone";
}

TEST(LatencyModel, AnInstructionWaitsForTheSharedLoadBeforeIt) {
  ExecutedInstruction load = instruction("LDS R0, [R1]", 1, 0);
  load.wavefronts = load.wavefronts_minimum = 1;
  const ExecutedInstruction use = instruction("FADD R2, R0, R0", 1, test_support::none, 1);
  std::vector<ExecutedInstruction> chain;
  for (int i = 0; i < 50; ++i) chain.insert(chain.end(), {load, use});
  EXPECT_NEAR(cycles_of(kernel_of({chain}, {0}, 1)), 50 * 24, 3) << "23 from load to use, 1 to the next load";
}

TEST(LatencyModel, BankConflictsKeepTheLoadStoreUnitBusy) {
  ExecutedInstruction load = instruction("LDS R0, [R1]", 1, 0);
  load.wavefronts = 8;
  load.wavefronts_minimum = 1;
  const ExecutedInstruction use = instruction("FADD R2, R0, R0", 1, test_support::none, 1);
  std::vector<ExecutedInstruction> chain;
  for (int i = 0; i < 20; ++i) chain.insert(chain.end(), {load, use});
  const auto kernel = kernel_of({chain}, {0}, 16);
  EXPECT_NEAR(cycles_of(kernel), 16 * 20 * 8, 60) << "one wavefront a cycle, for all quarters";
  const LaunchTime time = launch_time(kernel, {}, plain_parameters());
  const double conflicts = time.waits_us[static_cast<std::size_t>(Wait::bank_conflicts)];
  EXPECT_GT(conflicts, 0.6 * time.us) << "seven of eight wavefronts";
}

TEST(LatencyModel, ABarrierWaitsForTheSlowestWarp) {
  auto kernel = kernel_of({repeated(instruction("FFMA R0, R0, R1, R2", 4), 100),
                           {instruction("BAR.SYNC 0x0", 1)},
                           repeated(instruction("FFMA R0, R0, R1, R2", 4), 50)},
                          {0, 1, 2}, 4);
  kernel.blocks[0].warps[1] = {1, 2};
  EXPECT_NEAR(cycles_of(kernel), 400 + 12 + 4 * 2 + 200, 10);
}

TEST(LatencyModel, ArithmeticGoesAheadOfABarrierThatDefersBlockingAndMemoryDoesNot) {
  const auto work = repeated(instruction("FFMA R0, R0, R1, R2", 4), 100);
  const std::vector<ExecutedInstruction> load = {instruction("LDS R4, [R5]", 1, 0),
                                                 instruction("FADD R6, R4, R4", 4, test_support::none, 1)};
  auto kernel =
      kernel_of({work, {instruction("BAR.SYNC.DEFER_BLOCKING 0x0", 1)}, work, load}, {0, 1, 2, 3}, 4);
  kernel.blocks[0].warps[1] = {1, 2, 3};
  EXPECT_NEAR(cycles_of(kernel), 400 + 400 + 24, 20) << "the barrier is hidden by the work behind it";
  for (auto& warp : kernel.blocks[0].warps) std::erase(warp, 2);
  EXPECT_NEAR(cycles_of(kernel), 400 + 12 + 4 * 2 + 24, 20) << "the load waits for all warps";
}

TEST(LatencyModel, AWarpThatOnlyArrivesGoesOn) {
  const auto work = repeated(instruction("FFMA R0, R0, R1, R2", 4), 100);
  auto kernel = kernel_of(
      {{instruction("BAR.ARV 0x1, 0x40", 1)}, {instruction("BAR.SYNC.DEFER_BLOCKING 0x1, 0x40", 1)}, work},
      {2}, 2);
  // The producer arrives and works on; the consumer waits for its arrival alone.
  kernel.blocks[0].warps = {{2, 0, 2}, {1, 2}};
  EXPECT_NEAR(cycles_of(kernel), 400 + 12 + 2 + 400, 20);
}

TEST(LatencyModel, ABarrierThatNobodyCompletesDoesNotEndTheSimulation) {
  const auto work = repeated(instruction("FFMA R0, R0, R1, R2", 4), 100);
  auto kernel = kernel_of({{instruction("BAR.SYNC.DEFER_BLOCKING 0x1, 0x40", 1)},
                           {instruction("BAR.SYNC.DEFER_BLOCKING 0x2, 0x40", 1)},
                           work},
                          {2}, 2);
  kernel.blocks[0].warps = {{0, 2}, {1, 2}};
  EXPECT_GT(cycles_of(kernel), 400);
}

TEST(LatencyModel, ACopyGroupIsWaitedFor) {
  ExecutedInstruction copy = instruction("LDGSTS.E.BYPASS.128 [R0], desc[UR4][R2.64]", 1);
  copy.sectors = 16;
  copy.wavefronts = 4;
  const auto kernel = kernel_of(
      {{copy, instruction("LDGDEPBAR", 1, 0), instruction("DEPBAR.LE SB0, 0x0", 1), instruction("NOP", 1)}},
      {0}, 1);
  EXPECT_NEAR(cycles_of(kernel), 280 + 26 + 16 + 4, 6) << "16 sectors of 32 B, 32 B a cycle";
}

TEST(LatencyModel, LongLoopsTakeAsLongAsAllOfTheirIterations) {
  WarpPath path = {0};
  path.insert(path.end(), 4000, 1);
  path.push_back(2);
  const auto body = repeated(instruction("FFMA R0, R0, R1, R2", 4), 60);
  const auto kernel = kernel_of({{instruction("NOP")}, body, {instruction("EXIT", 5)}}, path, 4);
  EXPECT_NEAR(cycles_of(kernel), 4000.0 * 240, 0.01 * 4000 * 240)
      << "960,000 instructions, some are simulated";
}

TEST(LatencyModel, BlocksRunInWaves) {
  const auto kernel = kernel_of({repeated(instruction("FFMA R0, R0, R1, R2", 4), 500)}, {0}, 4);
  LaunchPlan plan;
  plan.grid_x = 7;
  EXPECT_NEAR(cycles_of(kernel, plain_parameters(), plan), 7 * 2000, 100);
  plan.blocks_per_sm = 2;
  EXPECT_NEAR(cycles_of(kernel, plain_parameters(), plan), 4 * 2000, 100)
      << "the stalls of one hide the other";
}

TEST(LatencyModel, BlocksOfAHeadFindItsLoadsInL1) {
  ExecutedInstruction load = instruction("LDG.E R0, desc[UR4][R2.64]", 1, 0);
  load.sectors = load.missed_sectors = 4;
  load.l1_wavefronts = 1;
  const ExecutedInstruction use = instruction("FADD R2, R0, R0", 1, test_support::none, 1);
  std::vector<ExecutedInstruction> chain;
  for (int i = 0; i < 30; ++i) chain.insert(chain.end(), {load, use});
  auto kernel = kernel_of({chain}, {0}, 1);
  LaunchPlan plan;
  plan.grid_x = 8;
  plan.l1_bytes = 100e3;
  const double own = cycles_of(kernel, plain_parameters(), plan);
  for (ExecutedInstruction& one : kernel.code) one.is_shared_along[0] = true;
  const double shared = cycles_of(kernel, plain_parameters(), plan);
  EXPECT_NEAR(own, 8 * 30 * 285, 8 * 30 * 15);
  EXPECT_NEAR(shared, own / 8 + 7 * 30 * 33, own / 50) << "the first block loads for all";
  plan.l1_bytes = 128;
  EXPECT_NEAR(cycles_of(kernel, plain_parameters(), plan), own, own / 50) << "L1 holds one line";
}

TEST(LatencyModel, AFenceWaitsForTheStoresBeforeIt) {
  ExecutedInstruction store = instruction("STG.E.128 desc[UR4][R2.64], R4", 1);
  store.sectors = 16;
  store.lines = 4;
  const ExecutedInstruction fence = instruction("MEMBAR.SC.GPU", 1);
  const ExecutedInstruction end = instruction("EXIT", 1);
  EXPECT_NEAR(cycles_of(kernel_of({{fence, end}}, {0}, 1)), 280, 5) << "to L2 and back";
  EXPECT_NEAR(cycles_of(kernel_of({{store, fence, end}}, {0}, 1)), 16 + 280 + 280, 10)
      << "behind the store's answer";
  EXPECT_LT(cycles_of(kernel_of({{store, instruction("MEMBAR.SC.CTA", 1), end}}, {0}, 1)), 50)
      << "a fence for the block alone";
}

// A hundred executions of an instruction by each of `warps` warps.
ExecutedKernel hundred(const ExecutedInstruction& one, std::size_t warps) {
  ExecutedKernel kernel = kernel_of({repeated(one, 100)}, {0}, warps);
  return kernel;
}

TEST(LatencyModel, StoresOfManyLinesWaitForTheWayToL2) {
  ExecutedInstruction store = instruction("STG.E desc[UR4][R2.64], R4", 1);
  store.sectors = 4;
  store.lines = 1;
  EXPECT_NEAR(cycles_of(hundred(store, 8)), 800 * 4, 400);
  store.sectors = store.lines = store.partial_sectors = 32;
  EXPECT_NEAR(cycles_of(hundred(store, 8)), 800 * 32 * 3, 2000)
      << "a line and a part of a sector for each lane";
}

TEST(LatencyModel, AtomicOperationsOnOneAddressQueue) {
  ExecutedInstruction add = instruction("RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5", 1);
  add.sectors = add.lines = 1;
  ExecutedKernel kernel = hundred(add, 8);
  const double apart = cycles_of(kernel);
  kernel.atomics.float_turns_in_one_sector = 800.0 * 32;
  EXPECT_NEAR(cycles_of(kernel), 800 * 32 * 3.5, 1000);
  EXPECT_LT(apart, 0.1 * 800 * 32 * 3.5);
  kernel.atomics = {.turns_in_one_slice = 800.0 * 32};
  EXPECT_NEAR(cycles_of(kernel), 800 * 32 * 1.5, 1000);
}

TEST(LatencyModel, AResultOfAnAtomicOperationIsWaitedFor) {
  ExecutedInstruction add = instruction("ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R2.64], R5", 1, 0);
  add.sectors = add.lines = add.lanes = 1;
  const ExecutedInstruction use = instruction("IADD3 R2, R0, R0, RZ", 1, test_support::none, 1);
  EXPECT_NEAR(cycles_of(kernel_of({{add, use, add, use}}, {0}, 1)), 2 * 500, 30);
}

TEST(LatencyModel, DifferentAddressesOfConstantMemoryTakeTurns) {
  ExecutedInstruction load = instruction("LDC R0, c[0x3][R2]", 1, 0);
  load.constants = 1;
  EXPECT_NEAR(cycles_of(hundred(load, 8)), 800 * 5, 300);
  load.constants = 32;
  EXPECT_NEAR(cycles_of(hundred(load, 8)), 800 * (5 + 31 * 2), 2000);
}

TEST(LatencyModel, LocalMemoryIsWrittenToL2AndFoundInL1) {
  ExecutedInstruction load = instruction("LDL R0, [R1]", 1, 0), store = instruction("STL [R1], R0", 1);
  load.sectors = store.sectors = 4;
  load.lines = store.lines = 1;
  load.waiting_share = 0;
  EXPECT_NEAR(cycles_of(hundred(store, 8)), 800 * 4 * 1.15, 400) << "the way to L2";
  EXPECT_LT(cycles_of(hundred(load, 8)), 800 * 1.5) << "a wavefront each";
  load.sectors = load.lines = 32;
  load.l1_wavefronts = 8;
  EXPECT_NEAR(cycles_of(hundred(load, 8)), 800 * 8, 400) << "four lines a cycle";
  load.sectors = 4;
  load.lines = load.l1_wavefronts = 1;
  load.waiting_share = 1;
  load.missed_sectors = 4;
  load.missed_lines = 1;
  EXPECT_NEAR(cycles_of(hundred(load, 8)), 800 * 4, 400) << "128 B at 32 B a cycle";
}

// Four loads, of which the first one touches its memory before all others.
TEST(LatencyModel, LoadsThatTouchMemoryFirstWaitForDram) {
  ExecutedInstruction load = instruction("LDG.E R0, desc[UR4][R2.64]", 1, 0);
  load.sectors = load.missed_sectors = 4;
  load.lines = load.missed_lines = 1;
  const ExecutedInstruction use = instruction("FADD R2, R0, R0", 1, test_support::none, 1);
  ExecutedInstruction first = load;
  first.first_sectors = 4;
  first.dram_share = 1;
  const ExecutedKernel kernel = kernel_of({{first, use, load, use, load, use, load, use}}, {0}, 1);
  LaunchPlan plan;
  plan.is_touch_known = true;
  plan.footprint_bytes = 200e6;
  EXPECT_NEAR(cycles_of(kernel, plain_parameters(), plan), 700 + 3 * 280, 60);
  plan.footprint_bytes = 20e6;
  EXPECT_NEAR(cycles_of(kernel, plain_parameters(), plan), 4 * 280, 60) << "L2 kept all of it";
}

TEST(LatencyModel, AGpuHandsOutOneBlockAfterTheOther) {
  const auto kernel = kernel_of({{instruction("NOP", 1)}}, {0}, 1);
  LaunchPlan plan;
  plan.grid_x = 132 * 200;
  plan.blocks_per_sm = 32;
  ModelParameters parameters = plain_parameters();
  parameters.sms = 132;
  EXPECT_NEAR(cycles_of(kernel, parameters, plan), 132 * 200 * 1.23, 132 * 200 * 0.05);
}

TEST(LatencyModel, KernelsWithProductsTakeLongerThanTheirInstructions) {
  // Eight products keep the tensor cores busy for more than a hundredth of the time.
  std::vector<ExecutedInstruction> code = repeated(instruction("FFMA R0, R0, R1, R2", 4), 400);
  const double sums = cycles_of(kernel_of({code}, {0}, 4));
  std::fill_n(code.begin(), 8, instruction("HMMA.16816.F32 R4, R8, R12, R4", 4));
  EXPECT_NEAR(cycles_of(kernel_of({code}, {0}, 4)) / sums, 1.083, 0.01);
  std::fill_n(code.begin(), 8, instruction("HFMA2.MMA R0, -RZ, RZ, 0, 0", 4));
  EXPECT_NEAR(cycles_of(kernel_of({code}, {0}, 4)) / sums, 1, 0.01)
      << "a constant, though the tensor cores make it";
}

TEST(LatencyModel, ALoneBlockWithProductsTakesAsLongOnALargeGpuAndAsOneOfMany) {
  std::vector<ExecutedInstruction> code = repeated(instruction("NOP", 4), 1000);
  std::fill_n(code.begin(), 8, instruction("HMMA.16816.F32 R4, R8, R12, R4", 4));
  ExecutedKernel kernel = kernel_of({code}, {0}, 4);
  const double on_one_sm = cycles_of(kernel);
  ModelParameters parameters = plain_parameters();
  parameters.sms = 132;
  const double alone = cycles_of(kernel, parameters);
  EXPECT_NEAR(alone, on_one_sm, 1);
  for (ExecutedInstruction& one : kernel.code) one.executions *= 10;
  LaunchPlan ten;
  ten.grid_x = 10;
  EXPECT_NEAR(cycles_of(kernel, parameters, ten), alone, 0.01 * alone);
}

TEST(LatencyModel, ThePartsAddUp) {
  ExecutedInstruction load = instruction("LDG.E R0, desc[UR4][R2.64]", 1, 0);
  load.sectors = load.missed_sectors = 4;
  const auto kernel =
      kernel_of({{load, instruction("FADD R2, R0, R0", 4, test_support::none, 1)}}, {0, 0, 0}, 4);
  ModelParameters parameters = plain_parameters();
  parameters.launch_us = 2;
  parameters.fetch_cycles = 10;
  parameters.block_start_cycles = 100;
  LaunchPlan plan;
  plan.grid_x = 5;
  parameters.sms = 2;
  const LaunchTime time = launch_time(kernel, plan, parameters);
  const double waits = std::accumulate(time.waits_us.begin(), time.waits_us.end(), 0.0);
  EXPECT_NEAR(time.launch_us + time.fetch_us + time.tail_us + time.issue_us + waits, time.us, 1e-9 * time.us);
  EXPECT_GT(time.tail_us, 0) << "one of the SMs has three blocks, the other two";
}

// An SM with idle_w watts of its own.
ModelParameters capped_parameters(double limit_w) {
  ModelParameters parameters = plain_parameters();
  parameters.clock_mhz = reference_clock_mhz;
  parameters.idle_w = 0.05;
  parameters.power_limit_w = limit_w;
  return parameters;
}

TEST(PowerCap, SlowsArithmeticAlone) {
  const auto busy = kernel_of({repeated(instruction("FFMA R0, R1, R2, R3", 1), 500)}, {0}, 16);
  const LaunchTime free = launch_time(busy, {}, capped_parameters(10)),
                   capped = launch_time(busy, {}, capped_parameters(0.5));
  EXPECT_EQ(free.clock_mhz, reference_clock_mhz);
  EXPECT_EQ(free.clock_us, 0);
  EXPECT_LT(capped.clock_mhz, 0.9 * reference_clock_mhz);
  EXPECT_NEAR(capped.us / free.us, reference_clock_mhz / capped.clock_mhz, 0.02);
  EXPECT_NEAR(capped.clock_us, capped.us - free.us, 1e-9);
  const auto idle = kernel_of({repeated(instruction("FFMA R0, R0, R2, R3", 15), 500)}, {0}, 1);
  EXPECT_EQ(launch_time(idle, {}, capped_parameters(0.5)).clock_us, 0);
}

TEST(PowerCap, IsWhatTheLaunchTakesAtTheClock) {
  LaunchEnergy energy{2e-6, 0};
  const ModelParameters parameters = capped_parameters(1);
  const BoostTime time{1, 1, 0};
  const double clock = clock_under_cap(energy, time, parameters);
  EXPECT_LT(clock, parameters.clock_mhz);
  EXPECT_NEAR(power(energy, time.us * parameters.clock_mhz / clock, clock, parameters), 1, 1e-3);
  energy.chip = 0.5e-6;
  EXPECT_EQ(clock_under_cap(energy, time, parameters), parameters.clock_mhz);
}

// A launch that DRAM limits takes no longer at a lower clock, until the SMs do.
TEST(PowerCap, IsReachedLaterWhereDramDecidesTheTime) {
  const LaunchEnergy energy{2e-6, 0.2e-6};
  const ModelParameters parameters = capped_parameters(1);
  EXPECT_LT(clock_under_cap(energy, {2, 1, 2}, parameters), parameters.clock_mhz);
  EXPECT_GT(clock_under_cap(energy, {2, 1, 2}, parameters), clock_under_cap(energy, {1, 1, 0}, parameters));
}

// Measured on an H200 at 1,980 MHz (hardware/power_mixes_h200.csv): 269 TFLOP/s of products took 420 W, 8.13 TB/s from L2 514 W,
// 29.3 T FMA a second 368 W.
TEST(PowerCap, TheEnergiesAreThoseThatAnH200Took) {
  ModelParameters h200 = plain_parameters();
  h200.clock_mhz = reference_clock_mhz;
  h200.sms = 132;
  h200.idle_w = 126;
  const auto watts = [&](const char* text, double executions, const Traffic& traffic) {
    ExecutedKernel kernel = kernel_of({{instruction(text, 1)}}, {0}, 1);
    kernel.code.resize(1);
    kernel.code[0].executions = executions;
    const auto costs = instruction_costs(kernel, h200, {});
    return power(launch_energy(kernel, costs, traffic, 0, h200), 1e6, reference_clock_mhz, h200);
  };
  EXPECT_NEAR(watts("HMMA.16816.F32 R4, R8, R12, R4", 269e12 / 4096, {}), 420, 5);
  EXPECT_NEAR(watts("FFMA R0, R1, R2, R3", 29.3e12 / 32, {}), 368, 5);
  EXPECT_NEAR(watts("NOP", 0, {.loads = 8.13e12}), 514, 5);
}

}  // namespace
}  // namespace tilescope::model
