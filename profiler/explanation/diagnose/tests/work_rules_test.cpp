#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/tests/worked_point.hpp"

// Rules over how the work is spread: each with a planted case and its clean twin, worked_point().
namespace tilescope {
namespace {

using test_support::first;
using test_support::worked_point;

ExecutedWork& work_of(Measurement& point) {
  return *point.memory->work;
}

TEST(WorkRules, ACleanPointHasNoDiagnosis) {
  EXPECT_EQ(first(worked_point()).kind, "") << first(worked_point()).text;
}

TEST(DivergenceRule, IsMajorWhereASeventhIsExecutedTwice) {
  Measurement point = worked_point();
  work_of(point).serialised_instructions = 250000;
  work_of(point).lane_instructions = 24000000;
  work_of(point).partial_lanes = {{{72, "foreign.cu", {}}, 500000, 8000000}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "divergence");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_TRUE(found.is_major);
  EXPECT_EQ(found.lines, std::vector<std::int64_t>{72});
  EXPECT_EQ(found.text,
            "Branches of a warp are executed one after the other at line 72: 250,000 of 1.00 M warp "
            "instructions are executed for lanes that went another way.");
  EXPECT_EQ(
      found.evidence,
      "25.0 % of the warp instructions; 24.0 of 32 lanes take part in one on average. Removing this would "
      "save 18.00 µs to 30.00 µs of the predicted 100.00 µs.");
  EXPECT_NEAR(found.saving.value_or(Saving()).us, 0.25 * 96, 1e-9) << "the tail stays";
  work_of(point).serialised_instructions = 50000;
  EXPECT_EQ(first(point).severity, Severity::cost);
  EXPECT_FALSE(first(point).is_major);
  work_of(point).serialised_instructions = 5000;
  EXPECT_NE(first(point).kind, "divergence");
}

TEST(IdleLanesRule, NamesLanesThatNothingKeepsBusy) {
  Measurement point = worked_point();
  work_of(point).lane_instructions = 16000000;
  work_of(point).partial_lanes = {{{80, "foreign.cu", {}}, 516129, 516129}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "idle_lanes");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_FALSE(found.is_major);
  EXPECT_EQ(found.text, "Of the 32 lanes of a warp 16.0 are idle on average, most at line 80.");
  work_of(point).lane_instructions = 30000000;
  EXPECT_EQ(first(point).kind, "");
}

TEST(IdleWarpsRule, IsAFaultWhereTwoThirdsAreIdle) {
  Measurement point = worked_point();
  work_of(point).paced_instructions = 4000000;
  work_of(point).watched->barriers->at(1).idle_instructions = 3000;
  point.prediction->without = {{"idle_warps", {}, 80}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "idle_warps");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_TRUE(found.is_major);
  EXPECT_EQ(found.lines, std::vector<std::int64_t>{60});
  EXPECT_EQ(found.text,
            "Warps wait for the busiest one of their block, most at the barrier at line 60: 75.0 % of what "
            "they could execute is idle.");
  EXPECT_NEAR(found.saving.value_or(Saving()).us, 20, 1e-9);
  work_of(point).paced_instructions = 1700000;
  EXPECT_EQ(first(point).severity, Severity::cost);
  EXPECT_FALSE(first(point).is_major);
  work_of(point).paced_instructions = 1200000;
  EXPECT_EQ(first(point).kind, "");
  work_of(point).paced_instructions = 4000000;
  work_of(point).watched->barriers.reset();
  EXPECT_EQ(first(point).kind, "") << "warps that wait at mbarriers";
}

TEST(NeedlessBarriersRule, IsAFaultWhereThreeOfFourOrderNothing) {
  Measurement point = worked_point();
  auto& barriers = *work_of(point).watched->barriers;
  barriers.push_back({{55, "foreign.cu", {}}, 200, 0, 0});
  point.prediction->without = {{"barriers", {}, 70}, {"barriers", {55}, 84}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "needless_barriers");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_TRUE(found.is_major);
  EXPECT_EQ(found.text, "Barriers that order nothing at line 55: 200 of 264 that a block passes.");
  EXPECT_NEAR(found.saving.value_or(Saving()).us, 16, 1e-9);
  barriers.back().passes = 40;
  EXPECT_EQ(first(point).severity, Severity::hint);
  barriers.back().passes = 16;
  EXPECT_EQ(first(point).kind, "") << "one phase of five";
  barriers = {{{55, "foreign.cu", {}}, 3, 0, 0}};
  EXPECT_EQ(first(point).kind, "") << "too few to say";
  barriers = {{{55, "foreign.cu", {}}, 64, 0, 0}};
  work_of(point).watched->warps = 1;
  EXPECT_EQ(first(point).kind, "") << "one warp waits for no other";
}

TEST(NoStagingRule, IsAFaultWhereABlockReadsTheSameEightTimes) {
  Measurement point = worked_point();
  WatchedBlock& watched = *work_of(point).watched;
  watched.sectors_read = 32 * watched.different_sectors;
  watched.repeated = {{{58, "foreign.cu", {}}, 120000, 110000}};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "no_staging");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_TRUE(found.is_major);
  EXPECT_EQ(found.text,
            "The same bytes are read from global memory again and again at line 58: a block reads each 32 "
            "times.");
  watched.sectors_read = 4 * watched.different_sectors;
  EXPECT_EQ(first(point).severity, Severity::cost);
  EXPECT_FALSE(first(point).is_major);
  watched.sectors_read = 2 * watched.different_sectors;
  EXPECT_EQ(first(point).kind, "") << "a stencil";
  watched.sectors_read = 8 * watched.different_sectors;
  point.memory->global_sectors = 8 * point.memory->global_sectors_minimum;
  EXPECT_NE(first(point).kind, "no_staging") << "lanes far apart fetch sectors again: uncoalesced";
  point.memory->global_sectors = point.memory->global_sectors_minimum;
  watched.different_sectors = 20;
  watched.sectors_read = 4000;
  EXPECT_EQ(first(point).kind, "") << "a small table";
}

TEST(NarrowLoadsRule, AsksForNeighboursOfTheSameLane) {
  Measurement point = worked_point();
  MemorySite site;
  site.line = 95;
  site.file = "foreign.cu";
  site.operation = "ld.global";
  site.width_bytes = 2;
  site.tile = "V";
  site.executions = 100000;
  site.lanes = 3200000;
  site.wavefronts = site.minimum = 200000;
  point.memory->sites = {site};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "narrow_loads");
  EXPECT_EQ(found.severity, Severity::hint);
  EXPECT_EQ(found.text,
            "Narrow loads of V at line 95: a lane loads 2 B where neighbouring elements would make 16 B.");
  point.memory->sites[0].width_bytes = 16;
  EXPECT_EQ(first(point).kind, "");
  point.memory->sites[0] = site;
  point.memory->sites[0].wavefronts = 3200000;
  EXPECT_NE(first(point).kind, "narrow_loads") << "lanes far apart have no neighbours";
  point.memory->sites[0] = site;
  point.memory->sites[0].executions = 2000;
  point.memory->sites[0].lanes = 64000;
  point.memory->sites[0].wavefronts = 4000;
  EXPECT_EQ(first(point).kind, "") << "twice for each warp";
}

