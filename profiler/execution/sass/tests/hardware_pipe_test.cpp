#include "profiler/execution/sass/hardware_pipe.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/disassembly.hpp"
#include "profiler/execution/sass/instruction_facts.hpp"
#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/issue_intervals.hpp"

namespace tilescope::sass {
namespace {

using Pipe = HardwarePipe;

HardwarePipes pipes(std::string_view instruction, int architecture = 90) {
  return pipes_of(facts_of(instruction), architecture);
}

double cycles(Pipe pipe, std::string_view instruction, int architecture) {
  return pipe_cycles(pipe, facts_of(instruction), architecture);
}

TEST(InstructionParts, AreTheWordsAndOperandsOfAText) {
  const InstructionWord word;
  DecodeState state(255);
  const std::string text = "@!UP1 HMMA.16816.F32.BF16 R4, R8, R12, R4";
  const Instruction product = parse_instruction(text);
  EXPECT_EQ(text_of(product), text);
  const InstructionParts parts = Decoder(product, word, state).parts();
  EXPECT_EQ(parts.words, (std::vector<std::string_view>{"HMMA", "16816", "F32", "BF16"}));
  ASSERT_EQ(parts.operands.size(), 4U);
  EXPECT_EQ(parts.operands[2].index, 12);
  EXPECT_TRUE(parts.has("BF16"));
  EXPECT_FALSE(parts.has("BF"));
  EXPECT_FALSE(parts.has("HMMA"));
  const Instruction exit = parse_instruction("EXIT");
  const InstructionParts alone = Decoder(exit, word, state).parts();
  EXPECT_EQ(alone.words, std::vector<std::string_view>{"EXIT"});
  EXPECT_TRUE(alone.operands.empty());
}

TEST(HardwarePipe, DependsOnOperandsAndModifiers) {
  EXPECT_TRUE(has(pipes("S2R R0, SR_TID.X"), Pipe::lsu));
  EXPECT_TRUE(has(pipes("S2R R0, SR_CTAID.X"), Pipe::adu));
  EXPECT_TRUE(has(pipes("HFMA2.MMA R0, -RZ, RZ, 0, 0"), Pipe::tensor));
  EXPECT_FALSE(has(pipes("HFMA2 R0, R1, R2, R3"), Pipe::tensor));
  EXPECT_TRUE(has(pipes("HFMA2.MMA R0, -RZ, RZ, 0, 0", 89), Pipe::fma));
  EXPECT_TRUE(has(pipes("HFMA2 R0, R1, R2, R3", 80), Pipe::fp16));
  EXPECT_EQ(pipes("FFMA R0, R1, R2, R3").count(), 1U);
  EXPECT_TRUE(has(pipes("IMAD.MOV.U32 R0, RZ, RZ, R3"), Pipe::fma_heavy));
  EXPECT_TRUE(has(pipes("WARPSYNC R3"), Pipe::adu));
  EXPECT_FALSE(has(pipes("WARPSYNC.ALL"), Pipe::adu));
  EXPECT_TRUE(has(pipes("@P0 RET.REL.NODEC R8 0x0"), Pipe::cbu));
  EXPECT_TRUE(has(pipes("@P0 RET.REL.NODEC R8 0x0"), Pipe::adu));
  EXPECT_TRUE(has(pipes("UIADD3 UR4, UR4, 0x1, URZ"), Pipe::uniform));
  for (const char* slot_only : {"NOP", "@P0 BRA `(.L_x_0)", "ULDC UR4, c[0x0][0x208]", "UMOV UR4, 0x400"})
    EXPECT_TRUE(pipes(slot_only).none()) << slot_only;
}

// The instruction mix has kinds of its own, which must not say otherwise.
bool is_of_kind(const HardwarePipes& hardware, simt::Pipe kind) {
  switch (kind) {
    case simt::Pipe::fma:
      return has(hardware, Pipe::fma);
    case simt::Pipe::alu:
      return has(hardware, Pipe::alu);
    case simt::Pipe::mufu:
    case simt::Pipe::convert:
      return has(hardware, Pipe::xu);
    case simt::Pipe::lsu:
      return has(hardware, Pipe::lsu);
    case simt::Pipe::tensor:
      return has(hardware, Pipe::tensor);
    case simt::Pipe::fp64:
      return has(hardware, Pipe::fp64);
    case simt::Pipe::uniform:
      return has(hardware, Pipe::uniform) || hardware.none();
    case simt::Pipe::control:
      return !has(hardware, Pipe::alu) && !has(hardware, Pipe::fma);
    case simt::Pipe::other:
      return has(hardware, Pipe::adu) || hardware.none();
  }
  return false;
}

TEST(HardwarePipe, AgreesWithTheInstructionMix) {
  std::size_t compared = 0;
  for (const auto family : {integer_opcodes, logic_opcodes, move_opcodes, float_opcodes, double_opcodes,
                            half_opcodes, convert_opcodes, matrix_opcodes, warp_opcodes, load_store_opcodes,
                            async_copy_opcodes, atomic_opcodes}) {
    for (const Opcode& opcode : family()) {
      EXPECT_TRUE(is_of_kind(pipes(opcode.name), opcode.pipe)) << opcode.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100U);
}

TEST(OpcodesByName, RefuseTwoRowsOfOneNameWithBothFamilies) {
  const std::array<Opcode, 2> first = {{{"FADD"}, {"FMUL"}}};
  const std::array<Opcode, 2> second = {{{"HADD2"}, {"FMUL"}}};
  const std::array<std::span<const Opcode>, 2> families = {first, second};
  EXPECT_EQ(opcodes_by_name(std::span(families).first(1)).size(), 2U);
  try {
    opcodes_by_name(families);
    FAIL() << "two rows of FMUL were taken";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "the opcode 'FMUL' has two rows, in the families of 'FADD' and 'HADD2'");
  }
}

TEST(PipeCycles, AreTheRatesOfTheArchitecture) {
  EXPECT_EQ(cycles(Pipe::fma, "FFMA R0, R1, R2, R3", 80), 2);
  for (const int architecture : {86, 89, 90}) {
    EXPECT_EQ(cycles(Pipe::fma, "FFMA R0, R1, R2, R3", architecture), 1);
    EXPECT_EQ(cycles(Pipe::fma_heavy, "IMAD R0, R1, R2, R3", architecture), 2);
    EXPECT_EQ(cycles(Pipe::fma_heavy, "IMAD.WIDE R0, R1, R2, R4", architecture), 2);
    EXPECT_EQ(cycles(Pipe::fma_heavy, "IMAD.HI.U32 R0, R1, R2, R3", architecture), 4);
    EXPECT_EQ(cycles(Pipe::alu, "IADD3 R0, R1, R2, RZ", architecture), 2);
    EXPECT_EQ(cycles(Pipe::xu, "MUFU.EX2 R0, R1", architecture), 8);
  }
  EXPECT_EQ(cycles(Pipe::xu, "F2F.F64.F32 R0, R2", 89), 64);
  EXPECT_EQ(cycles(Pipe::fp64, "DFMA R0, R2, R4, R6", 90), 2);
  // One for the SM: two lanes.
  EXPECT_EQ(cycles(Pipe::fp64, "DFMA R0, R2, R4, R6", 89), 16);
  EXPECT_TRUE(is_shared_by_quarters(Pipe::fp64, 89));
  EXPECT_FALSE(is_shared_by_quarters(Pipe::fp64, 90));
  // An architecture without a row takes the row of the one before.
  EXPECT_EQ(cycles(Pipe::fma, "FFMA R0, R1, R2, R3", 87), 1);
}

TEST(PipeCycles, OfTheTensorPipeFollowShapeAndType) {
  const auto tensor = [](std::string_view instruction, int architecture) {
    return cycles(Pipe::tensor, instruction, architecture);
  };
  EXPECT_EQ(tensor("HMMA.16816.F32 R4, R8, R12, R4", 80), 8);
  EXPECT_EQ(tensor("HMMA.16816.F32 R4, R8, R12, R4", 89), 16);
  EXPECT_DOUBLE_EQ(tensor("HMMA.16816.F32.BF16 R4, R8, R12, R4", 90), 6);
  EXPECT_EQ(tensor("HMMA.1688.F32 R4, R8, R12, R4", 89), 8);
  EXPECT_EQ(tensor("HMMA.1688.F32.TF32 R4, R8, R12, R4", 89), 16);
  EXPECT_EQ(tensor("HMMA.1684.F32.TF32 R4, R8, R12, R4", 89), 8);
  EXPECT_EQ(tensor("IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4", 89), 16);
  EXPECT_EQ(tensor("IMMA.8816.S8.S8 R4, R8.ROW, R12.COL, R4", 89), 4);
  EXPECT_EQ(tensor("IMMA.16864.S4.S4 R4, R8.ROW, R12.COL, R4", 89), 16);
  EXPECT_EQ(tensor("HFMA2.MMA R0, -RZ, RZ, 0, 0", 90), 1);
}

TEST(ScoreboardCycles, AreNoneOfMemory) {
  EXPECT_EQ(scoreboard_cycles(facts_of("LDS R0, [R1]"), 90), 0);
  EXPECT_EQ(scoreboard_cycles(facts_of("LDG.E R0, [R2.64]"), 89), 0);
  EXPECT_EQ(scoreboard_cycles(facts_of("MUFU.EX2 R0, R1"), 90), 17);
  EXPECT_EQ(scoreboard_cycles(facts_of("MUFU.EX2 R0, R1"), 89), 8);
  EXPECT_EQ(scoreboard_cycles(facts_of("DFMA R0, R2, R4, R6"), 89), 16);
}

}  // namespace
}  // namespace tilescope::sass
