#include <gtest/gtest.h>

#include "profiler/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope {
namespace {

using testing::conflicting_point;
using testing::conflicting_site;
using testing::diagnose_sample;
using testing::sample_kernel;

TEST(BankConflictsRule, NamesDegreeTileLineAndShare) {
  const auto found = diagnose_sample(conflicting_point());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "bank_conflicts");
  EXPECT_EQ(found[0].severity, Severity::cost);
  EXPECT_EQ(found[0].lines, std::vector<std::int64_t>{84});
  EXPECT_EQ(found[0].text,
            "8-way conflict on K (line 84): 28.0 M of 32.1 M shared-memory wavefronts are excess.");
  EXPECT_EQ(found[0].evidence,
            "ld.shared of 16 B per lane, executed 1,000,000 times: 32,000,000 wavefronts, minimum 4,000,000; "
            "87.2 % of all shared-memory wavefronts of the kernel are excess here.");
}

TEST(BankConflictsRule, TheRepairNamesWhatTheDeclarationHas) {
  EXPECT_EQ(diagnose_sample(conflicting_point())[0].repair, "Try K_PAD=4 or K_PAD=8.");
  const Measurement point = conflicting_point();
  const DeviceModel device = testing::sample_device();
  const auto on_device = diagnose({point, sample_kernel(), &device});
  EXPECT_EQ(on_device.at(0).repair, "Try K_PAD=8.") << "K_PAD=4 is refused by a constraint";
}

TEST(BankConflictsRule, WithoutALayoutTheRepairIsInTheSource) {
  KernelDeclaration kernel = sample_kernel();
  kernel.parameters.pop_back();
  const Measurement point = conflicting_point();
  EXPECT_EQ(diagnose({point, kernel, nullptr}).at(0).repair,
            "Pad the rows of K, or swizzle them: XOR the place of an element within its row with the row's "
            "number.");
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