TEST(SpillsRule, IsMajorWhereSpilledBytesAreMany) {
  Measurement point = worked_point();
  point.resources->spill_bytes = 248;
  point.memory->bytes = {{"shared_read", 8000000}, {"local_read", 2000000}};
  EXPECT_EQ(first(point).kind, "spills");
  EXPECT_EQ(first(point).severity, Severity::cost);
  EXPECT_TRUE(first(point).is_major);
  point.memory->bytes["local_read"] = 100000;
  EXPECT_EQ(first(point).severity, Severity::cost);
  EXPECT_FALSE(first(point).is_major);
  point.memory->bytes["local_read"] = 1000;
  EXPECT_EQ(first(point).severity, Severity::hint);
  point.resources->spill_bytes = 0;
  EXPECT_EQ(first(point).kind, "");
}

TEST(WarpLevelBarriersRule, AsksForSyncwarpWhereABarrierOrdersLanesOfOneWarp) {
  Measurement point = worked_point();
  auto& barriers = *work_of(point).watched->barriers;
  barriers.push_back({{55, "foreign.cu", {}}, 200, 0, 0, 200});
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "warp_level_barriers");
  EXPECT_TRUE(found.is_major);
  EXPECT_EQ(found.text,
            "Barriers that order only the lanes of one warp at line 55: 200 of 264 that a block passes.");
  EXPECT_NE(found.repair.find("__syncwarp()"), std::string::npos) << found.repair;
  barriers.back().needed = 1;
  EXPECT_EQ(first(point).kind, "") << "it orders warps, too";
}

