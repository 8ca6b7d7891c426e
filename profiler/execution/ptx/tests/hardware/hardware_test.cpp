// Compares the interpreter with the recordings of an H200, without a GPU: counters, outputs, and that each difference
// has a reason.

#include <set>

#include "profiler/execution/ptx/tests/hardware/compare_counters.hpp"
#include "profiler/execution/ptx/tests/hardware/compiling_test.hpp"
#include "profiler/execution/ptx/tests/hardware/interpreter_run.hpp"
#include "profiler/execution/ptx/tests/hardware/recorded_outputs.hpp"

namespace tilescope::hardware {
namespace {

// The part of a case's name before the first '/'.
std::string group_of(const std::string& case_name) {
  return case_name.substr(0, case_name.find('/'));
}

// Groups of which only outputs were recorded: scalar arithmetic, with the same accesses as the group arithmetic.
const std::set<std::string> groups_without_counters = {"carry_chains", "narrow_conversions"};

class Recorded : public CompilingTest, public testing::WithParamInterface<std::string> {
 protected:
  std::vector<Case> cases() const {
    std::vector<Case> chosen = all_cases(root());
    std::erase_if(chosen, [](const Case& one) { return group_of(one.name) != GetParam(); });
    return chosen;
  }
  // Added to the message of a difference: the PTX may differ from the one that the GPU ran.
  std::string about(const Case& one, const std::string& ptx, const HardwareRecord& record) const {
    if (record.outputs(one.name).at("code_sha256") == code_sha256(ptx)) return one.name;
    return one.name + " (NVRTC " + compiler().nvrtc_version() +
           " or the kernel changed since the record: after a change that is meant, run record.sh again)";
  }
};

class RecordedOutputs : public Recorded {};

// Expects equal counts, or exactly the difference for which h200_differences.json gives a reason.
TEST_P(Recorded, CountersAreThoseOfTheInterpreter) {
  const HardwareRecord record(root());
  int compared = 0;
  for (const Case& one : cases()) {
    const std::string ptx = compiler().ptx(one.kernel);
    SCOPED_TRACE(about(one, ptx, record));
    const MemoryCounts memory = interpret(one, ptx).traced.memory;
    for (const CounterComparison& found : compare_counters(one, record, memory)) {
      EXPECT_TRUE(found.here == found.gpu || !found.why.empty())
          << found.counter << ": " << found.here << ", the GPU counted " << found.gpu
          << "; find out why and fix it, or say why in h200_differences.json";
      ++compared;
    }
    const Json& difference = record.difference(one.name);
    if (!difference.contains("fused")) continue;
    const FusedLoads fused = fuse_loads(memory, difference.at("fused"), root() / one.kernel.file);
    EXPECT_EQ(fused.instructions, record.counters(one.name).at("ld_instructions"))
        << "with the fused loads of the SASS";
    EXPECT_EQ(fused.wavefronts, record.counters(one.name).at("ld_wavefronts"))
        << "with the fused loads of the SASS";
  }
  EXPECT_GT(compared, 0);
}

TEST_P(RecordedOutputs, AreThoseOfTheInterpreter) {
  const HardwareRecord record(root());
  int compared = 0;
  for (const Case& one : cases()) {
    if (groups_without_counters.contains(GetParam()) && !record.has_outputs(one.name)) {
      GTEST_SKIP() << one.name << " was not recorded on a GPU yet; README.md says how";
    }
    const std::string ptx = compiler().ptx(one.kernel);
    SCOPED_TRACE(about(one, ptx, record));
    const Json& kept = record.outputs(one.name).at("regions");
    ASSERT_EQ(kept.size(), one.regions.size());
    const Interpreted here = interpret(one, ptx);
    for (std::size_t i = 0; i < one.regions.size(); ++i) {
      const Region& region = one.regions[i];
      const RegionComparison found =
          compare_with_kept(region, bytes_of_region(region, here.buffers), kept.at(i));
      EXPECT_EQ(found.outside, 0U) << region.name << " " << found.first_outside;
      EXPECT_GT(found.compared, 0U) << region.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(OnAnH200, Recorded,
                         testing::Values("gemm", "flash_scalar", "flash_mma", "wmma", "shared", "global",
                                         "divergence", "arithmetic"),
                         [](const auto& group) { return group.param; });
INSTANTIATE_TEST_SUITE_P(OnAnH200, RecordedOutputs,
                         testing::Values("gemm", "flash_scalar", "flash_mma", "wmma", "shared", "global",
                                         "divergence", "arithmetic", "carry_chains", "narrow_conversions"),
                         [](const auto& group) { return group.param; });

// 8-bit registers once made lanes overwrite each other, so that this kernel was reported as out of bounds.
TEST_F(CompilingTest, InlineAssemblyWith8BitRegistersIsNotAccused) {
  int checked = 0;
  for (const Case& one : narrow_cases()) {
    const Interpreted here = interpret(one, compiler().ptx(one.kernel), true);
    EXPECT_FALSE(here.traced.run.fault) << here.traced.run.fault->text;
    for (const Finding& finding : here.traced.findings) ADD_FAILURE() << finding.text;
    const std::vector<std::byte> x = one.buffers[0].initial();
    const Region& copied = one.regions.back();
    const auto bytes = bytes_of_region(copied, here.buffers);
    for (std::size_t i = 0; i < copied.count; ++i) {
      ASSERT_EQ(bytes[4 * i], x[4 * i + i % 4]) << i;
      ASSERT_EQ(bytes[4 * i + 1], std::byte{0xFF}) << i;
    }
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

class Record : public CompilingTest {};

TEST_F(Record, HoldsEveryCaseAndEveryGroupIsCompared) {
  const HardwareRecord record(root());
  std::set<std::string> groups;
  for (const Case& one : all_cases(root())) {
    groups.insert(group_of(one.name));
    if (groups_without_counters.contains(group_of(one.name))) continue;
    EXPECT_NO_THROW(record.counters(one.name));
    EXPECT_NO_THROW(record.outputs(one.name));
  }
  EXPECT_EQ(groups.size(), 10U) << "name a new group among the parameters above";
  EXPECT_EQ(record.provenance().at("gpu"), "NVIDIA H200");
}

TEST_F(Record, ExplainsOnlyRealDifferencesOfRecordedCounters) {
  const HardwareRecord record(root());
  std::set<std::string> names;
  for (const Case& one : all_cases(root())) names.insert(one.name);
  for (const auto& [name, difference] : record.differences().items()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(names.contains(name)) << "no such case";
    EXPECT_FALSE(record.reasons().at(difference.at("why").get<std::string>()).get<std::string>().empty());
    const Counters gpu = record.counters(name);
    for (const auto& [counter, numbers] : difference.at("counters").items()) {
      EXPECT_EQ(gpu.at(counter), numbers.at(0)) << counter;
      EXPECT_NE(numbers.at(0), numbers.at(1)) << counter << " needs no reason";
    }
  }
}

}  // namespace
}  // namespace tilescope::hardware
