#include "profiler/execution/memory/work_counter.hpp"

#include <gtest/gtest.h>

#include "profiler/execution/memory/tests/ptx_kernel.hpp"

namespace tilescope {
namespace {

MemoryCounts count(const std::string& body, KernelRun run = {}) {
  return trace_kernel(program_of(body), run).memory;
}

ExecutedWork work_of(const std::string& body, const KernelRun& run = {}) {
  return count(body, run).work.value();
}

const BarrierSite& barrier(const ExecutedWork& work, std::int64_t line) {
  static const BarrierSite none;
  for (const BarrierSite& site : work.watched.value().barriers.value()) {
    if (site.place.line == line) return site;
  }
  ADD_FAILURE() << "no barrier at line " << line;
  return none;
}

// Thread t writes its word; at the end it reads the word of thread t ^ 32, in the other warp.
const std::string write_own = "at(10)\n st.shared.u32 [%r3], %r1;\n";
const std::string read_other =
    "at(20)\n xor.b32 %r4, %r1, 32;\n shl.b32 %r4, %r4, 2;\n add.s32 %r4, %r4, %r2;\n"
    "ld.shared.u32 %r5, [%r4];\n";
const std::string read_own = "at(21)\n ld.shared.u32 %r6, [%r3];\n";

std::string barrier_at(int line) {
  return "at(" + std::to_string(line) + ")\n bar.sync 0;\n";
}

TEST(NeededBarriers, OrderAWriteBeforeAReadOfAnotherWarp) {
  EXPECT_EQ(barrier(work_of(write_own + barrier_at(15) + read_other), 15).needed, 1);
  const ExecutedWork own = work_of(write_own + barrier_at(15) + read_own);
  EXPECT_EQ(barrier(own, 15).passes, 1);
  EXPECT_EQ(barrier(own, 15).needed, 0) << "a warp needs no barrier before what it wrote itself";
}

TEST(NeededBarriers, OrderAReadBeforeAWrite) {
  const ExecutedWork work = work_of(write_own + barrier_at(15) + read_other + barrier_at(25) +
                                    "at(30)\n st.shared.u32 [%r3], 7;\n");
  EXPECT_EQ(barrier(work, 15).needed, 1);
  EXPECT_EQ(barrier(work, 25).needed, 1);
}

TEST(NeededBarriers, OfTwoInARowTheLastOneIs) {
  const ExecutedWork work = work_of(write_own + barrier_at(15) + barrier_at(16) + read_other);
  EXPECT_EQ(barrier(work, 15).needed, 0);
  EXPECT_EQ(barrier(work, 16).needed, 1);
}

TEST(NeededBarriers, OrderGlobalMemoryToo) {
  const std::string body =
      "at(10)\n mul.wide.u32 %rd2, %r1, 32;\n add.s64 %rd3, %rd1, %rd2;\n st.global.u32 [%rd3], %r1;\n" +
      barrier_at(15) +
      "at(20)\n xor.b32 %r4, %r1, 32;\n mul.wide.u32 %rd4, %r4, 32;\n add.s64 %rd5, %rd1, %rd4;\n"
      "ld.global.u32 %r5, [%rd5];\n";
  EXPECT_EQ(barrier(work_of(body), 15).needed, 1);
}

TEST(NeededBarriers, OrderStoresBeforeAnAtomicThatOtherBlocksWaitFor) {
  const std::string store =
      "at(10)\n mul.wide.u32 %rd2, %r1, 32;\n add.s64 %rd3, %rd1, %rd2;\n st.global.u32 [%rd3], %r1;\n";
  const std::string counter = "at(20)\n atom.global.add.u32 %r5, [%rd1+60000], 1;\n";
  EXPECT_EQ(barrier(work_of(store + barrier_at(15) + counter), 15).needed, 1);
  const std::string plain = "at(20)\n ld.global.u32 %r5, [%rd1+60000];\n";
  EXPECT_EQ(barrier(work_of(store + barrier_at(15) + plain), 15).needed, 0);
}

// Thread t reads the word of thread t ^ 1, in its own warp.
const std::string read_neighbour =
    "at(20)\n xor.b32 %r4, %r1, 1;\n shl.b32 %r4, %r4, 2;\n add.s32 %r4, %r4, %r2;\n"
    "ld.shared.u32 %r5, [%r4];\n";

TEST(NeededBarriers, OfWhichSomeOrderOnlyTheLanesOfAWarp) {
  const BarrierSite lanes = barrier(work_of(write_own + barrier_at(15) + read_neighbour), 15);
  EXPECT_EQ(lanes.needed, 0);
  EXPECT_EQ(lanes.orders_lanes, 1);
  const BarrierSite own = barrier(work_of(write_own + barrier_at(15) + read_own), 15);
  EXPECT_EQ(own.orders_lanes, 0) << "a thread needs nothing before what it wrote itself";
  const std::string warp_barrier = "bar.warp.sync 0xffffffff;\n";
  const BarrierSite both = barrier(work_of(write_own + warp_barrier + barrier_at(15) + read_neighbour), 15);
  EXPECT_EQ(both.orders_lanes, 0) << "bar.warp.sync orders them already";
  const ExecutedWork two = work_of(write_own + barrier_at(15) + barrier_at(16) + read_neighbour);
  EXPECT_EQ(barrier(two, 15).orders_lanes, 0);
  EXPECT_EQ(barrier(two, 16).orders_lanes, 1) << "of two the last one";
}

TEST(NeededBarriers, ThatVoteAreAllNeeded) {
  const ExecutedWork work =
      work_of("at(15)\n setp.lt.u32 %p1, %r1, 7;\n bar.red.popc.u32 %r5, 0, %p1;\n" + read_own);
  EXPECT_EQ(barrier(work, 15).needed, 1);
}

TEST(NeededBarriers, AreAllThoseOfABlockThatHasNothingToDo) {
  // Only block 0 has data; of two blocks the second is watched.
  const std::string guard = "mov.u32 %r7, %ctaid.x;\n setp.ne.u32 %p3, %r7, 0;\n";
  const auto at = [](int line, const std::string& text) {
    return "at(" + std::to_string(line) + ")\n @!%p3 " + text + "\n";
  };
  KernelRun two;
  two.blocks = 2;
  const std::string body = guard + at(10, "st.shared.u32 [%r3], %r1;") + barrier_at(15) +
                           at(20, "ld.shared.u32 %r6, [%r3];") + barrier_at(25);
  const ExecutedWork idle = work_of(body, two);
  EXPECT_EQ(barrier(idle, 15).needed, 1);
  EXPECT_EQ(barrier(idle, 25).needed, 1);
  const ExecutedWork busy = work_of(body);
  EXPECT_EQ(barrier(busy, 15).needed, 0);
}

TEST(SerialisedInstructions, AreThoseOfBranchesOnLanes) {
  const std::string sides =
      "and.b32 %r4, %r1, 1;\n setp.eq.u32 %p1, %r4, 0;\n @%p1 bra EVEN;\n"
      "at(30)\n add.s32 %r5, %r1, 1;\n add.s32 %r5, %r5, 1;\n add.s32 %r5, %r5, 1;\n bra END;\n"
      "EVEN:\n at(40)\n add.s32 %r5, %r1, 2;\n add.s32 %r5, %r5, 2;\n bra END;\nEND:\n";
  const ExecutedWork divergent = work_of(sides);
  EXPECT_EQ(divergent.serialised_instructions, 2 * 3) << "of each warp the shorter side";
  ASSERT_FALSE(divergent.partial_lanes.empty());
  EXPECT_EQ(divergent.partial_lanes.front().place.line, 30);
  EXPECT_EQ(divergent.partial_lanes.front().lanes, 16 * divergent.partial_lanes.front().instructions);

  std::string by_warp = sides;
  by_warp.replace(by_warp.find("and.b32 %r4, %r1, 1"), 19, "and.b32 %r4, %r1, 32");
  EXPECT_EQ(work_of(by_warp).serialised_instructions, 0) << "whole warps go either way";
}

TEST(SerialisedInstructions, AreNotThoseOfOneLaneAlone) {
  const MemoryCounts counts = count(
      "setp.ne.u32 %p1, %r1, 0;\n @%p1 bra END;\n at(30)\n add.s32 %r5, %r1, 1;\n add.s32 %r5, %r5, 1;\n"
      "END:\n");
  EXPECT_EQ(counts.work->serialised_instructions, 0);
  EXPECT_LT(counts.work->lane_instructions, 32 * counts.warp_instructions);
}

TEST(SerialisedInstructions, AreNotThoseThatOtherLanesSkipInTurn) {
  const std::string in_turn =
      "mov.u32 %r5, 0;\nLOOP:\n add.s32 %r6, %r5, %r1;\n and.b32 %r6, %r6, 1;\n setp.eq.u32 %p1, %r6, 0;\n"
      " @%p1 bra SKIP;\n at(30)\n add.s32 %r7, %r7, 1;\n add.s32 %r7, %r7, 1;\nSKIP:\n add.s32 %r5, %r5, 1;\n"
      " setp.lt.u32 %p2, %r5, 8;\n @%p2 bra LOOP;\n";
  EXPECT_EQ(work_of(in_turn).serialised_instructions, 0) << "odd lanes, then even ones, and so on";
}

TEST(PacedInstructions, FollowTheBusiestWarpBetweenBarriers) {
  const std::string alone =
      "setp.ge.u32 %p1, %r1, 32;\n @%p1 bra WAIT;\n mov.u32 %r5, 0;\n"
      "LOOP:\n add.s32 %r5, %r5, 1;\n setp.lt.u32 %p2, %r5, 500;\n @%p2 bra LOOP;\nWAIT:\n";
  const MemoryCounts counts = count(alone + barrier_at(15));
  const double busy =
      static_cast<double>(counts.warp_instructions) / static_cast<double>(counts.work->paced_instructions);
  EXPECT_NEAR(busy, 0.5, 0.02) << "one warp of two works";
  EXPECT_GT(barrier(*counts.work, 15).idle_instructions, 1000);
  const MemoryCounts even = count(write_own + barrier_at(15) + read_other);
  EXPECT_EQ(even.work->paced_instructions, even.warp_instructions);
}

TEST(RepeatedReads, AreSectorsThatTheBlockHadRead) {
  const ExecutedWork work = work_of(
      "mul.wide.u32 %rd2, %r1, 4;\n add.s64 %rd3, %rd1, %rd2;\n"
      "at(30)\n ld.global.u32 %r5, [%rd3];\n at(31)\n ld.global.u32 %r6, [%rd3];\n"
      "at(32)\n ld.global.u32 %r7, [%rd3+4096];\n");
  EXPECT_EQ(work.watched->sectors_read, 24);
  EXPECT_EQ(work.watched->different_sectors, 16);
  ASSERT_EQ(work.watched->repeated.size(), 1U);
  EXPECT_EQ(work.watched->repeated[0].place.line, 31);
  EXPECT_EQ(work.watched->repeated[0].again, 8);
}

TEST(WorkOfAGrid, DoesNotDependOnHostThreads) {
  KernelRun one, many;
  one.blocks = many.blocks = 9;
  one.options.host_threads = 1;
  many.options.host_threads = 4;
  const std::string body = write_own + barrier_at(15) + read_other;
  EXPECT_EQ(work_of(body, one), work_of(body, many));
}

}  // namespace
}  // namespace tilescope
