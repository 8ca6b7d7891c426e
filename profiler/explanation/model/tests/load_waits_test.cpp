#include "profiler/explanation/model/load_waits.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/sass/instruction_facts.hpp"
#include "profiler/execution/sass/instruction_word.hpp"

namespace tilescope::model {
namespace {

// An instruction that holds scoreboard `write` until its result is there, and first waits for those in `wait`.
struct Given {
  std::string text;
  std::uint8_t write = sass::no_scoreboard;
  std::uint32_t wait = 0;
};

// Bits 105 to 125 of an instruction's word, from bit 0 on.
std::uint32_t scheduling_bits(const Given& given) {
  return std::uint32_t{given.write} << 5U | std::uint32_t{sass::no_scoreboard} << 8U | given.wait << 11U;
}

simt::Program program_of(const std::vector<std::vector<Given>>& blocks) {
  simt::Program program;
  for (const std::vector<Given>& block : blocks) {
    simt::BasicBlock basic;
    basic.first = static_cast<std::uint32_t>(program.code.size());
    basic.instructions = static_cast<std::uint32_t>(block.size());
    program.blocks.push_back(basic);
    std::vector<Given> with_enter = block;
    with_enter.insert(with_enter.begin(), Given{"NOP"});
    for (const Given& given : with_enter) {
      simt::Origin origin;
      origin.text = given.text;
      origin.facts = sass::facts_of(given.text);
      origin.scheduling = scheduling_bits(given);
      simt::Instruction instruction;
      instruction.origin = static_cast<std::uint32_t>(program.origins.size());
      program.origins.push_back(origin);
      program.code.push_back(instruction);
    }
  }
  return program;
}

TEST(LoadWaits, AWarpGoesOnUntilItNeedsWhatItLoads) {
  const simt::Program program = program_of({{{"LDG.E R2, desc[UR4][R4.64]", 0},
                                             {"LDG.E R3, desc[UR4][R6.64]", 1},
                                             {"FADD R2, R2, R8", sass::no_scoreboard, 1},
                                             {"LDG.E R5, desc[UR4][R8.64]", 2},
                                             {"FADD R3, R3, R5", sass::no_scoreboard, 2 | 4}}});
  // The first entry is the block's head.
  EXPECT_EQ(last_load_waits(program), (std::vector<std::uint32_t>{0, 1, 1, 3, 3, 5}));
}

TEST(LoadWaits, OtherResultsAreNotWaitedForSoLong) {
  const simt::Program program = program_of({{{"LDG.E R2, desc[UR4][R4.64]", 0},
                                             {"MUFU.RCP R3, R9", 1},
                                             {"FADD R3, R3, R8", sass::no_scoreboard, 2},
                                             {"LDL R5, [R1+0x8]", 3}}});
  EXPECT_EQ(last_load_waits(program), (std::vector<std::uint32_t>{0, 1, 1, 1, 1}));
}

TEST(LoadWaits, ALoopWaitsForWhatItLoadedBefore) {
  const simt::Program program = program_of({{{"FADD R2, R2, R8"}},
                                            {{"IADD3 R1, R1, 0x1, RZ"},
                                             {"FADD R2, R2, R3", sass::no_scoreboard, 1},
                                             {"LDG.E R3, desc[UR4][R4.64]", 0}}});
  EXPECT_EQ(last_load_waits(program), (std::vector<std::uint32_t>{0, 1, 0, 3, 4, 4}));
}

}  // namespace
}  // namespace tilescope::model
