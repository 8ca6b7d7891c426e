// Where diverged lanes meet again: short programs, each instruction's executions counted.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"
#include "profiler/execution/sass/unsupported.hpp"
#include "profiler/execution/simt/interpreter.hpp"

namespace tilescope::sass {
namespace {

// A kernel of one warp, from instructions and labels ("end:").
class Assembled {
 public:
  explicit Assembled(const std::vector<std::string>& lines) {
    std::string text = "\t.section\t.text.kernel\n";
    std::uint64_t address = 0;
    for (const std::string& line : lines) {
      if (line.ends_with(':')) {
        text += "." + line + "\n";
        continue;
      }
      char prefix[32];
      std::snprintf(prefix, sizeof prefix, "        /*%04x*/ ", static_cast<unsigned>(address));
      text += prefix + line + " ;\n";
      address += simt::Program::instruction_bytes;
    }
    cubin_.architecture = "sm_90";
    cubin_.functions.push_back({"kernel", true, std::vector<InstructionWord>(address / 16), {}, {}});
    CubinKernel kernel;
    kernel.name = "kernel";
    kernel.registers = 32;
    cubin_.kernels.push_back(kernel);
    program_ = build_program(cubin_, parse_disassembly(text), "kernel");
  }

  simt::RunResult run() {
    simt::Launch launch;
    launch.block = {32, 1, 1};
    simt::GlobalMemory memory;
    return simt::run(program_, launch, memory, {});
  }
  // Executions of each instruction, in their order.
  std::vector<std::uint64_t> executions() {
    const simt::RunResult result = run();
    EXPECT_FALSE(result.fault) << result.fault->text;
    std::vector<std::uint64_t> counts;
    for (const InstructionCount& one : instruction_counts(program_, result)) {
      if (one.address / 16 < cubin_.functions[0].words.size()) counts.push_back(one.executions);
    }
    return counts;
  }
  // Lanes of each instruction for which its guard was true, in their order.
  std::vector<std::uint64_t> lanes() {
    const simt::RunResult result = run();
    EXPECT_FALSE(result.fault) << result.fault->text;
    std::vector<std::uint64_t> counts;
    for (const InstructionCount& one : instruction_counts(program_, result)) {
      if (one.address / 16 < cubin_.functions[0].words.size()) counts.push_back(one.guarded_lanes);
    }
    return counts;
  }
  simt::Program& program() { return program_; }

 private:
  Cubin cubin_;
  simt::Program program_;
};

using Counts = std::vector<std::uint64_t>;

TEST(Convergence, LanesMeetWhereTheyWaitForEachOther) {
  Assembled code({"S2R R0, SR_LANEID", "ISETP.GE.U32.AND P0, PT, R0, 0x10, PT", "BSSY B0, `(.end)",
                  "@P0 BRA `(.end)", "IADD3 R1, R0, 0x1, RZ", "end:", "BSYNC B0", "EXIT"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 2, 1}));
}

// As in a slow path that both arms of a branch end in: an H200 makes what follows BSYNC once for each arm.
TEST(Convergence, LanesThatSetABarrierApartDoNotMeetAtIt) {
  Assembled code({"S2R R0, SR_LANEID", "ISETP.GE.U32.AND P0, PT, R0, 0x10, PT", "BSSY B1, `(.end)",
                  "@P0 BRA `(.set)", "IADD3 R1, R0, 0x1, RZ", "set:", "BSSY B2, `(.meet)",
                  "LOP3.LUT P1, RZ, R0, 0x1, RZ, 0xc0, !PT", "@P1 BRA `(.meet)", "IADD3 R1, R1, 0x1, RZ",
                  "meet:", "BSYNC B2", "IADD3 R2, R1, 0x1, RZ", "end:", "BSYNC B1", "EXIT"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 2, 2, 1}));
}

// As in a recursive function, which saves the barrier's register.
TEST(Convergence, LanesOfAnOuterBarrierStayWhileItsRegisterIsUsedAgain) {
  Assembled code({"S2R R0, SR_LANEID", "ISETP.GE.U32.AND P0, PT, R0, 0x10, PT", "BSSY B6, `(.end)",
                  "@P0 BRA `(.end)", "BMOV.32.CLEAR R16, B6", "BSSY B6, `(.inner)",
                  "LOP3.LUT P1, RZ, R0, 0x1, RZ, 0xc0, !PT", "@P1 BRA `(.inner)", "IADD3 R1, R0, 0x1, RZ",
                  "inner:", "BSYNC B6", "BMOV.32 B6, R16", "end:", "BSYNC B6", "EXIT"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 1}));
}