TEST(LocalMemoryRule, NamesTheLinesOfAnArrayAndNotSpills) {
  Measurement point = worked_point();
  point.memory->bytes = {{"global_read", 900000}, {"local_read", 64000}, {"local_write", 32000}};
  MemorySite read, write;
  read.line = 5, read.file = "foreign.cu", read.operation = "ld.local", read.width_bytes = 4;
  read.lanes = 16000, read.wavefronts = 4000, read.minimum = 2000, read.conflicts = 2000;
  read.instruction = "LDL R4, [R9]";
  write.line = 3, write.file = "foreign.cu", write.operation = "st.local", write.width_bytes = 4;
  write.lanes = 8000, write.instruction = "STL [R1+0x4], R3";
  point.memory->sites = {read, write};
  const Diagnosis found = first(point);
  EXPECT_EQ(found.kind, "local_memory");
  EXPECT_EQ(found.severity, Severity::cost);
  EXPECT_TRUE(found.is_major);
  EXPECT_EQ(found.lines, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(found.text,
            "Arrays or other variables lie in local memory at lines 3, 5: threads read 62.5 KiB (64,000 B) "
            "and write "
            "31.2 KiB (32,000 B) there.");
  EXPECT_NE(found.evidence.find("2,000 sectors more"), std::string::npos) << found.evidence;
  point.memory->sites = {write};
  EXPECT_EQ(first(point).kind, "") << "a slot of the stack pointer alone is a spilled register";
  point.memory->sites = {read};
  point.memory->bytes["global_read"] = 90000000;
  EXPECT_EQ(first(point).kind, "") << "less than 0.5 % of the bytes";
}

TEST(SeverityOfConflicts, FollowsTheirShare) {
  Measurement point = test_support::conflicting_point();
  EXPECT_EQ(first(point).severity, Severity::cost) << "87 % of the wavefronts";
  EXPECT_TRUE(first(point).is_major);
  point.memory->shared_wavefronts *= 3;
  EXPECT_EQ(first(point).severity, Severity::cost);
  EXPECT_FALSE(first(point).is_major);
}

TEST(OrderOfDiagnoses, IsMajorOnesWithoutASavingThenWhatSavesMost) {
  Measurement point = worked_point();
  point.memory->shared_conflicts = 4000000;
  work_of(point).serialised_instructions = 250000;
  work_of(point).paced_instructions = 1700000;
  point.prediction->parts[2].microseconds = 30;
  point.occupancy->waves = 2.2;
  const auto found = test_support::diagnose_sample(point);
  ASSERT_GE(found.size(), 4U);
  EXPECT_EQ(found[0].kind, "bank_conflicts") << "nobody predicted the launch without them";
  EXPECT_EQ(found[1].kind, "tail");
  EXPECT_EQ(found[2].kind, "divergence");
  EXPECT_EQ(found[3].kind, "idle_warps");
}

}  // namespace
}  // namespace tilescope
