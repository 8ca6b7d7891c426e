#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/saving.hpp"
#include "profiler/explanation/diagnose/tests/worked_point.hpp"

// Rules over the grid, the occupancy and the parameters.
namespace tilescope {
namespace {

using test_support::first;
using test_support::sample_device;
using test_support::sample_kernel;
using test_support::worked_point;

std::string kinds_of(const std::vector<Diagnosis>& diagnoses) {
  std::string text;
  for (const Diagnosis& diagnosis : diagnoses) text += diagnosis.kind + " ";
  return text;
}

Diagnosis with_grid(const std::array<std::string, 3>& grid) {
  const Measurement point = worked_point();
  KernelDeclaration kernel = sample_kernel();
  kernel.grid = grid;
  const DeviceModel device = sample_device();
  const auto found = diagnose({point, kernel, &device});
  return found.empty() ? Diagnosis{} : found.front();
}

TEST(SerialisedDimensionRule, IsJudgedFromTheGridAlsoAtOneBatch) {
  const Diagnosis found = with_grid({"ceil_div(Sq, TILE)", "Hq", "1"});
  EXPECT_EQ(found.kind, "serialised_dimension");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_TRUE(found.is_major);
  EXPECT_EQ(found.text, "The grid does not grow with B: a block computes all batches one after the other.");
  EXPECT_EQ(with_grid({"ceil_div(Sq, TILE)", "1", "B"}).text,
            "The grid does not grow with Hq: a block computes all heads one after the other.");
}

TEST(SerialisedDimensionRule, LeavesPackedAndPersistentGridsAlone) {
  EXPECT_EQ(with_grid({"ceil_div(Sq, TILE)", "Hq", "B"}).kind, "");
  EXPECT_EQ(with_grid({"ceil_div(Sq, TILE) * Hq * B", "1", "1"}).kind, "") << "packed in one dimension";
  EXPECT_EQ(with_grid({"ceil_div(Sq, TILE)", "Hkv", "B"}).kind, "") << "a block takes a group of heads";
  EXPECT_EQ(with_grid({"min(SM_COUNT, ceil_div(Sq, TILE) * Hq * B)", "1", "1"}).kind, "") << "persistent";
  EXPECT_EQ(with_grid({"SM_COUNT", "1", "1"}).kind, "") << "persistent, whatever the shape";
}

TEST(IdleSmsRule, CountsBlocksAgainstSms) {
  Measurement point = worked_point();
  point.occupancy->grid_blocks = 29;
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "idle_sms");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_FALSE(found.is_major);
  EXPECT_EQ(found.text, "29 of 58 SMs are idle: the grid has 29 blocks.");
  EXPECT_NEAR(found.saving.value_or(Saving()).us, 48, 1e-9) << "half of all but the tail";
  point.occupancy->grid_blocks = 58;
  point.prediction->parts[2].microseconds = 4;
  EXPECT_EQ(first(point).kind, "");
}

// 54 of 58 SMs: a quarter more than the expected saving would be all of the launch.
TEST(IdleSmsRule, NeverSavesTheWholeLaunch) {
  Measurement point = worked_point();
  point.occupancy->grid_blocks = 4;
  point.prediction->parts = {{"launch", 3}, {"issue slots", 97}};
  point.prediction->ratio_error = RatioError{0.6, 0.7};
  const double us = 97.0 * 54 / 58, left_us = 100 - us;
  const Saving found = first(point).saving.value_or(Saving());
  EXPECT_NEAR(found.us, us, 1e-9);
  EXPECT_NEAR(found.high_us, 100 - left_us / 1.7, 1e-9);
  point.prediction->ratio_error.reset();
  EXPECT_NEAR(first(point).saving.value_or(Saving()).high_us, 100 - left_us / (2 - 100.0 / 110), 1e-9)
      << "the band of the latency";
}

TEST(Saving, LeavesTheStartOfTheLaunch) {
  Measurement point = worked_point();
  point.prediction->parts = {{"launch", 10}, {"issue slots", 90}};
  EXPECT_EQ(saving_range(point, 88).high_us, 90) << "12 us are left, 10 at the end of the band";
  EXPECT_EQ(saving_range(point, 99), (Saving{90, 67.5, 90}));
  EXPECT_EQ(saving_range(point, 20), (Saving{20, 15, 25})) << "what is left has a wider band";
}

TEST(TailRule, CostsThePartOfThePrediction) {
  Measurement point = worked_point();
  point.prediction->parts[2].microseconds = 30;
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "tail");
  EXPECT_EQ(found.text, "SMs wait for the last blocks of the grid for 30.0 % of the predicted latency.");
  EXPECT_EQ(found.saving, (Saving{30, 22.5, 37.5}));
  EXPECT_NE(found.evidence.find("Removing this would save 22.50 µs to 37.50 µs of the predicted 100.00 µs."),
            std::string::npos)
      << found.evidence;
  EXPECT_EQ(first(worked_point()).kind, "");
}

