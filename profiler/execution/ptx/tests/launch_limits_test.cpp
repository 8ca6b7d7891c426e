// Launches that no GPU of the kernel's target accepts.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/simt/launch_limits.hpp"

namespace tilescope::ptx {
namespace {

using simt::Launch;
using simt::Program;

Program kernel_with(const std::string& directives, const std::string& target = "sm_89") {
  return build_program(
      parse(".version 8.0\n.target " + target + "\n.entry k() " + directives + " { ret; }\n"), "k");
}

// "" for a launch that is accepted.
std::string refusal(const Program& program, const Launch& launch) {
  try {
    check_launch(program, launch);
    return "";
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what(), begin = "'k' cannot be launched: ";
    EXPECT_TRUE(text.starts_with(begin)) << text;
    return text.substr(std::min(begin.size(), text.size()));
  }
}
Launch launch_of(simt::Dimensions grid, simt::Dimensions block, std::uint32_t shared = 0) {
  return {grid, block, shared, {}};
}

TEST(LaunchLimits, SizesOfBlockAndGrid) {
  const Program program = kernel_with("");
  EXPECT_EQ(refusal(program, launch_of({65'536, 65'535, 1}, {1024, 1, 1})), "");
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {1, 1, 64})), "");
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {1025, 1, 1})),
            "1025 threads in a block; a GPU takes at most 1024");
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {1, 1, 65})),
            "a block of (1, 1, 65); a GPU takes at most 64 threads along z");
  EXPECT_EQ(refusal(program, launch_of({1, 65'536, 1}, {1, 1, 1})),
            "a grid of (1, 65536, 1); a GPU takes at most (2147483647, 65535, 65535)");
  EXPECT_EQ(refusal(program, launch_of({1, 1, 65'536}, {1, 1, 1})),
            "a grid of (1, 1, 65536); a GPU takes at most (2147483647, 65535, 65535)");
}

TEST(LaunchLimits, ADeclaredBlockIsTheOnlyOne) {
  const Program program = kernel_with(".reqntid 32, 4");
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {32, 4, 1})), "");
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {128, 1, 1})),
            "a block of (128, 1, 1); it was compiled for blocks of (32, 4, 1) alone (.reqntid)");
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {32, 2, 1})),
            "a block of (32, 2, 1); it was compiled for blocks of (32, 4, 1) alone (.reqntid)");
  const Program at_most = kernel_with(".maxntid 128");
  EXPECT_EQ(refusal(at_most, launch_of({1, 1, 1}, {64, 1, 1})), "");
  EXPECT_EQ(refusal(at_most, launch_of({1, 1, 1}, {129, 1, 1})),
            "129 threads in a block; it was compiled for at most 128");
}

TEST(LaunchLimits, AGridHasWholeClusters) {
  const Program program = kernel_with(".reqnctapercluster 2, 1, 1", "sm_90");
  EXPECT_EQ(refusal(program, launch_of({4, 3, 1}, {32, 1, 1})), "");
  EXPECT_EQ(refusal(program, launch_of({5, 1, 1}, {32, 1, 1})),
            "a grid of (5, 1, 1), which is no multiple of its clusters of (2, 1, 1) blocks");
  EXPECT_EQ(refusal(kernel_with(".reqnctapercluster 32", "sm_90"), launch_of({32, 1, 1}, {32, 1, 1})),
            "clusters of 32 blocks; a GPU takes at most 16");
}

TEST(LaunchLimits, SharedMemoryIsTheTargets) {
  struct Case {
    const char* target;
    std::uint32_t most;
  };
  for (const auto& [target, most] : {Case{"sm_80", 166'912}, Case{"sm_86", 101'376}, Case{"sm_89", 101'376},
                                     Case{"sm_90", 232'448}, Case{"sm_90a", 232'448}}) {
    const Program program = kernel_with("", target);
    EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {32, 1, 1}, most)), "") << target;
    EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {32, 1, 1}, most + 1)),
              std::to_string(most + 1) + " B of shared memory in a block (0 static, " +
                  std::to_string(most + 1) + " dynamic); a GPU of " + target + " gives at most " +
                  std::to_string(most));
  }
}

TEST(LaunchLimits, RegistersOfABlock) {
  Program program = kernel_with("");
  program.registers_of_thread = 64;
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {1024, 1, 1})), "");
  program.registers_of_thread = 65;
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {896, 1, 1})), "") << "72 registers are given";
  EXPECT_EQ(refusal(program, launch_of({1, 1, 1}, {1024, 1, 1})),
            "1024 threads of 65 registers need 73728 registers; a block has at most 65536: launch fewer "
            "threads, or "
            "compile with -maxrregcount");
  EXPECT_EQ(simt::most_threads_of_block(program), 896u);
  program.max_threads = 256;
  EXPECT_EQ(simt::most_threads_of_block(program), 256u);
  EXPECT_EQ(simt::most_threads_of_block(kernel_with("")), 1024u) << "PTX has no count of registers";
}

}  // namespace
}  // namespace tilescope::ptx
