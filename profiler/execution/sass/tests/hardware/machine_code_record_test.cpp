// Tests that the record belongs to the present launches: the machine code is the same, every launch has its
// counts, and the profiler's counts by instruction add up to the GPU's totals.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <set>

#include "profiler/execution/sass/tests/hardware/machine_code_cases.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_record.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope::hardware {
namespace {

// "rung" of "rung/naive B1 H8 S512 D64 fp16"
std::string group_of(const std::string& launch) {
  return launch.substr(0, launch.find('/'));
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// Where lanes diverge and meet again, the hardware's counters have a few more instructions or threads than the profiler's
// counts by the instruction: the same ones in each of four recordings. README.md has the numbers.
const std::set<std::string> counted_otherwise_by_hardware = {
    "arithmetic/doubles", "arithmetic/floats", "arithmetic/integers", "divergence/nested branches and loops",
    "divergence/warp-wide"};

class RecordedCode : public testing::TestWithParam<std::string> {};

TEST_P(RecordedCode, IsWhatNvrtcCompilesNow) {
  const Installation installation = find_installation();
  const MachineCodeRecord record(installation.root);
  std::unique_ptr<Compiler> compiler;
  try {
    compiler.reset(new Compiler(open_compiler(installation)));  // a Compiler cannot be moved
  } catch (const NvrtcUnavailable& unavailable) {
    GTEST_SKIP() << unavailable.what();
  }
  if (compiler->nvrtc().version() != record.provenance().at("nvrtc").get<std::string>()) {
    GTEST_SKIP() << "the record was made with NVRTC " << record.provenance().at("nvrtc") << ", this is "
                 << compiler->nvrtc().version();
  }
  int compared = 0;
  for (const MachineCodeCase& one : machine_code_cases(installation)) {
    if (group_of(one.launch.name) != GetParam()) continue;
    const MachineCodeLaunch launch = prepare(one, *compiler);
    EXPECT_EQ(sass_sha256(launch.cubin, launch.entry), record.counts(launch.name).code_sha256)
        << launch.name
        << ": the kernel changed since the record; after a change that is meant, run record.sh again";
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(OnAnH200, RecordedCode,
                         testing::Values("rung", "exhibit", "baseline", "micro", "gemm", "flash_scalar",
                                         "flash_mma", "wmma", "shared", "global", "divergence", "arithmetic",
                                         "carry_chains", "narrow_conversions"),
                         [](const auto& group) { return group.param; });

TEST(MachineCodeRecord, HoldsEveryLaunchAndNoOther) {
  const Installation installation = find_installation();
  const MachineCodeRecord record(installation.root);
  std::set<std::string> names;
  for (const MachineCodeCase& one : machine_code_cases(installation)) {
    names.insert(one.launch.name);
    ASSERT_TRUE(record.has(one.launch.name)) << one.launch.name;
    EXPECT_EQ(record.outputs(one.launch.name).at("regions").size(), one.launch.regions.size());
    EXPECT_EQ(record.outputs(one.launch.name).at("code_sha256"), record.counts(one.launch.name).code_sha256);
  }
  for (const std::string& name : record.names()) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(MachineCodeRecord, CountsByInstructionAddUpToThoseOfTheLaunch) {
  const MachineCodeRecord record(find_installation().root);
  for (const std::string& name : record.names()) {
    SCOPED_TRACE(name);
    const RecordedLaunch launch = record.counts(name);
    EXPECT_EQ(launch.threads.size(), launch.executions.size());
    EXPECT_EQ(launch.threads_on.size(), launch.executions.size());
    const bool adds_up = sum(launch.executions) == launch.totals.at("instructions") &&
                         sum(launch.threads) == launch.totals.at("thread_instructions") &&
                         sum(launch.threads_on) == launch.totals.at("thread_instructions_on");
    EXPECT_EQ(adds_up, !counted_otherwise_by_hardware.contains(name));
  }
}

TEST(MachineCodeRecord, WavefrontsByInstructionAddUpToThoseOfTheLaunch) {
  const MachineCodeRecord record(find_installation().root);
  for (const std::string& name : record.names()) {
    SCOPED_TRACE(name);
    const RecordedLaunch launch = record.counts(name);
    std::uint64_t wavefronts = 0;
    const auto by_instruction = launch.by_instruction.find("shared_wavefronts");
    if (by_instruction != launch.by_instruction.end()) {
      for (const auto& [place, count] : by_instruction->second) {
        EXPECT_LT(place, launch.executions.size());
        wavefronts += count;
      }
    }
    std::uint64_t expected = 0;
    for (const char* access : {"shared_ld", "shared_st", "ldsm", "stsm", "ldgsts", "shared_atom"})
      expected += launch.totals.at(access + std::string("_wavefronts"));
    EXPECT_EQ(wavefronts, expected);
  }
}

TEST(MachineCodeLaunch, IsReadAsItWasWritten) {
  MachineCodeLaunch written;
  written.name = "rung/some kernel A=1";
  written.cubin = {'\x7f', 'E', 'L', 'F', '\0', '\n'};
  written.entry = "kernel";
  written.grid = {3, 2, 1};
  written.block = {96, 1, 1};
  written.dynamic_shared_bytes = 4096;
  written.parameters.resize(20, std::byte{7});
  written.pointers = {{8, 1}};
  written.buffers = {{"in", {std::byte{1}, std::byte{2}}, false},
                     {"out", std::vector(5, std::byte{0xFF}), true}};
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "machine_code_launch";
  std::filesystem::remove_all(folder);
  write_launch(written, folder);
  EXPECT_TRUE(read_launches(folder, "exhibit/").empty());
  const std::vector<MachineCodeLaunch> all = read_launches(folder, "rung/");
  std::filesystem::remove_all(folder);
  ASSERT_EQ(all.size(), 1U);
  const MachineCodeLaunch& read = all.front();
  EXPECT_EQ(read.name, written.name);
  EXPECT_EQ(read.cubin, written.cubin);
  EXPECT_EQ(read.entry, written.entry);
  EXPECT_EQ(read.grid, written.grid);
  EXPECT_EQ(read.block, written.block);
  EXPECT_EQ(read.dynamic_shared_bytes, written.dynamic_shared_bytes);
  EXPECT_EQ(read.parameters, written.parameters);
  ASSERT_EQ(read.pointers.size(), 1U);
  EXPECT_EQ(read.pointers[0].offset, 8U);
  EXPECT_EQ(read.pointers[0].buffer, 1U);
  ASSERT_EQ(read.buffers.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.buffers[i].name, written.buffers[i].name);
    EXPECT_EQ(read.buffers[i].initial, written.buffers[i].initial);
    EXPECT_EQ(read.buffers[i].is_output, written.buffers[i].is_output);
  }
}

}  // namespace
}  // namespace tilescope::hardware
