// Control flow, synchronisation and launching.
#include "profiler/execution/simt/interpreter.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"

namespace tilescope::ptx {
namespace {

// A kernel `test` whose one argument is the address of `out`, with the thread's index in %t and the address of its own
// 32-bit word in %o.
Program kernel(const std::string& body, const std::string& module_scope = "") {
  const std::string text = ".version 8.0\n.target sm_89\n.address_size 64\n" + module_scope +
                           ".visible .entry test(.param .u64 out)\n{\n"
                           ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b32 %t; .reg .b32 %n; .reg .b32 %c;\n"
                           ".reg .b64 %o; .reg .b64 %d; .reg .b64 %rd<9>;\n"
                           "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\n"
                           "mov.u32 %n, %ntid.x;\nmad.lo.u32 %n, %c, %n, %t;\nmul.wide.u32 %d, %n, 4;\n"
                           "add.u64 %o, %o, %d;\n" +
                           body + "\nret;\n}\n";
  return build_program(parse(text), "test");
}

struct Ran {
  RunResult result;
  std::vector<std::uint32_t> out;
};

Ran run_kernel(const Program& program, std::uint32_t blocks, std::uint32_t threads, RunOptions options = {}) {
  GlobalMemory memory;
  Launch launch;
  launch.grid.x = blocks;
  launch.block.x = threads;
  const std::uint64_t address = memory.allocate("out", std::uint64_t{4} * blocks * threads);
  launch.parameters.resize(sizeof address);
  std::memcpy(launch.parameters.data(), &address, sizeof address);
  Ran ran{run(program, launch, memory, options), {}};
  const Allocation* out = memory.find(address, 4);
  ran.out.resize(std::size_t{blocks} * threads);
  std::memcpy(ran.out.data(), out->data, out->bytes);
  return ran;
}

TEST(Interpreter, RunsEachArmOfABranchWithItsLanes) {
  const Program program = kernel(R"(
    and.b32 %r1, %t, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra EVEN;
    mov.u32 %r2, 100;
    bra JOIN;
  EVEN:
    mov.u32 %r2, 200;
  JOIN:
    add.u32 %r2, %r2, %t;
    st.global.u32 [%o], %r2;)");
  const Ran ran = run_kernel(program, 1, 64);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(ran.out[t], (t % 2 == 0 ? 200 : 100) + t);
}

// The lanes reconverge after the branch: each warp executes the store once.
TEST(Interpreter, ReconvergesBehindABranchAndALoop) {
  const Program program = kernel(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  LOOP:
    setp.gt.u32 %p1, %r1, %t;
    @%p1 bra DONE;
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra COLD;
    add.u32 %r2, %r2, 1;
  BACK:
    add.u32 %r1, %r1, 1;
    bra LOOP;
  DONE:
    st.global.u32 [%o], %r2;
    ret;
  COLD:
    add.u32 %r2, %r2, 10;
    bra BACK;)");
  const Ran ran = run_kernel(program, 1, 32);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], (t / 2 + 1) * 10 + (t + 1) / 2);
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    for (std::uint32_t i = 1; i <= program.blocks[b].instructions; ++i) {
      const Instruction& instruction = program.code[program.blocks[b].first + i];
      if (program.origins[instruction.origin].text.starts_with("st.global")) {
        EXPECT_EQ(ran.result.block_executions[b], 1u);
        EXPECT_EQ(ran.result.block_lanes[b], 32u);
      }
    }
  }
}

TEST(Interpreter, EndsSomeLanesEarly) {
  const Program program = kernel(R"(
    setp.gt.u32 %p1, %t, 40;
    @%p1 ret;
    mov.u32 %r1, 7;
    bar.sync 0;
    st.global.u32 [%o], %r1;)");
  const Ran ran = run_kernel(program, 2, 70);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 140; ++t) EXPECT_EQ(ran.out[t], t % 70 > 40 ? 0u : 7u);
}