// Lanes 0 to 15 leave the barrier that they saved; those that restore it later still end.
TEST(Convergence, LanesThatLeftABarrierAreNotWaitedFor) {
  Assembled code({"S2R R0, SR_LANEID", "ISETP.GE.U32.AND P0, PT, R0, 0x10, PT", "BSSY B0, `(.end)",
                  "@!P0 BREAK B0", "@!P0 BRA `(.away)", "BMOV.32.CLEAR R16, B0", "BMOV.32 B0, R16",
                  "end:", "BSYNC B0", "away:", "EXIT"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 1, 1, 1, 2}));
}

// A vote of each half of the warp, as on sm_90.
TEST(Convergence, LanesOfOtherMasksContinueApartWhereTheMaskIsExclusive) {
  Assembled code({"S2R R0, SR_LANEID", "LOP3.LUT R0, R0, 0x10, RZ, 0xc0, !PT", "MOV R1, 0xffff",
                  "SHF.L.U32 R1, R1, R0, RZ", "BSSY B0, `(.end)", "WARPSYNC.EXCLUSIVE R1",
                  "VOTE.ANY R2, PT, PT", "BSYNC B0", "end:", "ISETP.NE.U32.AND P0, PT, R1, R2, PT",
                  "@P0 BRA `(.wrong)", "EXIT", "wrong:", "BPT.TRAP 0x1"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 0}));
}

TEST(Convergence, LanesOfOtherMasksActCollectivelyApart) {
  Assembled code({"S2R R0, SR_LANEID", "LOP3.LUT R0, R0, 0x10, RZ, 0xc0, !PT", "MOV R1, 0xffff",
                  "SHF.L.U32 R1, R1, R0, RZ", "BSSY B0, `(.end)", "WARPSYNC.COLLECTIVE R1, `(.end)",
                  "VOTE.ANY R2, PT, PT", "ENDCOLLECTIVE", "end:", "BSYNC B0",
                  "ISETP.NE.U32.AND P0, PT, R1, R2, PT", "@P0 BRA `(.wrong)", "EXIT",
                  "wrong:", "BPT.TRAP 0x1"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 0}));
}

// On sm_89 too: all lanes go to the slow path, though no lane's own guard is true.
TEST(Convergence, LanesWithAFalseGuardAreElsewhere) {
  Assembled code({"S2R R0, SR_LANEID", "R2UR P0, UR5, R0", "UMOV UR4, 0xffffffff",
                  "@!P0 BRA.DIV UR4, `(.slow)", "EXIT", "slow:", "MOV R1, 0x1", "R2UR P0, UR5, R1",
                  "@!P0 BRA.DIV UR4, `(.wrong)", "EXIT", "wrong:", "BPT.TRAP 0x1"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 0, 1, 1, 1, 1, 0}));
}

// As ptxas makes of a switch: odd lanes leave B0 without BREAK.
TEST(Convergence, LanesThatAreWaitedForInVainAreLeftBehind) {
  Assembled code({"S2R R0, SR_LANEID", "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT", "BSSY B0, `(.end)",
                  "@P0 BRA `(.default)", "end:", "BSYNC B0", "default:", "WARPSYNC 0xffffffff", "EXIT"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 2, 1}));
}

TEST(Convergence, ABreakKeepsTheMasksOfOtherBarriersInTheRegister) {
  SassSnippet snippet(control_opcodes());
  snippet.run("BSSY B0, `(.L_x_1)");
  snippet.run("BSSY B0, `(.L_x_1)", 0, 0xff);
  snippet.run("BREAK B0", 0, 1);
  EXPECT_EQ(snippet.get_barrier(0, 3), 0xfeu);
  EXPECT_EQ(snippet.get_barrier(0, 9), simt::all_lanes);
}

