#include "profiler/execution/memory/memory_counter.hpp"

#include <gtest/gtest.h>

#include "profiler/execution/memory/tests/ptx_kernel.hpp"

namespace tilescope {
namespace {

using Degrees = std::map<std::int64_t, std::int64_t>;

MemoryCounts count(const simt::Program& program, KernelRun run = {}) {
  return trace_kernel(program, run).memory;
}

const MemorySite& site(const MemoryCounts& counts, const std::string& operation, std::int64_t line) {
  static const MemorySite none;
  for (const MemorySite& candidate : counts.sites) {
    if (candidate.operation == operation && candidate.line == line) return candidate;
  }
  ADD_FAILURE() << "no site " << operation << " at line " << line;
  return none;
}

// A column of 32 words, read by a warp, in rows of `row_bytes`, XORed with `swizzle` bits of the row.
std::string column_read(const std::string& row_bytes, const std::string& swizzle) {
  return R"(
  at(10)
  and.b32 %r4, %r1, 31;
  mul.lo.u32 %r5, %r4, )" +
         row_bytes + R"(;
  and.b32 %r6, %r4, )" +
         swizzle + R"(;
  shl.b32 %r6, %r6, 2;
  xor.b32 %r5, %r5, %r6;
  add.s32 %r5, %r5, %r2;
  at(11)
  ld.shared.u32 %r7, [%r5];
)";
}

TEST(MemoryCounter, RowMajorColumnConflicts32Ways) {
  const MemoryCounts counts = count(program_of(column_read("128", "0"), "tile[8192]"));
  const MemorySite& read = site(counts, "ld.shared", 11);
  EXPECT_EQ(read.executions, 2);
  EXPECT_EQ(read.lanes, 64);
  EXPECT_EQ(read.wavefronts, 64);
  EXPECT_EQ(read.minimum, 2);
  EXPECT_EQ(read.conflicts, 62);
  EXPECT_EQ(read.worst_degree, 32);
  EXPECT_EQ(read.degrees, (Degrees{{32, 2}}));
  EXPECT_EQ(read.width_bytes, 4);
  EXPECT_EQ(read.tile, "tile");
  EXPECT_EQ(read.file, "kernel.cu");
  EXPECT_EQ(read.inlined, std::vector<std::string>{});
  EXPECT_NE(read.instruction.find("ld.shared.u32"), std::string::npos);
  EXPECT_GT(read.ptx_line, 0);
  EXPECT_EQ(counts.shared_conflicts, 62);
}

TEST(MemoryCounter, PaddingAndSwizzlingTakeTheConflictsAway) {
  EXPECT_EQ(count(program_of(column_read("132", "0"), "tile[8192]")).shared_conflicts, 0);
  EXPECT_EQ(count(program_of(column_read("128", "31"), "tile[8192]")).shared_conflicts, 0);
}

TEST(MemoryCounter, TotalsAreThoseOfTheSites) {
  KernelRun run;
  run.threads = 96;
  run.blocks = 5;
  const MemoryCounts counts = count(program_of(R"(
  at(20)
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  at(21)
  ld.shared.u32 %r4, [%r3];
  at(22)
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
)"),
                                    run);
  EXPECT_EQ(counts.kind, CountKind::counted);
  EXPECT_EQ(counts.counted_from, CountedFrom::ptx);
  EXPECT_EQ(counts.blocks_run, 5);
  EXPECT_EQ(counts.blocks_total, 5);
  EXPECT_EQ(counts.shared_instructions, 30);
  EXPECT_EQ(counts.shared_wavefronts, 30);
  EXPECT_EQ(counts.shared_wavefronts_minimum, 30);
  EXPECT_EQ(counts.shared_conflicts, 0);
  EXPECT_EQ(counts.global_requests, 15);
  EXPECT_EQ(counts.global_sectors, 60);
  EXPECT_EQ(counts.global_sectors_minimum, 60);
  EXPECT_EQ(counts.barriers, 15);
  EXPECT_EQ(counts.bytes.at("shared_write"), 5 * 96 * 4);
  EXPECT_EQ(counts.bytes.at("shared_read"), 5 * 96 * 4);
  EXPECT_EQ(counts.bytes.at("global_write"), 5 * 96 * 4);
  std::int64_t by_pipe = 0;
  for (const auto& [pipe, instructions] : counts.instructions) by_pipe += instructions;
  EXPECT_EQ(by_pipe, counts.warp_instructions);
  EXPECT_EQ(counts.instructions.at("lsu") % 15, 0);
  const MemorySite& store = site(counts, "st.global", 22);
  EXPECT_EQ(store.tile, "out");
  EXPECT_EQ(store.worst_degree, 0);
  EXPECT_EQ(store.degrees, Degrees{});
}

