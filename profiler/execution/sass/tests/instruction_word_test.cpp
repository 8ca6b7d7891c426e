#include "profiler/execution/sass/instruction_word.hpp"

#include <bit>

#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/execution/sass/tests/cubin_fixture.hpp"

namespace tilescope::sass {
namespace {

TEST(InstructionWord, FieldsAreTakenApart) {
  // LDG.E R2, desc[UR6][R2.64] of sm_90: sets scoreboard 2, waits for scoreboard 0.
  const InstructionWord load{0x0000000602027981, 0x001ea2000c1e1900};
  EXPECT_EQ(scheduling(load), (Scheduling{1, false, 2, no_scoreboard, 0b000001, 0}));
  // NOP behind the last instruction
  const InstructionWord nop{0x0000000000007918, 0x000fc00000000000};
  EXPECT_EQ(scheduling(nop), (Scheduling{0, true, no_scoreboard, no_scoreboard, 0, 0}));
  const InstructionWord all{0, ~std::uint64_t{0}};
  EXPECT_EQ(scheduling(all), (Scheduling{15, false, 7, 7, 0x3f, 0xf}));
  EXPECT_EQ(immediate({0x0000040000047882, 0}), 0x400u);
}

const std::string multiply_source = R"(
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][17], tile_b[16][17];
  float sums[4] = {};
  for (int k = 0; k < n; k += 16) {
    tile_a[threadIdx.y][threadIdx.x] = a[threadIdx.y * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 4; ++j)
        sums[j] += tile_a[(threadIdx.y + 4 * j) & 15][i] * tile_b[i][threadIdx.x] + __expf(sums[j]);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[(threadIdx.y + 4 * j) * n + threadIdx.x] = sums[j] / n;
}
)";

std::size_t reuses(const Instruction& instruction) {
  std::size_t count = 0;
  for (const std::string& operand : instruction.operands)
    for (std::size_t at = 0; (at = operand.find(".reuse", at)) != std::string::npos; ++at) ++count;
  return count;
}

class SchedulingTest : public CubinTest {
 protected:
  /// Calls `check` for each instruction, as text and as word.
  template <class Check>
  static void for_each_instruction(const Check& check) {
    const Disassembler disassembler = Disassembler::find({{}, find_installation().dependencies, {}});
    for (const std::string architecture : {"sm_80", "sm_89", "sm_90a"}) {
      SCOPED_TRACE(architecture);
      const std::vector<char> file = compile(multiply_source, architecture);
      const Disassembly text = disassembler.disassemble(file);
      const Cubin cubin = read_cubin(file);
      EXPECT_EQ(text.architecture, cubin.architecture);
      const std::vector<Instruction>& instructions = text.find("multiply")->instructions;
      const std::vector<InstructionWord>& words = cubin.function("multiply")->words;
      ASSERT_EQ(instructions.size(), words.size());
      for (std::size_t i = 0; i < words.size(); ++i) check(instructions[i], scheduling(words[i]));
    }
  }
};

TEST_F(SchedulingTest, ReuseIsWhatTheTextSays) {
  std::size_t all = 0;
  for_each_instruction([&](const Instruction& instruction, const Scheduling& fields) {
    EXPECT_EQ(static_cast<std::size_t>(std::popcount(fields.reuse_mask)), reuses(instruction))
        << text_of(instruction);
    all += reuses(instruction);
  });
  EXPECT_GT(all, 20u);
}

TEST_F(SchedulingTest, ScoreboardsBelongToInstructionsOfVariableLatency) {
  std::size_t loads = 0;
  for_each_instruction([&](const Instruction& instruction, const Scheduling& fields) {
    const std::string opcode = instruction.opcode.substr(0, instruction.opcode.find('.'));
    EXPECT_NE(fields.write_scoreboard, 6) << text_of(instruction);
    EXPECT_NE(fields.read_scoreboard, 6) << text_of(instruction);
    for (const std::string fixed : {"FADD", "FFMA", "FMUL", "IADD3", "ISETP", "LOP3", "NOP", "EXIT"})
      if (opcode == fixed) {
        EXPECT_EQ(fields.write_scoreboard, no_scoreboard) << text_of(instruction);
      }
    if (opcode != "LDG") return;
    ++loads;
    EXPECT_LT(fields.write_scoreboard, 6)
        << "the result of a load must be waited for: " << text_of(instruction);
  });
  EXPECT_GT(loads, 5u);
}

TEST_F(SchedulingTest, LongStallsYield) {
  for_each_instruction([](const Instruction& instruction, const Scheduling& fields) {
    if (fields.stall_cycles == 0 || fields.stall_cycles > 11) {
      EXPECT_TRUE(fields.yields) << text_of(instruction);
    }
  });
}

}  // namespace
}  // namespace tilescope::sass