TEST(Convergence, ACallThroughARegisterReturnsToTheLoadedAddress) {
  Assembled code({"LEPC R20, `(.back)", "MOV R2, 0x40", "MOV R3, 0x0", "CALL.ABS.NOINC R2",
                  "IADD3 R4, R4, 0x1, RZ", "RET.ABS.NODEC R20 0x0", "back:", "EXIT"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 1, 1}));
}

TEST(Convergence, AReturnHasAPredicateBesideItsGuard) {
  Assembled code({"S2R R0, SR_LANEID", "ISETP.GE.U32.AND P0, PT, R0, 0x10, PT",
                  "LOP3.LUT P3, RZ, R0, 0x1, RZ, 0xc0, !PT", "MOV R20, 0x70", "MOV R21, 0x0",
                  "@P0 RET.ABS.NODEC P3, R20 0x0", "MOV R1, 0x1", "EXIT"});
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 1, 1, 2}));
}

TEST(Convergence, ACallOfTheDriverEndsTheBlockWithItsName) {
  Assembled code({"MOV R2, 0x70000000", "MOV R3, 0x0", "CALL.ABS.NOINC R2", "EXIT"});
  code.program().driver_functions = {{"__assertfail"}};
  const simt::RunResult result = code.run();
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, simt::FaultKind::trap);
  EXPECT_NE(result.fault->text.find("a call of __assertfail, a function of the driver"), std::string::npos)
      << result.fault->text;
}

// Lanes 0 to 15 have P0, odd ones P3.
const std::vector<std::string> two_predicates = {"S2R R0, SR_LANEID", "ISETP.LT.U32.AND P0, PT, R0, 0x10, PT",
                                                 "LOP3.LUT P3, RZ, R0, 0x1, RZ, 0xc0, !PT"};
Counts lanes_of(const std::vector<std::string>& lines) {
  std::vector<std::string> all = two_predicates;
  all.insert(all.end(), lines.begin(), lines.end());
  return Assembled(all).lanes();
}

TEST(Convergence, AnExitHasAPredicateBesideItsGuard) {
  EXPECT_EQ(lanes_of({"@!P0 EXIT P3", "MOV R1, 0x1", "EXIT"}), (Counts{32, 32, 32, 16, 24, 24}));
  EXPECT_EQ(lanes_of({"@!P0 EXIT !P3", "MOV R1, 0x1", "EXIT"}), (Counts{32, 32, 32, 16, 24, 24}));
  EXPECT_EQ(lanes_of({"EXIT P3", "MOV R1, 0x1", "EXIT"}), (Counts{32, 32, 32, 32, 16, 16}));
  EXPECT_EQ(lanes_of({"EXIT UPT", "MOV R1, 0x1", "EXIT"}), (Counts{32, 32, 32, 32, 0, 0}));
  EXPECT_EQ(lanes_of({"EXIT.KEEPREFCOUNT P0", "MOV R1, 0x1", "EXIT"}), (Counts{32, 32, 32, 32, 16, 16}));
}

