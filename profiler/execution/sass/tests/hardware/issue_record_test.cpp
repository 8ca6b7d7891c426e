// The issue model against what an H200 counted: the warp instructions of each pipe, and cycles, which no
// lower bound may exceed. The model gets the recorded executions of each instruction, which equal the
// interpreter's.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/execution/sass/issue_model.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_cases.hpp"
#include "profiler/execution/sass/tests/hardware/machine_code_record.hpp"
#include "profiler/execution/sass/unsupported.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope::hardware {
namespace {

using sass::HardwarePipe;

// SMs, warp slots of a quarter, and quarters of an SM: an H200.
constexpr double sms = 132, warps_of_quarter = 16, quarters = 4;

// The hardware counts 8 warp instructions more in all than by the instruction here (README.md): 8 of the CBU.
const std::string counted_otherwise_by_hardware = "divergence/warp-wide";

struct Launch {
  RecordedLaunch recorded;
  /// By warps, in a block; and blocks.
  double warps_of_block = 0, blocks = 0;
  sass::IssueLoad load;
};

// None of the kernels has a second section of code, so that addresses are unique.
sass::ExecutedCode executed_code(const simt::Program& program, const RecordedLaunch& recorded) {
  const std::size_t size = program.code.size();
  sass::ExecutedCode executed{std::vector<double>(size), std::vector<double>(size)};
  const auto wavefronts = recorded.by_instruction.find("shared_wavefronts");
  for (const sass::InstructionIssue& issue : sass::instruction_issues(program)) {
    const std::uint32_t address = program.origins[program.code[issue.at].origin].address;
    const std::size_t place = address / simt::Program::instruction_bytes;
    if (place >= recorded.executions.size()) continue;  // padding behind the code
    executed.executions[issue.at] = static_cast<double>(recorded.executions[place]);
    if (wavefronts == recorded.by_instruction.end()) continue;
    const auto found = wavefronts->second.find(place);
    if (found != wavefronts->second.end())
      executed.shared_wavefronts[issue.at] = static_cast<double>(found->second);
  }
  return executed;
}

class IssueRecord : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      compiler_.reset(new Compiler(open_compiler(installation_)));  // a Compiler cannot be moved
    } catch (const NvrtcUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
    if (compiler_->nvrtc().version() != record_.provenance().at("nvrtc").get<std::string>()) {
      GTEST_SKIP() << "the record was made with NVRTC " << record_.provenance().at("nvrtc");
    }
  }

  // Checks the launches of the group whose machine code is executed.
  void for_each_launch(const std::function<void(const std::string& name, const Launch&)>& check) {
    int checked = 0;
    for (const MachineCodeCase& one : machine_code_cases(installation_)) {
      const std::string& name = one.launch.name;
      if (!name.starts_with(GetParam() + "/")) continue;
      SCOPED_TRACE(name);
      Launch launch;
      launch.recorded = record_.counts(name);
      const simt::Program* program = program_of(one, launch.recorded.code_sha256);
      if (program == nullptr) continue;
      launch.load = issue_load(*program, executed_code(*program, launch.recorded));
      launch.blocks = static_cast<double>(one.launch.launch.grid.count());
      launch.warps_of_block = std::ceil(static_cast<double>(one.launch.launch.block.count()) / 32);
      check(name, launch);
      ++checked;
    }
    EXPECT_GT(checked, 0);
  }

 private:
  // Launches of the same code share it.
  const simt::Program* program_of(const MachineCodeCase& one, const std::string& code_sha256) {
    const auto known = programs_.find(code_sha256);
    if (known != programs_.end()) return known->second.get();
    std::unique_ptr<simt::Program>& made = programs_[code_sha256];
    const std::vector<char> cubin = one.compile(*compiler_).cubin;
    const std::string& entry = one.launch.kernel.entry;
    EXPECT_EQ(sass_sha256(cubin, entry), code_sha256) << "the kernel changed since the record";
    try {
      made = std::make_unique<simt::Program>(
          sass::build_program(sass::read_cubin(cubin), nvdisasm_.disassemble(cubin), entry));
    } catch (const sass::Unsupported& error) {
      std::cout << one.launch.name << ": " << error.what() << '\n';
    }
    return made.get();
  }

  Installation installation_ = find_installation();
  MachineCodeRecord record_{installation_.root};
  std::unique_ptr<Compiler> compiler_;
  sass::Disassembler nvdisasm_ = sass::Disassembler::find({"", installation_.dependencies, ""});
  std::map<std::string, std::unique_ptr<simt::Program>> programs_;
};