TEST(Interpreter, JumpsByATable) {
  const Program program = kernel(R"(
    and.b32 %r1, %t, 3;
    TABLE: .branchtargets A, B, C, A;
    brx.idx %r1, TABLE;
  A: mov.u32 %r2, 1; bra JOIN;
  B: mov.u32 %r2, 2; bra JOIN;
  C: mov.u32 %r2, 3;
  JOIN:
    st.global.u32 [%o], %r2;)");
  const Ran ran = run_kernel(program, 1, 32);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  const std::array<std::uint32_t, 4> expected = {1, 2, 3, 1};
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], expected[t % 4]);
}

constexpr const char* reverse_through_shared = R"(
    mov.u64 %rd1, words;
    mul.wide.u32 %rd2, %t, 4;
    add.u64 %rd2, %rd1, %rd2;
    st.shared.u32 [%rd2], %t;
    bar.sync 0;
    mov.u32 %r1, %ntid.x;
    sub.u32 %r1, %r1, %t;
    sub.u32 %r1, %r1, 1;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    ld.shared.u32 %r2, [%rd2];
    st.global.u32 [%o], %r2;)";

TEST(Interpreter, WaitsAtABlockBarrierForAllWarps) {
  const Program program = kernel(reverse_through_shared, ".shared .align 4 .b8 words[1024];\n");
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
    RunOptions options;
    options.schedule_seed = seed;
    const Ran ran = run_kernel(program, 3, 256, options);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    EXPECT_EQ(ran.result.barriers, 3u * 8u);
    for (std::uint32_t t = 0; t < 768; ++t) ASSERT_EQ(ran.out[t], 255 - t % 256) << "seed " << seed;
  }
}

TEST(Interpreter, FuzzesTheOrderOfWarpsSoThatARaceShows) {
  std::string racing = reverse_through_shared;
  racing.erase(racing.find("bar.sync 0;"), 11);
  const Program program = kernel(racing, ".shared .align 4 .b8 words[1024];\n");
  std::set<std::vector<std::uint32_t>> results;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    RunOptions options;
    options.schedule_seed = seed;
    results.insert(run_kernel(program, 1, 256, options).out);
    EXPECT_EQ(run_kernel(program, 1, 256, options).out, run_kernel(program, 1, 256, options).out);
  }
  EXPECT_GT(results.size(), 1u);
}

// Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2: neither waits for the other pair.
TEST(Interpreter, CountsTheThreadsOfNamedBarriers) {
  const Program program = kernel(R"(
    shr.u32 %r1, %t, 6;
    add.u32 %r1, %r1, 1;
    bar.sync %r1, 64;
    st.global.u32 [%o], %r1;)");
  const Ran ran = run_kernel(program, 1, 128);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(ran.out[t], t / 64 + 1);
}

TEST(Interpreter, ReducesAPredicateOverABlock) {
  const Program program = kernel(R"(
    setp.lt.u32 %p1, %t, 50;
    bar.red.popc.u32 %r1, 0, %p1;
    st.global.u32 [%o], %r1;)");
  const Ran ran = run_kernel(program, 1, 96);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  EXPECT_EQ(ran.out, std::vector<std::uint32_t>(96, 50));
}

// The predicate may be negated, in each kind of reduction; threads that do not take part are not counted.
TEST(Interpreter, ReducesANegatedPredicateOverABlock) {
  const Program program = kernel(R"(
    setp.lt.u32 %p1, %t, 50;
    bar.red.popc.u32 %r1, 0, !%p1;
    setp.lt.u32 %p2, %t, 96;
    bar.red.or.pred %p3, 0, !%p2;
    barrier.red.and.pred %p4, 1, 96, !%p1;
    barrier.cta.red.or.aligned.pred %p5, 2, 96, !%p1;
    setp.gt.u32 %p6, %t, 200;
    bar.red.and.pred %p7, 3, !%p6;
    @%p3 add.u32 %r1, %r1, 1000;
    @%p4 add.u32 %r1, %r1, 2000;
    @%p5 add.u32 %r1, %r1, 4000;
    @%p7 add.u32 %r1, %r1, 8000;
    st.global.u32 [%o], %r1;)");
  const Ran ran = run_kernel(program, 1, 96);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  EXPECT_EQ(ran.out, std::vector<std::uint32_t>(96, 46 + 4000 + 8000));
}