TEST(MemoryCounter, InstructionsOfOneLineAreOneSite) {
  const MemoryCounts counts = count(program_of(R"(
  at(30)
  st.shared.u32 [%r3], %r1;
  st.shared.u32 [%r3+1024], %r1;
  st.shared.v2.u32 [%r3+2048], {%r1, %r1};
)"),
                                    {.threads = 1});
  ASSERT_EQ(counts.sites.size(), 2u) << "one of each width";
  EXPECT_EQ(counts.sites[0].width_bytes + counts.sites[1].width_bytes, 12);
  for (const MemorySite& store : counts.sites) EXPECT_EQ(store.executions, store.width_bytes == 4 ? 2 : 1);
}

// As in PTX that was compiled without -lineinfo.
TEST(MemoryCounter, WithoutALineEachInstructionIsASite) {
  const MemoryCounts counts = count(program_of(R"(
  at(0)
  ld.shared.u32 %r4, [%r3];
  shl.b32 %r5, %r1, 7;
  and.b32 %r5, %r5, 4095;
  add.s32 %r5, %r5, %r2;
  ld.shared.u32 %r6, [%r5];
)"));
  ASSERT_EQ(counts.sites.size(), 2u);
  EXPECT_EQ(counts.sites[0].conflicts, 62);
  EXPECT_EQ(counts.sites[0].executions, 2);
  EXPECT_EQ(counts.sites[1].conflicts, 0);
  EXPECT_EQ(counts.sites[1].ptx_line + 4, counts.sites[0].ptx_line);
}

TEST(MemoryCounter, TilesNameTheMemoryAndSplitASite) {
  KernelRun run;
  run.threads = 32;
  run.options.tiles = {{"K", 0, 256}, {"V", 256, 256}, {"shadowed by V", 128, 1024}};
  const MemoryCounts counts = count(program_of(R"(
  mov.u32 %r10, 0;
$loop:
  add.s32 %r11, %r3, %r10;
  at(40)
  st.shared.u32 [%r11], %r1;
  add.s32 %r10, %r10, 128;
  setp.lt.u32 %p1, %r10, 1536;
  @%p1 bra $loop;
)"),
                                    run);
  std::map<std::string, std::int64_t> executions;
  for (const MemorySite& store : counts.sites) executions[store.tile] = store.executions;
  EXPECT_EQ(executions,
            (std::map<std::string, std::int64_t>{{"K", 2}, {"V", 2}, {"shadowed by V", 5}, {"", 3}}));
}

TEST(MemoryCounter, PatternsThatChangeAreCountedEach) {
  // Strides 1 to 16 in words, then again: 16 patterns of one instruction, more than the cache holds.
  const MemoryCounts counts = count(program_of(R"(
  mov.u32 %r10, 0;
$loop:
  and.b32 %r11, %r10, 15;
  add.s32 %r11, %r11, 1;
  mul.lo.u32 %r12, %r1, %r11;
  shl.b32 %r12, %r12, 2;
  add.s32 %r12, %r12, %r2;
  at(50)
  st.shared.u32 [%r12], %r1;
  add.s32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, 32;
  @%p1 bra $loop;
)"),
                                    {.threads = 32});
  const MemorySite& store = site(counts, "st.shared", 50);
  // gcd(stride, 32): eight odd strides, then 2, 4, 8 and 16.
  EXPECT_EQ(store.degrees, (Degrees{{1, 16}, {2, 8}, {4, 4}, {8, 2}, {16, 2}}));
  EXPECT_EQ(store.wavefronts, 16 + 2 * 8 + 4 * 4 + 8 * 2 + 16 * 2);
  EXPECT_EQ(store.worst_degree, 16);
}

TEST(MemoryCounter, LanesThatAreSwitchedOffAreNotCounted) {
  const MemoryCounts counts = count(program_of(R"(
  setp.lt.u32 %p1, %r1, 5;
  at(60)
  @%p1 st.shared.u32 [%r3], %r1;
)"));
  EXPECT_EQ(site(counts, "st.shared", 60).lanes, 5);
  EXPECT_EQ(site(counts, "st.shared", 60).executions, 1) << "the second warp has no lane there";
}

TEST(MemoryCounter, BothSidesOfAnAsyncCopyAreSites) {
  const MemoryCounts counts = count(program_of(R"(
  mul.wide.u32 %rd2, %r1, 32;
  add.s64 %rd3, %rd1, %rd2;
  shl.b32 %r4, %r1, 4;
  add.s32 %r4, %r4, %r2;
  at(70)
  cp.async.cg.shared.global [%r4], [%rd3], 16;
  cp.async.wait_all;
)"),
                                    {.threads = 32});
  EXPECT_EQ(counts.sites.size(), 2u);
  // Half a sector per lane; neighbours go from different sectors to one, so that none moves with another. See
  // past_l1_cost.
  EXPECT_EQ(site(counts, "cp.async", 70).wavefronts, 32);
  EXPECT_EQ(site(counts, "cp.async", 70).minimum, 8) << "lines";
  EXPECT_EQ(site(counts, "cp.async.global", 70).wavefronts, 32) << "a sector a lane";
  EXPECT_EQ(site(counts, "cp.async.global", 70).minimum, 16);
  EXPECT_EQ(counts.bytes.at("shared_write"), 512);
  EXPECT_EQ(counts.bytes.at("global_read"), 512);
}

// Block b stores b + 1 times.
const char* const blocks_differ = R"(
  mov.u32 %r20, %ctaid.x;
$loop:
  at(80)
  st.shared.u32 [%r3], %r1;
  sub.s32 %r20, %r20, 1;
  setp.ge.s32 %p1, %r20, 0;
  @%p1 bra $loop;
)";

TEST(MemoryCounter, SampledBlocksAreScaledByTheirWeights) {
  const simt::Program program = program_of(blocks_differ);
  KernelRun run;
  run.threads = 32;
  run.blocks = 100;
  run.options.blocks = {{3, 10}, {50, 12.5}, {99, 0.3}};
  const MemoryCounts counts = count(program, run);
  EXPECT_EQ(counts.blocks_run, 3);
  EXPECT_EQ(counts.blocks_total, 100);
  EXPECT_EQ(site(counts, "st.shared", 80).executions, 708) << "4 * 10 + 51 * 12.5 + 100 * 0.3 = 707.5";
  EXPECT_EQ(counts.shared_instructions, 708);
  EXPECT_EQ(counts.bytes.at("shared_write"), 707.5 * 128);
}

TEST(MemoryCounter, NothingDependsOnTheNumberOfHostThreads) {
  const simt::Program program = program_of(blocks_differ);
  KernelRun run;
  run.threads = 64;
  run.blocks = 60;
  run.options.blocks = {{0, 1.1}, {7, 2.3}, {8, 2.3}, {20, 3.7}, {40, 1.1}, {59, 0.7}};
  run.options.host_threads = 1;
  const MemoryCounts one = count(program, run);
  for (int threads = 2; threads < 6; ++threads) {
    run.options.host_threads = threads;
    EXPECT_EQ(count(program, run), one);
  }
}

TEST(MemoryCounter, WithoutCountingThereIsNothing) {
  KernelRun run;
  run.options.count = false;
  const Traced traced = trace_kernel(program_of(column_read("128", "0"), "tile[8192]"), run);
  EXPECT_EQ(traced.memory, MemoryCounts{});
  EXPECT_GT(traced.run.warp_instructions, 0u);
}

}  // namespace
}  // namespace tilescope
