// From a .loc back to the lines of the CUDA source.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::ptx {
namespace {

constexpr const char* text = R"(.version 8.7
.target sm_89
.address_size 64
.entry k() {
  .reg .b32 %r<9>;
  mov.b32 %r0, 0;
  .loc 1 10 3
  mov.b32 %r1, 1;
  .loc 1 20 5, function_name $load, inlined_at 1 10 3
  mov.b32 %r2, 2;
  .loc 2 30 7, function_name $index, inlined_at 1 20 5
  mov.b32 %r3, 3;
  .loc 1 11 3
  .loc 1 20 5, function_name $load, inlined_at 1 11 3
  .loc 2 30 7, function_name $index, inlined_at 1 20 5
  mov.b32 %r4, 4;
  .loc 2 40 1, function_name $plain+6, inlined_at 1 99 9
  mov.b32 %r5, 5;
  .loc 2 0 1, function_name $index, inlined_at 1 10 3
  mov.b32 %r6, 6;
  .loc 1 10 3
  mov.b32 %r7, 7;
  .loc 2 50 1, function_name $nowhere, inlined_at 1 10 3
  mov.b32 %r8, 8;
}
.file 1 "/somewhere/kernel.cu"
.file 2 "C:\folder\tile.cuh", 123, 456
.section .debug_abbrev { .b8 1, 2 $x: .b64 .debug_str }
.section .debug_str {
$load: .b8 95,90,52,108,111,97,100,105,0
$index:
.b8 95,90,78,52,84,105,108,101
.b8 73,76,105,56,69,69,53,105,110,100,101,120,69,105,0
$plain: .b8 110,97,109,101,100,32,112,108,97,105,110,0
}
)";

Program program_of(const Module& module) {
  Program program;
  program.files = module.files;
  program.locations = module.locations;
  for (const InstructionSyntax& syntax : module.functions.at(0).body) {
    program.origins.push_back({.ptx_line = syntax.position.line, .location = syntax.location, .text = ""});
    Instruction instruction;
    instruction.origin = static_cast<std::uint32_t>(program.origins.size() - 1);
    program.code.push_back(instruction);
  }
  return program;
}

std::string chain(const Program& program, std::size_t instruction) {
  std::string all;
  for (const SourceLine& line : source_lines(program, program.origins.at(instruction).location)) {
    all += (all.empty() ? "" : " < ") + line.file + ":" + std::to_string(line.line) + ":" +
           std::to_string(line.column) + (line.function.empty() ? "" : " " + line.function);
  }
  return all;
}

TEST(Lines, FollowTheCallsThatWereInlined) {
  const Program program = program_of(parse(text));
  EXPECT_EQ(chain(program, 0), "");
  EXPECT_EQ(chain(program, 1), "kernel.cu:10:3");
  EXPECT_EQ(chain(program, 2), "kernel.cu:20:5 load < kernel.cu:10:3");
  EXPECT_EQ(chain(program, 3), "tile.cuh:30:7 Tile::index < kernel.cu:20:5 load < kernel.cu:10:3");
}

TEST(Lines, TakeTheLatestCallOfTheSamePlace) {
  const Program program = program_of(parse(text));
  EXPECT_EQ(chain(program, 4), "tile.cuh:30:7 Tile::index < kernel.cu:20:5 load < kernel.cu:11:3");
}

TEST(Lines, KnowACallThatNoLocTold) {
  EXPECT_EQ(chain(program_of(parse(text)), 5), "tile.cuh:40:1 plain < kernel.cu:99:9");
}

TEST(Lines, LeaveOutLineZero) {
  EXPECT_EQ(chain(program_of(parse(text)), 6), "kernel.cu:10:3");
}

TEST(Lines, HaveNoFunctionWhereItsNameIsMissing) {
  EXPECT_EQ(chain(program_of(parse(text)), 8), "tile.cuh:50:1 < kernel.cu:10:3");
}

TEST(Lines, OfOnePlaceAreOneLocation) {
  const Module module = parse(text);
  EXPECT_EQ(module.functions[0].body[1].location, module.functions[0].body[7].location);
}

TEST(Lines, OfTheKernelsFileAreChosen) {
  const Program program = program_of(parse(text));
  const auto line_in = [&](std::size_t instruction, std::string_view file) {
    return kernel_line(program, program.origins[instruction].location, file).line;
  };
  EXPECT_EQ(line_in(3, "kernel.cu"), 20u);
  EXPECT_EQ(line_in(3, "tile.cuh"), 30u);
  EXPECT_EQ(line_in(3, "other.cu"), 10u) << "the outermost";
  EXPECT_EQ(line_in(0, "kernel.cu"), 0u);
}

TEST(Lines, AreDescribed) {
  const Program program = program_of(parse(text));
  EXPECT_EQ(describe_place(program, program.code[0]), "PTX line 6");
  EXPECT_EQ(describe_place(program, program.code[1]), "kernel.cu:10");
  EXPECT_EQ(describe_place(program, program.code[3]), "kernel.cu:20");
}

TEST(Lines, ChainsThatGrowWithoutEndAreCut) {
  std::string body;
  for (int i = 0; i < 1000; ++i) body += ".loc 1 1 1, function_name $f, inlined_at 1 1 1\n";
  const Module module = parse(".version 8.7\n.target sm_89\n.entry k() {\n.loc 1 1 1\n" + body + "ret;\n}\n");
  std::size_t longest = 0;
  for (const Location& location : module.locations) {
    std::size_t calls = 0;
    std::uint32_t outermost = no_index;
    for (std::uint32_t i = location.inlined_at; i != no_index; i = module.locations[i].inlined_at) {
      outermost = i;
      ++calls;
    }
    longest = std::max(longest, calls);
    if (outermost != no_index) {
      EXPECT_EQ(outermost, 0u) << "the end of the chain stays";
    }
  }
  EXPECT_EQ(longest, 63u);
}

}  // namespace
}  // namespace tilescope::ptx