TEST(TailRule, AsksForEvenBlocksWhereEachSmHasAsMany) {
  Measurement point = worked_point();
  point.prediction->parts[2].microseconds = 30;
  point.occupancy->grid_blocks = 2 * 58;
  const Diagnosis found = first(point);
  EXPECT_EQ(found.text, "SMs wait for others whose blocks are longer for 30.0 % of the predicted latency.");
  EXPECT_EQ(found.repair.find("divides over the SMs"), std::string::npos) << found.repair;
}

TEST(LowOccupancyRule, IsJudgedByWhatTwiceAsManyWarpsSave) {
  Measurement point = worked_point();
  point.occupancy->fraction = 0.75;
  point.occupancy->waves = 3;
  point.occupancy->also_limited_by = {Limiter::registers};
  EXPECT_EQ(first(point).kind, "") << "nobody asked what more warps save";
  point.prediction->without = {{"few_warps", {}, 80}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "low_occupancy");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_FALSE(found.is_major);
  EXPECT_EQ(
      found.text,
      "Too few warps to hide the latencies: 24 reside on an SM, 75.0 % of what it holds, limited by shared "
      "memory and registers.");
  EXPECT_EQ(found.saving, (Saving{20, 15, 25}));
  point.prediction->without[0].p50_us = 97;
  EXPECT_EQ(first(point).kind, "") << "more warps save too little";
  point.prediction->without[0].p50_us = 80;
  point.occupancy->waves = 0.5;
  EXPECT_EQ(first(point).kind, "") << "there are no more blocks";
}

TEST(Advice, IsNotGivenWhereTheModelSeesNoSaving) {
  Measurement point = test_support::conflicting_point();
  point.prediction = Prediction{100, 90, 110, {}, "", "", {{"bank conflicts", 60}}};
  EXPECT_EQ(first(point).kind, "bank_conflicts") << "not explained";
  point.prediction->without = {{"bank_conflicts", {}, 99}, {"l2", {}, 95}};
  EXPECT_EQ(first(point).kind, "") << first(point).evidence;
}

TEST(Advice, DividesTheSavingOfALineAmongItsAccesses) {
  Measurement point = test_support::conflicting_point();
  MemorySite first = point.memory->sites.front();
  first.inlined = {"tile.cuh:20 read"};
  MemorySite second = first;
  second.inlined = {"tile.cuh:30 read"};
  second.operation = "st.shared";
  point.memory->sites = {first, second};
  point.prediction = Prediction{100, 90, 110, {}, "", "", {{"bank conflicts", 60}}};
  point.prediction->without = {{"bank_conflicts", {}, 60}, {"bank_conflicts", {first.line}, 60}};
  const auto found = test_support::diagnose_sample(point);
  ASSERT_GE(found.size(), 2U) << kinds_of(found);
  EXPECT_EQ(found[0].saving, (Saving{20, 15, 25}));
  EXPECT_EQ(found[1].saving, (Saving{20, 15, 25}));
}

TEST(Advice, IsGivenWithoutASavingForALineThatWasNotPredicted) {
  Measurement point = test_support::conflicting_point();
  point.prediction = Prediction{100, 90, 110, {}, "", "", {{"bank conflicts", 60}}};
  point.prediction->without = {{"bank_conflicts", {}, 40}, {"bank_conflicts", {7}, 60}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "bank_conflicts");
  EXPECT_FALSE(found.saving) << "line 84 is not among those with most conflicts";
}

TEST(Advice, IsRankedByWhatItSaves) {
  Measurement point = worked_point();
  point.prediction->parts[2].microseconds = 10;
  point.memory->work->paced_instructions = 4000000;
  point.prediction->without = {{"idle_warps", {}, 60}};
  const auto found = test_support::diagnose_sample(point);
  EXPECT_EQ(kinds_of(found), "idle_warps tail ");
  point.prediction->without[0].p50_us = 95;
  EXPECT_EQ(kinds_of(test_support::diagnose_sample(point)), "tail idle_warps ");
}

TEST(SmallBlocksRule, IsAFaultWhereTheBlocksReadEverythingAnew) {
  Measurement point = worked_point();
  point.shape = Shape{1, 8, 8, 512, 512, 64, DataType::fp16, false};
  point.occupancy = Occupancy{24, 24, 0.5, Limiter::blocks, 3, 1, 4096};
  point.memory->bytes = {{"global_read", 537395200}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "small_blocks");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_TRUE(found.is_major);
  point.memory->bytes["global_read"] = 17301504;
  EXPECT_EQ(first(point).severity, Severity::cost);
  EXPECT_FALSE(first(point).is_major);
  point.occupancy->limiter = Limiter::registers;
  EXPECT_EQ(first(point).kind, "");
}

