#include "profiler/execution/sass/disassembly.hpp"

#include <gtest/gtest.h>

namespace tilescope::sass {
namespace {

const std::string head = R"(	.target	sm_89

	.elftype	@"ET_EXEC"


//--------------------- .text.scale               --------------------------
	.section	.text.scale,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=12"
	.align	128
        .global         scale
        .type           scale,@function
        .size           scale,(.L_x_2 - scale)
        .other          scale,@"STO_CUDA_ENTRY STV_DEFAULT"
scale:
.text.scale:
)";

Disassembly parse(const std::string& body) {
  return parse_disassembly(head + body);
}

const Instruction& only_instruction(const Disassembly& code) {
  EXPECT_EQ(code.functions.at(0).instructions.size(), 1u);
  return code.functions.at(0).instructions.at(0);
}

std::string complaint(const std::string& body) {
  try {
    parse(body);
    return "no complaint";
  } catch (const DisassemblyError& error) {
    return error.what();
  }
}

TEST(Disassembly, HasFunctionsInstructionsAndLabels) {
  const Disassembly code = parse(R"(        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/              @!P0 BRA `(.L_x_0) ;
        /*0020*/                   EXIT ;
.L_x_1:
        /*0030*/                   BRA `(.L_x_1);
.L_x_2:
)");
  EXPECT_EQ(code.architecture, "sm_89");
  const Function* scale = code.find("scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_TRUE(scale->is_kernel);
  ASSERT_EQ(scale->instructions.size(), 4u);
  EXPECT_EQ(scale->instructions[1].address, 0x10u);
  EXPECT_EQ(scale->instructions[1].predicate, "@!P0");
  EXPECT_EQ(scale->instructions[1].opcode, "BRA");
  EXPECT_EQ(scale->instructions[1].operands, std::vector<std::string>{"`(.L_x_0)"});
  EXPECT_TRUE(scale->instructions[2].operands.empty());
  EXPECT_EQ(text_of(scale->instructions[1]), "@!P0 BRA `(.L_x_0)");
  EXPECT_EQ(text_of(scale->instructions[0]), "MOV R1, c[0x0][0x28]");
  ASSERT_EQ(scale->labels.size(), 3u) << "the function's own name is no label";
  EXPECT_EQ(scale->labels[0].name, ".L_x_0");
  EXPECT_EQ(scale->labels[0].before, 1u);
  EXPECT_EQ(scale->labels[2].before, 4u) << "behind the last instruction";
  EXPECT_EQ(code.find("other"), nullptr);
}

TEST(Disassembly, OperandsKeepWhatStandsInBrackets) {
  const auto operands = [](const std::string& text) {
    return only_instruction(parse("        /*0000*/                   " + text + " ;\n")).operands;
  };
  using Operands = std::vector<std::string>;
  EXPECT_EQ(operands("STS.64 [R9.X4+UR5+0x4], R36"), (Operands{"[R9.X4+UR5+0x4]", "R36"}));
  EXPECT_EQ(operands("LDG.E R0, desc[UR4][R2.64]"), (Operands{"R0", "desc[UR4][R2.64]"}));
  EXPECT_EQ(operands("FSETP.GEU.AND P0, PT, |R28|, +INF , PT"),
            (Operands{"P0", "PT", "|R28|", "+INF", "PT"}));
  EXPECT_EQ(operands("RET.REL.NODEC R6 `(scale)"), (Operands{"R6", "`(scale)"}));
  EXPECT_EQ(operands("DEPBAR {5,4,3}, SB0"), (Operands{"{5,4,3}", "SB0"}));
}

TEST(Disassembly, ARemarkIsNoOperand) {
  const Disassembly code =
      parse("        /*8010*/                   STL [R1+0x18], R86               (*\"SpillRefill\"*);\n");
  EXPECT_EQ(only_instruction(code).remark, "SpillRefill");
  EXPECT_EQ(only_instruction(code).operands, (std::vector<std::string>{"[R1+0x18]", "R86"}));
}

TEST(Disassembly, PlacesHoldUntilTheNextOnes) {
  const Disassembly code = parse(R"(	//## File "/a/scale.cu", line 5
	//## File ".nv_debug_ptx_txt", line 50
        /*0000*/                   NOP;
        /*0010*/                   NOP;
	//## File ".nv_debug_ptx_txt", line 52
        /*0020*/                   NOP;
	//## File "/a/element.cuh", line 84 inlined at "/a/tile.cuh", line 12
	//## File "/a/tile.cuh", line 12 inlined at "/a/scale.cu", line 9
	//## File "/a/scale.cu", line 9
	//## File ".nv_debug_ptx_txt", line 61
.L_x_0:
        /*0030*/                   NOP;
	//## File "/a/scale.cu", line 5
        /*0040*/                   NOP;
)");
  const std::vector<Instruction>& all = code.functions.at(0).instructions;
  ASSERT_EQ(all.size(), 5u);
  const std::vector<Place> own = {{"/a/scale.cu", 5}};
  EXPECT_EQ(code.chains.at(all[0].chain), own);
  EXPECT_EQ(all[1].chain, all[0].chain);
  EXPECT_EQ(all[1].ptx_line, 50u);
  EXPECT_EQ(all[2].chain, all[0].chain) << "the line of the PTX changed alone";
  EXPECT_EQ(all[2].ptx_line, 52u);
  const std::vector<Place> inlined = {{"/a/element.cuh", 84}, {"/a/tile.cuh", 12}, {"/a/scale.cu", 9}};
  EXPECT_EQ(code.chains.at(all[3].chain), inlined);
  EXPECT_EQ(all[3].ptx_line, 61u);
  EXPECT_EQ(all[4].chain, all[0].chain) << "equal chains are one";
  EXPECT_EQ(code.chains.size(), 2u);
}

TEST(Disassembly, ALaterPlaceOfOneInstructionReplacesTheFormer) {
  const Disassembly code = parse(R"(	//## File "scale.cu", line 5
	//## File "scale.cu", line 6
        /*0000*/                   NOP;
	//## File "scale.cuh", line 7 inlined at "scale.cu", line 8
        /*0010*/                   NOP;
)");
  const std::vector<Instruction>& all = code.functions.at(0).instructions;
  EXPECT_EQ(code.chains.at(all[0].chain), (std::vector<Place>{{"scale.cu", 6}}));
  EXPECT_EQ(code.chains.at(all[1].chain), (std::vector<Place>{{"scale.cuh", 7}, {"scale.cu", 8}}));
}

TEST(Disassembly, WithoutLineInfoThereIsNoPlace) {
  const Instruction instruction = only_instruction(parse("        /*0000*/                   NOP;\n"));
  EXPECT_EQ(instruction.chain, no_index);
  EXPECT_EQ(instruction.ptx_line, 0u);
}

TEST(Disassembly, EverySectionStartsWithoutPlace) {
  const Disassembly code = parse(R"(	//## File "scale.cu", line 5
        /*0000*/                   NOP;
	.section	.text.helper,"ax",@progbits
helper:
        /*0000*/                   RET.ABS.NODEC R20 0x0 ;

//--------------------- SYMBOLS --------------------------

	.type		.nv.reservedSmem.offset0,@object
	.size		.nv.reservedSmem.offset0,0x4
)");
  ASSERT_EQ(code.functions.size(), 2u);
  EXPECT_EQ(code.functions[1].name, "helper");
  EXPECT_FALSE(code.functions[1].is_kernel);
  EXPECT_EQ(code.functions[1].instructions.at(0).chain, no_index);
}

TEST(Disassembly, SaysWhichLineItDoesNotUnderstand) {
  const std::string lines_of_head = "line 16 ";
  EXPECT_NE(complaint("what is this\n").find(lines_of_head), std::string::npos)
      << complaint("what is this\n");
  EXPECT_NE(complaint("what is this\n").find("what is this"), std::string::npos);
  EXPECT_NE(complaint("        .unheard 3\n").find("a known directive"), std::string::npos);
  EXPECT_NE(complaint("        /*0000*/  NOP\n").find("semicolon"), std::string::npos);
  EXPECT_NE(complaint("        /*zz*/  NOP ;\n").find("an address"), std::string::npos);
  EXPECT_NE(complaint("        /*0000*/  @P0 ;\n").find("an opcode"), std::string::npos);
  EXPECT_NE(complaint("        /*0000*/  @Q0 NOP ;\n").find("an opcode"), std::string::npos);
  EXPECT_NE(complaint("        /*0000*/  MOV R1,, R2 ;\n").find("operands"), std::string::npos);
  EXPECT_NE(complaint("        /*0000*/  MOV R1, [R2 ;\n").find("operands"), std::string::npos);
  EXPECT_NE(complaint("        /*0000*/  MOV R1, ;\n").find("operands"), std::string::npos);
  EXPECT_NE(complaint("        /*0010*/  NOP ;\n        /*0010*/  NOP ;\n").find("previous instruction"),
            std::string::npos);
  EXPECT_NE(complaint("	//## File \"scale.cu\"\n").find("a file and a line"), std::string::npos);
  EXPECT_NE(complaint("	//## File \"scale.cu\", line 5 or so\n").find("the end of a place"),
            std::string::npos);
  EXPECT_NE(complaint("        /*0000*/  STL [R1], R0 (*\"Spill ;\n").find("a remark"), std::string::npos);
  EXPECT_THROW(parse_disassembly("        /*0000*/  NOP ;\n"), DisassemblyError) << "outside of a section";
  EXPECT_TRUE(parse_disassembly("").functions.empty());
}

}  // namespace
}  // namespace tilescope::sass