// Only the even lanes set the barrier and wait at it: they do not wait for the odd ones.
TEST(Convergence, BarriersHaveAPredicateBesideTheirGuard) {
  Assembled code({"S2R R0, SR_LANEID", "LOP3.LUT P3, RZ, R0, 0x1, RZ, 0xc0, !PT", "BSSY !P3, B0, `(.meet)",
                  "@P3 BRA `(.odd)", "MOV R1, 0x1", "meet:", "BSYNC !P3, B0", "EXIT", "odd:", "EXIT"});
  EXPECT_EQ(code.lanes(), (Counts{32, 32, 32, 16, 16, 16, 16, 16}));
  EXPECT_EQ(code.executions(), (Counts{1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(Convergence, CallsAndJumpsHaveAPredicateToo) {
  EXPECT_EQ(lanes_of({"CALL.REL.NOINC P0, `(.f)", "EXIT", "f:", "EXIT"}), (Counts{32, 32, 32, 32, 16, 16}));
  EXPECT_EQ(lanes_of({"JMP P3, `(.f)", "EXIT", "f:", "EXIT"}), (Counts{32, 32, 32, 32, 16, 16}));
  EXPECT_EQ(lanes_of({"BRA.U UPT, `(.f)", "EXIT", "f:", "EXIT"}), (Counts{32, 32, 32, 32, 0, 32}));
}

TEST(Convergence, BranchesThroughRegisters) {
  // BRXU counts from the next instruction, JMX from nothing, CALL.REL from the function that it names.
  EXPECT_EQ(Assembled({"UMOV UR4, 0x40", "UMOV UR5, 0x0", "BRXU UR4 -0x30", "EXIT", "EXIT", "EXIT"}).lanes(),
            (Counts{32, 32, 32, 0, 32, 0}));
  EXPECT_EQ(Assembled({"MOV R4, 0x40", "MOV R5, 0x0", "JMX R4 0x0", "EXIT", "EXIT"}).lanes(),
            (Counts{32, 32, 32, 0, 32}));
  EXPECT_EQ(Assembled({"MOV R4, 0x40", "MOV R5, 0x0", "CALL.REL.NOINC R4 `(kernel)", "EXIT", "EXIT"}).lanes(),
            (Counts{32, 32, 32, 0, 32}));
}

TEST(Convergence, ACollectiveOfAllLanesHasNoMask) {
  EXPECT_EQ(Assembled({"WARPSYNC.COLLECTIVE.ALL `(.go)", "ENDCOLLECTIVE", "go:", "EXIT"}).executions(),
            (Counts{1, 1, 1}));
}

// Half of a warp at a vote of all lanes, the others at a __syncwarp() elsewhere: a GPU of sm_90 stops there for ever.
TEST(Convergence, ACollectiveIsNotTheWarpsyncThatOthersWaitAt) {
  const auto with = [](const std::string& other) {
    return Assembled({"S2R R0, SR_LANEID", "ISETP.GE.U32.AND P0, PT, R0, 0x10, PT", "@P0 BRA `(.upper)",
                      "WARPSYNC.ALL", "EXIT", "upper:", other, "EXIT"})
        .run();
  };
  const simt::RunResult apart = with("WARPSYNC.COLLECTIVE.ALL `(.upper)");
  ASSERT_TRUE(apart.fault);
  EXPECT_EQ(apart.fault->kind, simt::FaultKind::deadlock) << apart.fault->text;
  EXPECT_FALSE(with("WARPSYNC.ALL").fault);
}

TEST(Convergence, WhatIsNotKnownIsRefusedWithItsAddress) {
  const auto refusal = [](const std::string& line) -> std::string {
    try {
      const Assembled known({"NOP", line, "EXIT"});
      return "";
    } catch (const Unsupported& error) {
      return error.what();
    }
  };
  EXPECT_NE(refusal("EXIT.NEW").find("'EXIT.NEW' at address 0x0010 is not executed"), std::string::npos);
  EXPECT_NE(refusal("EXIT P1, P2").find("operand 2 is not expected"), std::string::npos);
  EXPECT_NE(refusal("BRA.DIV P1, UR4, `(.x)").find("a predicate beside the mask"), std::string::npos);
  for (const auto& [text, words] :
       {std::pair{"TEX.SCR.LL RZ, R5, R4, R0, 0x0, 0x5e, 2D, 0x1", "it reads a texture"},
        {"SUST.D.BA.1D.STRONG.SM [R2], R5", "it accesses a surface"},
        {"WARPGROUP.ARRIVE", "compile it for sm_80 or sm_89"}})
    EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
  EXPECT_NE(refusal("KILL").find("the instruction is not known"), std::string::npos);
}

TEST(Convergence, ACallOfTheDriverThatIsExecutedContinuesBehindIt) {
  Assembled code({"S2R R4, SR_LANEID", "MOV R2, 0x70000000", "MOV R3, 0x0",
                  "ISETP.GE.U32.AND P0, PT, R4, 0x10, PT", "@P0 CALL.ABS.NOINC R2",
                  "ISETP.EQ.U32.AND P1, PT, R4, 0x7, PT", "@P1 EXIT", "EXIT"});
  code.program().driver_functions = {{"seven", [](simt::Warp& warp, const simt::Instruction&) {
                                        for (int lane = 16; lane < 32; ++lane)
                                          warp.write<std::uint32_t>(RegisterSlots::step * 4)[lane] = 7;
                                      }}};
  EXPECT_EQ(code.lanes(), (Counts{32, 32, 32, 32, 16, 32, 17, 15}));
}

}  // namespace
}  // namespace tilescope::sass
