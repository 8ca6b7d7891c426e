#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope {
namespace {

using test_support::conflicting_point;
using test_support::conflicting_site;
using test_support::diagnose_sample;
using test_support::sample_kernel;

TEST(BankConflictsRule, NamesDegreeTileLineAndShare) {
  const auto found = diagnose_sample(conflicting_point());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "bank_conflicts");
  EXPECT_EQ(found[0].severity, Severity::cost);
  EXPECT_TRUE(found[0].is_major);
  EXPECT_EQ(found[0].lines, std::vector<std::int64_t>{84});
  EXPECT_EQ(found[0].text,
            "8-way conflict on K (line 84): 28.0 M of 32.1 M shared-memory wavefronts are excess.");
  EXPECT_EQ(found[0].evidence,
            "ld.shared of 16 B per lane, executed 1,000,000 times: 32,000,000 wavefronts, minimum 4,000,000; "
            "87.2 % of all shared-memory wavefronts of the kernel are excess here.");
}

TEST(BankConflictsRule, TheRepairSpeaksOfTheSourceAndOfNoParameterThatWasNotTried) {
  EXPECT_EQ(diagnose_sample(conflicting_point()).at(0).repair,
            "Pad the rows of K, or swizzle them: XOR the place of an element within its row with the row's "
            "number.");
  Measurement point = conflicting_point();
  point.memory->sites.clear();
  EXPECT_EQ(
      diagnose_sample(point).at(0).repair,
      "Pad the rows, or swizzle them: XOR the place of an element within its row with the row's number.");
}

TEST(BankConflictsRule, ACopyPastL1NeedsNoPadding) {
  KernelDeclaration kernel = sample_kernel();
  kernel.parameters.pop_back();
  Measurement point = conflicting_point();
  MemorySite& site = point.memory->sites[0];
  site.operation = "cp.async";
  site.instruction = "cp.async.cg.shared.global [%r1], [%rd1], 16;";
  const Diagnosis past_l1 = diagnose({point, kernel, nullptr}).at(0);
  EXPECT_EQ(past_l1.text,
            "Copies past L1 in more wavefronts than needed on K (line 84): 28.0 M of 32.1 M shared-memory "
            "wavefronts "
            "are excess.");
  EXPECT_EQ(past_l1.repair,
            "Let neighbouring lanes copy neighbouring 16 B, whole lines of 128 B, to rows that begin at a "
            "multiple of "
            "32 B: a padding of 16 B cuts sectors in two.");
  site.instruction = "cp.async.ca.shared.global [%r1], [%rd1], 16;";
  EXPECT_EQ(diagnose({point, kernel, nullptr}).at(0).repair.substr(0, 18), "Pad the rows of K,")
      << "it is a store";
}

TEST(BankConflictsRule, AccessesOfTwoWidthsAreTwo) {
  Measurement point = conflicting_point();
  MemorySite narrow = point.memory->sites[0];
  narrow.width_bytes = 2;
  narrow.tile = "V";
  point.memory->sites.push_back(narrow);
  point.memory->shared_wavefronts *= 2;
  const auto found = diagnose_sample(point);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text.substr(0, 28), "8-way conflict on V (line 84") << found[0].text;
  EXPECT_EQ(found[0].evidence.substr(0, 26), "ld.shared of 2 B per lane,");
  EXPECT_EQ(found[1].evidence.substr(0, 27), "ld.shared of 16 B per lane,");
}

TEST(BankConflictsRule, APaddingDoesNotHelpAtomics) {
  KernelDeclaration kernel = sample_kernel();
  kernel.parameters.pop_back();
  Measurement point = conflicting_point();
  point.memory->sites[0].operation = "atom.shared";
  EXPECT_EQ(diagnose({point, kernel, nullptr}).at(0).repair,
            "Atomics on one word follow each other, and a padding does not help: let a warp add up its lanes "
            "first, or "
            "give each warp words of its own.");
}

TEST(BankConflictsRule, AKernelWithoutTilesOrLinesIsNamedByItsPtx) {
  Measurement point = conflicting_point();
  point.memory->sites[0].tile = "";
  EXPECT_EQ(diagnose_sample(point).at(0).text,
            "8-way conflict at line 84: 28.0 M of 32.1 M shared-memory wavefronts are excess.");
  point.memory->sites[0].line = 0;
  const auto found = diagnose_sample(point);
  EXPECT_EQ(found.at(0).text,
            "8-way conflict at PTX line 812: 28.0 M of 32.1 M shared-memory wavefronts are excess.");
  EXPECT_TRUE(found[0].lines.empty());
}

TEST(BankConflictsRule, ALineOfAHeaderIsNoLineOfTheKernel) {
  Measurement point = conflicting_point();
  point.memory->sites[0].file = "tile.cuh";
  const auto found = diagnose_sample(point);
  EXPECT_EQ(found.at(0).text,
            "8-way conflict on K (tile.cuh:84): 28.0 M of 32.1 M shared-memory wavefronts are excess.");
  EXPECT_TRUE(found[0].lines.empty());
}

TEST(BankConflictsRule, SitesOfOneLineAreOneDiagnosis) {
  Measurement point = conflicting_point();
  MemorySite other = conflicting_site();
  other.tile = "V";
  other.worst_degree = 4;
  other.degrees = {{4, 1000}};
  other.conflicts = 2000000;
  point.memory->sites.push_back(other);
  const auto found = diagnose_sample(point);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
      found[0].text,
      "Up to 8-way conflict on K and V (line 84): 30.0 M of 32.1 M shared-memory wavefronts are excess.");
}

TEST(BankConflictsRule, PlacesInlinedIntoOneLineAreTwoDiagnoses) {
  Measurement point = conflicting_point();
  point.memory->sites[0].inlined = {"ldmatrix.cuh:12 load", "loop.cuh:225 scores"};
  MemorySite other = point.memory->sites[0];
  other.inlined[1] = "loop.cuh:273 accumulate";
  other.conflicts = 2000000;
  point.memory->sites.push_back(other);
  const auto found = diagnose_sample(point);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].text.starts_with("8-way conflict on K (line 84, loop.cuh:225): 28.0 M"))
      << found[0].text;
  EXPECT_EQ(found[0].inlined_place, "loop.cuh:225");
  EXPECT_EQ(found[1].inlined_place, "loop.cuh:273");
  EXPECT_EQ(found[1].lines, std::vector<std::int64_t>{84});
}

TEST(BankConflictsRule, FewConflictsAreNoDiagnosis) {
  Measurement point = conflicting_point();
  point.memory->shared_wavefronts = 1000000000;
  EXPECT_TRUE(diagnose_sample(point).empty());
  point.memory->shared_wavefronts = 0;
  EXPECT_TRUE(diagnose_sample(point).empty()) << "a kernel without shared memory";
  point.memory.reset();
  EXPECT_TRUE(diagnose_sample(point).empty()) << "a point that was not counted";
}

TEST(BankConflictsRule, CountsWithoutSitesNameNoLine) {
  Measurement point = conflicting_point();
  point.memory->sites.clear();
  const auto found = diagnose_sample(point);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "Bank conflicts: 28.0 M of 32.1 M shared-memory wavefronts are excess.");
  EXPECT_TRUE(found[0].lines.empty());
}

}  // namespace
}  // namespace tilescope
