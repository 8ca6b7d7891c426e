#include "app/commands/counted_code_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace tilescope {
namespace {

CountedInstruction instruction(std::int64_t address, const std::string& opcode, const std::string& text,
                               std::int64_t executions) {
  CountedInstruction one;
  one.address = address;
  one.text = text;
  one.opcode = opcode;
  one.file = "kernel.cu";
  one.line = 7;
  one.executions = executions;
  one.threads = 32 * executions;
  one.threads_on = one.threads;
  one.stall_cycles = 2;
  return one;
}

CountedCode code() {
  CountedCode all;
  all.architecture = "sm_90a";
  all.instructions = {
      instruction(0, "LDS", "LDS.128 R4, [R2+0x10]", 1000),
      instruction(16, "FADD", "@P0 FADD R8, R4, R5", 1000),
      instruction(32, "LDGSTS", "LDGSTS.E.BYPASS.LTC128B.128 [R81+0x380], desc[UR14][R2.64+0x123450], !P3",
                  10)};
  CountedInstruction& load = all.instructions[0];
  load.shared_wavefronts = 8000;
  load.shared_wavefronts_minimum = 4000;
  CountedInstruction& add = all.instructions[1];
  add.threads_on = 12500;
  add.wait_cycles = 11;
  add.waits_for = {0, 3};
  add.inlined = {"tile.cuh:81 add", "loop.cuh:225 accumulate"};
  all.warps = 16;
  all.sms = 2;
  all.resident_warps = 8;
  all.warp_cycles = 937.5;
  all.limits = {{"lsu", 4000}, {"issue slots", 252}};
  all.pipes = {{"lsu", 1000, 8000, true}};
  return all;
}

std::string line_with(const std::string& text, const std::string& words) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(words) != std::string::npos) return line;
  }
  return "";
}

TEST(CountedCodeText, HasTheCountsBesideEachInstruction) {
  const std::string text = counted_code_text(code(), "kernel.cu");
  const auto words = [&](const std::string& with) {
    std::istringstream line(line_with(text, with));
    std::vector<std::string> all;
    for (std::string word; line >> word;) all.push_back(word);
    return all;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("LDS.128"),
            (Words{"0000", "7", "1,000", "32", "8,000", "w", "2", "2", "LDS.128", "R4,", "[R2+0x10]"}));
  EXPECT_EQ(words("FADD R8"),
            (Words{"0010", "(225)", "1,000", "12.5", "11+2", "03", "@P0", "FADD", "R8,", "R4,", "R5"}));
}

TEST(CountedCodeText, EndsWithTheIssueByPipeLineAndOpcode) {
  const std::string text = counted_code_text(code(), "kernel.cu");
  EXPECT_NE(text.find("SM at least 4,000 for its share (lsu)"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "one for the SM").find("1,000"), std::string::npos);
  EXPECT_NE(line_with(text, "loop.cuh:225 ").find("13,000"), std::string::npos);
  EXPECT_NE(line_with(text, "line 7 ").find("2,020"), std::string::npos);
  EXPECT_NE(line_with(text, "  FADD ").find("13,000"), std::string::npos);
}

TEST(CountedCodeText, IsAtMostAHundredColumnsWide) {
  const std::string text = counted_code_text(code(), "kernel.cu");
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  EXPECT_EQ(widest, 100U);
  EXPECT_TRUE(line_with(text, "LDGSTS.E").ends_with("..."));
}

TEST(CountedCodeText, SaysWhyThereIsNoMachineCode) {
  CountedCode none;
  none.why_none = "nvdisasm was not found";
  EXPECT_EQ(counted_code_text(none, "kernel.cu"), "Machine code\n  not executed: nvdisasm was not found\n");
  EXPECT_EQ(counted_code_text({}, "kernel.cu"), "");
}

}  // namespace
}  // namespace tilescope