// Both arms have a bar.warp.sync of the whole warp: lanes wait for each other across the branch.
TEST(Interpreter, LetsTheArmsOfABranchMeetAtWarpBarriers) {
  const Program program = kernel(R"(
    setp.lt.u32 %p1, %t, 16;
    @%p1 bra LOW;
    mov.u32 %r2, 1;
    bar.warp.sync 0xffffffff;
    bra JOIN;
  LOW:
    mov.u32 %r2, 2;
    bar.warp.sync 0xffffffff;
  JOIN:
    st.global.u32 [%o], %r2;)");
  const Ran ran = run_kernel(program, 1, 32);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t < 16 ? 2u : 1u);
}

TEST(Interpreter, BringsTheLanesOfAShuffleTogether) {
  const Program program = kernel(R"(
    and.b32 %r1, %t, 1;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r3, %t;
    @%p1 bra SKIP;
    add.u32 %r3, %r3, 100;
  SKIP:
    shfl.sync.bfly.b32 %r2, %r3, 1, 31, 0xffffffff;
    st.global.u32 [%o], %r2;)");
  const Ran ran = run_kernel(program, 1, 32);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], (t ^ 1) + (t % 2 == 0 ? 100 : 0));
}

TEST(Interpreter, SaysWhereThreadsWaitForOthersThatDoNotCome) {
  const Program program = kernel(R"(
    setp.lt.u32 %p1, %t, 32;
    @%p1 bra OTHER;
    bar.sync 0;
    bra JOIN;
  OTHER:
    bar.sync 1;
  JOIN:
    st.global.u32 [%o], %t;)");
  const Ran ran = run_kernel(program, 1, 64);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::deadlock);
  EXPECT_NE(ran.result.fault->text.find("PTX line 18"), std::string::npos) << ran.result.fault->text;
  EXPECT_NE(ran.result.fault->text.find("PTX line 21"), std::string::npos) << ran.result.fault->text;
}

TEST(Interpreter, EndsAnEndlessLoopWithItsPlace) {
  const Program program = kernel("LOOP: add.u32 %r1, %r1, 1; bra LOOP;");
  RunOptions options;
  options.instructions_per_block = 10'000;
  const Ran ran = run_kernel(program, 1, 32, options);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::instruction_budget);
  EXPECT_NE(ran.result.fault->text.find("PTX line 15"), std::string::npos) << ran.result.fault->text;
}

// Lane 5 releases the others only after they have spun: they must not keep it from running.
TEST(Interpreter, GivesLanesThatOthersSpinForTheirTurn) {
  const Program program = kernel(R"(
    mov.u64 %rd1, flag;
    setp.eq.u32 %p1, %t, 5;
    @%p1 bra SET;
  SPIN:
    ld.volatile.shared.u32 %r1, [%rd1];
    setp.ne.u32 %p2, %r1, 42;
    @%p2 bra SPIN;
    bra JOIN;
  SET:
    mov.u32 %r1, 42;
    st.volatile.shared.u32 [%rd1], %r1;
  JOIN:
    st.global.u32 [%o], %r1;)",
                                 ".shared .align 4 .u32 flag;\n");
  RunOptions options;
  options.instructions_per_block = 10'000'000;
  const Ran ran = run_kernel(program, 1, 32, options);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  EXPECT_EQ(ran.out, std::vector<std::uint32_t>(32, 42));
}