DeviceModel whole_device() {
  DeviceModel device = sample_device();
  device.compute_major = 8;
  device.compute_minor = 9;
  device.max_threads_per_sm = 1536;
  device.max_warps_per_sm = 48;
  device.max_blocks_per_sm = 24;
  device.registers_per_sm = device.registers_per_block = 65536;
  device.shared_bytes_per_sm = 102400;
  device.shared_bytes_per_block = 49152;
  device.reserved_shared_bytes_per_block = 1024;
  return device;
}

TEST(RegisterStepRule, NamesTheRegistersThatCostABlock) {
  Measurement point = worked_point();
  KernelDeclaration kernel = sample_kernel();
  kernel.threads = "256";
  const DeviceModel device = whole_device();
  const auto found_with = [&](std::int64_t registers) {
    point.resources->registers = registers;
    point.occupancy = Occupancy{3, 24, 0.5, Limiter::registers, 4, 1, 1000};
    return diagnose({point, kernel, &device});
  };
  const auto found = found_with(65);
  ASSERT_EQ(found.size(), 1U) << kinds_of(found);
  EXPECT_EQ(found[0].kind, "register_step");
  EXPECT_EQ(found[0].severity, Severity::hint);
  EXPECT_EQ(found[0].text, "1 register too many for one more block per SM.");
  EXPECT_TRUE(found_with(80).empty()) << kinds_of(found_with(80));
}

TEST(DeadKnobRule, IsAFaultWhereNoValueHasAnEffect) {
  const Measurement point = worked_point();
  const KernelDeclaration kernel = sample_kernel();
  DiagnosisInput input{point, kernel, nullptr};
  input.equal_values = {{"TILE", {std::int64_t{8}, std::int64_t{32}, std::int64_t{64}}, true}};
  const auto found = diagnose(input);
  ASSERT_EQ(found.size(), 1U) << kinds_of(found);
  EXPECT_EQ(found[0].kind, "dead_knob");
  EXPECT_EQ(found[0].severity, Severity::hint);
  EXPECT_TRUE(found[0].is_major);
  EXPECT_EQ(found[0].text,
            "TILE has no effect: no other valid value changes the machine code or the launch.");
  input.equal_values = {{"TILE", {std::int64_t{8}}, false}};
  EXPECT_EQ(diagnose(input).at(0).severity, Severity::hint);
  EXPECT_EQ(diagnose(input).at(0).text, "TILE = 8 makes the same program as TILE = 16.");
  input.equal_values.clear();
  EXPECT_TRUE(diagnose(input).empty());
}

TEST(EqualMachineCodeRule, NamesTheOthers) {
  const Measurement point = worked_point();
  const KernelDeclaration kernel = sample_kernel();
  DiagnosisInput input{point, kernel, nullptr};
  input.same_code = {"tiled", "foreign with TILE=8", "third"};
  ASSERT_EQ(diagnose(input).size(), 1U);
  EXPECT_EQ(diagnose(input)[0].kind, "equal_machine_code");
  EXPECT_EQ(diagnose(input)[0].text, "The same program as tiled, foreign with TILE=8 and 1 more.");
}

TEST(FindingsRule, MakesFaultsOfWhatTheCheckersFound) {
  Measurement point = worked_point();
  point.status = Status::wrong_result;
  point.reason = "the largest error is 1";
  point.findings = {{"race", {56, 58}, "line 56 and line 58 race", {}, {}, {}, 3},
                    {"same_value_store", {60}, "all store 1", {}, {}, {}, 1}};
  const auto found = test_support::diagnose_sample(point);
  ASSERT_EQ(found.size(), 2U) << kinds_of(found);
  EXPECT_EQ(found[0].kind, "race");
  EXPECT_EQ(found[0].severity, Severity::fault);
  EXPECT_EQ(found[0].lines, (std::vector<std::int64_t>{56, 58}));
  EXPECT_EQ(found[1].kind, "wrong_result");
  point.findings.erase(point.findings.begin());
  point.status = Status::ok;
  EXPECT_TRUE(test_support::diagnose_sample(point).empty()) << "stores of one value in any order";
}

TEST(StaticSharedMemoryRule, KnowsPtxasWords) {
  Measurement point;
  point.status = Status::compile_failed;
  point.reason = "ptxas error: Entry function 'f' uses too much shared data (0xf300 bytes, 0xc000 max)";
  const auto found = test_support::diagnose_sample(point);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "static_shared_memory");
  point.reason = "error: expected a ';'";
  EXPECT_TRUE(test_support::diagnose_sample(point).empty());
}

}  // namespace
}  // namespace tilescope
