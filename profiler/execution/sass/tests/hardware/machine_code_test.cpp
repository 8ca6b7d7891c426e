// The interpreter of machine code against an H200, launch by launch: how often every instruction was executed, what it cost
// in shared and global memory, and what the kernel wrote. Every difference has its reason in
// h200_machine_code_differences.json; a difference that is not there, and one that is gone, fail.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/json.hpp"
#include "profiler/execution/ptx/tests/hardware/recorded_outputs.hpp"
#include "profiler/execution/sass/tests/hardware/interpreted_machine_code.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_cases.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_outputs.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_record.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope::hardware {
namespace {

std::string group_of(const std::string& launch) {
  return launch.substr(0, launch.find('/'));
}

Json read_differences(const Installation& installation) {
  std::ifstream file(installation.root /
                     "profiler/execution/sass/tests/hardware/h200_machine_code_differences.json");
  return Json::parse(file);
}

class MachineCode : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      compiler_.reset(new Compiler(open_compiler(installation_)));  // a Compiler cannot be moved
      nvdisasm_ = sass::Disassembler::find({"", installation_.dependencies, ""});
    } catch (const NvrtcUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    } catch (const sass::NvdisasmUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
    for (MachineCodeCase& one : machine_code_cases(installation_)) {
      if (group_of(one.launch.name) == GetParam()) cases_.push_back(std::move(one));
    }
    ASSERT_FALSE(cases_.empty());
  }

  const Installation installation_ = find_installation();
  const MachineCodeRecord record_{installation_.root};
  const Json differences_ = read_differences(installation_);
  std::unique_ptr<Compiler> compiler_;
  std::optional<sass::Disassembler> nvdisasm_;
  std::vector<MachineCodeCase> cases_;
};

// The kinds of counts that differ, each with its sentence.
void expect_counts(const std::vector<CountDifference>& found, const Json& known, const std::string& name) {
  for (const CountDifference& difference : found) {
    EXPECT_TRUE(known.contains(difference.kind))
        << name << ": " << difference.text
        << "; find out why and fix it, or say why in h200_machine_code_differences.json";
  }
  for (const auto& [kind, reason] : known.items()) {
    const bool is_found = std::ranges::find(found, kind, &CountDifference::kind) != found.end();
    EXPECT_TRUE(is_found || kind == "output") << name << ": " << kind << " is equal now: remove its reason";
  }
}

void expect_outputs(const Case& one, const InterpretedMachineCode& here, const Json& recorded,
                    const Json& known) {
  const Json& kept = recorded.at("regions");
  ASSERT_EQ(kept.size(), one.regions.size());
  for (std::size_t i = 0; i < one.regions.size(); ++i) {
    const Region& region = one.regions[i];
    const bool is_equal =
        bits_sha256(region, here.buffers) == kept.at(i).at("bits_sha256").get<std::string>();
    if (here.is_exact) {
      EXPECT_TRUE(is_equal || known.contains("output"))
          << one.name << " " << region.name << ": the bits differ";
    }
    if (is_equal || known.contains("output")) continue;
    const RegionComparison found =
        compare_with_kept(region, bytes_of_region(region, here.buffers), kept.at(i));
    EXPECT_EQ(found.outside, 0U) << one.name << " " << region.name << " " << found.first_outside;
    EXPECT_GT(found.compared, 0U);
  }
}

TEST_P(MachineCode, CountsAndOutputsAreThoseOfTheGpu) {
  for (const MachineCodeCase& one : cases_) {
    const std::string& name = one.launch.name;
    const MachineCodeLaunch launch = prepare(one, *compiler_);
    if (sass_sha256(launch.cubin, launch.entry) != record_.counts(name).code_sha256) {
      GTEST_SKIP() << name << " is other machine code than was recorded: this is NVRTC "
                   << compiler_->nvrtc().version();
    }
    const InterpretedMachineCode here = interpret(launch, *nvdisasm_);
    EXPECT_EQ(here.fault, "") << name;
    const Json known = differences_.at("launches").value(name, Json::object());
    expect_counts(count_differences(record_.counts(name), here), known, name);
    expect_outputs(one.launch, here, record_.outputs(name), known);
  }
}

INSTANTIATE_TEST_SUITE_P(OnAnH200, MachineCode,
                         testing::Values("rung", "exhibit", "baseline", "micro", "gemm", "flash_scalar",
                                         "flash_mma", "wmma", "shared", "global", "divergence", "arithmetic",
                                         "carry_chains", "narrow_conversions"),
                         [](const auto& group) { return group.param; });

}  // namespace
}  // namespace tilescope::hardware