// Nsight Compute's counters of pipes, but for fmaheavy and fmalite: which of the two executes FADD, FMUL and FFMA varies
// from run to run.
constexpr std::array<std::pair<HardwarePipe, const char*>, 9> counted_pipes = {
    {{HardwarePipe::adu, "pipe_adu"},
     {HardwarePipe::alu, "pipe_alu"},
     {HardwarePipe::cbu, "pipe_cbu"},
     {HardwarePipe::fma, "pipe_fma"},
     {HardwarePipe::fp64, "pipe_fp64"},
     {HardwarePipe::lsu, "pipe_lsu"},
     {HardwarePipe::tensor, "pipe_tensor"},
     {HardwarePipe::uniform, "pipe_uniform"},
     {HardwarePipe::xu, "pipe_xu"}}};

double instructions_of(const sass::IssueLoad& load, HardwarePipe pipe) {
  const auto found = std::ranges::find(load.pipes, pipe, &sass::PipeLoad::pipe);
  return found == load.pipes.end() ? 0 : found->instructions;
}

void expect_counted_instructions(const std::string& name, const Launch& launch) {
  const auto counted = [&](const char* counter) {
    return static_cast<double>(launch.recorded.totals.at(counter));
  };
  for (const auto& [pipe, counter] : counted_pipes) {
    const double more = name == counted_otherwise_by_hardware && pipe == HardwarePipe::cbu ? 8 : 0;
    EXPECT_EQ(instructions_of(launch.load, pipe) + more, counted(counter)) << counter;
  }
  EXPECT_LE(instructions_of(launch.load, HardwarePipe::fma_heavy), counted("pipe_fmaheavy"));
}

// The fewest cycles of a warp alone, summed, over as many warps as a quarter can have at once: blocks that are no more
// than the SMs have one each.
double warps_alone(const Launch& launch) {
  const double at_once =
      launch.blocks <= sms ? std::ceil(launch.warps_of_block / quarters) : warps_of_quarter;
  return launch.load.warp_cycles / at_once;
}

// smsp__cycles_active is the sum over the quarters of the SMs that had a warp: one block of 32 warps that issues an FFMA in
// nearly every cycle of each quarter (micro/ffma) has 1.02 of them for each warp instruction.
void expect_fewer_cycles(const Launch& launch) {
  const auto active = static_cast<double>(launch.recorded.totals.at("active_cycles"));
  EXPECT_LE(launch.load.warp_instructions, active);
  EXPECT_LE(warps_alone(launch), active);
  for (const sass::PipeLoad& pipe : launch.load.pipes) EXPECT_LE(pipe.cycles, active) << name_of(pipe.pipe);
}

TEST_P(IssueRecord, PipesExecuteWhatTheGpuCountedInNoFewerCycles) {
  for_each_launch([](const std::string& name, const Launch& launch) {
    expect_counted_instructions(name, launch);
    expect_fewer_cycles(launch);
  });
}

// Microbenchmarks that keep one pipe busy: one block with warps in every quarter. The bounds of their pipes are nearly
// what the GPU took, so that a table of shorter intervals would show.
class IssueOfMicrobenchmarks : public IssueRecord {};

TEST_P(IssueOfMicrobenchmarks, IsNearlyWhatTheGpuTook) {
  const std::map<std::string, HardwarePipe> busy = {{"ffma", HardwarePipe::fma},
                                                    {"mufu", HardwarePipe::xu},
                                                    {"mma_sync", HardwarePipe::tensor},
                                                    {"ldmatrix", HardwarePipe::lsu},
                                                    {"shared_load", HardwarePipe::lsu}};
  std::size_t seen = 0;
  for_each_launch([&](const std::string& name, const Launch& launch) {
    const std::size_t start = name.find('/') + 1;
    const auto found = busy.find(name.substr(start, name.find(' ') - start));
    if (found == busy.end()) return;
    ++seen;
    for (const sass::PipeLoad& pipe : launch.load.pipes) {
      if (pipe.pipe != found->second) continue;
      const double of_sms = pipe.is_shared_by_quarters ? quarters : 1;
      const auto active = static_cast<double>(launch.recorded.totals.at("active_cycles"));
      EXPECT_GT(pipe.cycles * of_sms, 0.95 * active);
    }
  });
  EXPECT_GE(seen, busy.size());
}

INSTANTIATE_TEST_SUITE_P(OnAnH200, IssueOfMicrobenchmarks, testing::Values("micro"),
                         [](const auto& group) { return group.param; });
INSTANTIATE_TEST_SUITE_P(OnAnH200, IssueRecord,
                         testing::Values("rung", "exhibit", "baseline", "micro", "gemm", "flash_scalar",
                                         "flash_mma", "wmma", "shared", "global", "divergence", "arithmetic",
                                         "carry_chains", "narrow_conversions"),
                         [](const auto& group) { return group.param; });

}  // namespace
}  // namespace tilescope::hardware