TEST(Interpreter, GivesTheSameResultAndCountsOnAnyNumberOfCores) {
  const Program program = kernel(reverse_through_shared, ".shared .align 4 .b8 words[1024];\n");
  RunOptions one, four;
  one.host_threads = 1;
  four.host_threads = 4;
  const Ran a = run_kernel(program, 50, 256, one), b = run_kernel(program, 50, 256, four);
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(a.result.block_executions, b.result.block_executions);
  EXPECT_EQ(a.result.warp_instructions, b.result.warp_instructions);
  EXPECT_EQ(a.result.blocks_run, 50u);
}

TEST(Interpreter, RunsTheBlocksThatAreAskedFor) {
  const Program program = kernel("mov.u32 %r1, 9; st.global.u32 [%o], %r1;");
  RunOptions options;
  options.blocks = {{1, 3}};
  const Ran ran = run_kernel(program, 4, 32, options);
  EXPECT_EQ(ran.result.blocks_run, 2u);
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(ran.out[t], t / 32 % 2 == 1 ? 9u : 0u);
}

TEST(Interpreter, FillsModuleVariablesWithAddressesOfOthers) {
  const Program program = kernel(R"(
    mov.u64 %rd1, pointer;
    ld.global.u64 %rd2, [%rd1];
    ld.global.u32 %r1, [%rd2];
    st.global.u32 [%o], %r1;)",
                                 ".global .align 4 .u32 values[3] = {11, 22, 33};\n"
                                 ".global .align 8 .u64 pointer = values+4;\n");
  const Ran ran = run_kernel(program, 1, 1);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  EXPECT_EQ(ran.out[0], 22u);
}

TEST(Interpreter, NamesTheAccessThatLeavesItsMemory) {
  const Program program = kernel("st.global.u32 [%o+4], %t;");
  const Ran ran = run_kernel(program, 1, 32);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::out_of_bounds);
  EXPECT_EQ(ran.result.fault->thread, 31u);
  EXPECT_NE(ran.result.fault->text.find("'out'"), std::string::npos) << ran.result.fault->text;
}

TEST(Interpreter, StopsWhenItIsCancelled) {
  const Program program = kernel("LOOP: add.u32 %r1, %r1, 1; bra LOOP;");
  RunOptions options;
  int asked = 0;
  options.host_threads = 1;
  options.cancelled = [&] { return ++asked > 2; };
  EXPECT_TRUE(run_kernel(program, 4, 32, options).result.cancelled);
}

TEST(Interpreter, RefusesALaunchThatNoGpuTakes) {
  const Program program = kernel("st.global.u32 [%o], %t;");
  EXPECT_THROW(run_kernel(program, 1, 1025), std::invalid_argument);
  GlobalMemory memory;
  Launch launch;
  launch.parameters.resize(16);
  try {
    run(program, launch, memory, {});
    FAIL() << "16 B of arguments were taken for 8";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("16 B of arguments but takes 8 B"), std::string::npos)
        << error.what();
  }
}

TEST(Decode, SaysWhichInstructionIsNotExecutedHere) {
  try {
    kernel("wgmma.fence.sync.aligned;");
    FAIL() << "wgmma is not executed";
  } catch (const Unsupported& error) {
    EXPECT_EQ(error.position.line, 15u);
    EXPECT_NE(std::string(error.what()).find("wgmma.fence"), std::string::npos);
  }
}

TEST(Decode, OverlooksNoModifierAndNoOperand) {
  EXPECT_THROW(kernel("add.approx.u32 %r1, %t, %t;"), Unsupported);
  EXPECT_THROW(kernel("add.u32 %r1, %t, %t, %t;"), Unsupported);
  EXPECT_THROW(kernel("add.u32 %r1, %t;"), Unsupported);
  EXPECT_THROW(kernel("add.u64 %rd1, %rd2, %t;"), Unsupported);
}

}  // namespace
}  // namespace tilescope::ptx
