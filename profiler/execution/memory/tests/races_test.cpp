#include <gtest/gtest.h>

#include "profiler/execution/memory/tests/checker_fixture.hpp"

namespace tilescope::checked {
namespace {

TEST(Races, MissingBlockBarrier) {
  expect_one(check(exchange("32", "")), "race", {10, 12});
  EXPECT_EQ(text_of(check(exchange("32", "bar.sync 0;"))), "");
}

TEST(Races, TheFindingNamesThreadsAddressAndBlock) {
  const auto findings = check(exchange("32", ""), 64, 3);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].threads, (Lines{32, 0})) << "the write comes first, whichever is executed first";
  EXPECT_EQ(findings[0].addresses, (Lines{128}));
  EXPECT_EQ(findings[0].block, (Lines{0, 0, 0}));
  EXPECT_NE(findings[0].text.find("(tile + 128)"), std::string::npos) << findings[0].text;
  EXPECT_NE(findings[0].text.find("__syncthreads()"), std::string::npos) << findings[0].text;
}

TEST(Races, AWarpBarrierDoesNotOrderWarps) {
  expect_one(check(exchange("32", "bar.warp.sync 0xffffffff;")), "race", {10, 12});
}

TEST(Races, MissingWarpBarrier) {
  expect_one(check(exchange("1", "")), "race", {10, 12});
  expect_one(check(exchange("1", ""), 32), "race", {10, 12});
  EXPECT_EQ(text_of(check(exchange("1", "bar.warp.sync 0xffffffff;"))), "");
  EXPECT_EQ(text_of(check(exchange("1", "bar.warp.sync 0xffffffff;"), 32)), "");
}

TEST(Races, TheAdviceFitsTheThreads) {
  const auto advises = [](const std::vector<Finding>& findings, const std::string& advice) {
    return findings.at(0).text.find("put " + advice) != std::string::npos;
  };
  EXPECT_TRUE(advises(check(exchange("1", "")), "__syncwarp() between"));
  EXPECT_TRUE(advises(check(exchange("32", "")), "__syncthreads()"));
  // The first pair is of one warp, others are not.
  EXPECT_TRUE(advises(check(R"(
  at(10)
  st.shared.u32 [%r3], %r1;
  at(12)
  sub.s32 %r4, 63, %r1;
  setp.eq.u32 %p1, %r1, 1;
  selp.u32 %r4, 0, %r4, %p1;
  shl.b32 %r4, %r4, 2;
  add.s32 %r4, %r4, %r2;
  ld.shared.u32 %r5, [%r4];
)"),
                      "__syncthreads()"));
}

TEST(Races, AreNotLookedForBehindMbarriers) {
  KernelRun run;
  run.options.check = true;
  const Traced traced =
      trace_kernel(program_of(exchange("32", "") + "mbarrier.init.shared.b64 [%r2+4000], 64;"), run);
  EXPECT_NE(traced.unchecked.find("mbarriers"), std::string::npos);
  for (const Finding& finding : traced.findings) EXPECT_NE(finding.kind, "race");
  EXPECT_EQ(trace_kernel(program_of(exchange("32", "")), run).unchecked, "");
}

TEST(Races, AShuffleOrdersNothing) {
  expect_one(check(exchange("1", "shfl.sync.idx.b32 %r9, %r1, 0, 31, 0xffffffff;")), "race", {10, 12});
}

TEST(Races, TwoThreadsOnOneWord) {
  const auto body = [](const std::string& shift) {
    return R"(
  at(20)
  shr.u32 %r4, %r1, )" +
           shift + R"(;
  shl.b32 %r4, %r4, 2;
  add.s32 %r4, %r4, %r2;
  st.shared.u32 [%r4], %r1;
)";
  };
  expect_one(check(body("1")), "race", {20});
  EXPECT_EQ(text_of(check(body("0"))), "");
}

TEST(Races, OwnWordsNeedNoBarrier) {
  EXPECT_EQ(text_of(check(exchange("0", ""))), "");
  EXPECT_EQ(text_of(check(R"(
  st.shared.u32 [%r3], %r1;
  ld.shared.u32 %r4, [%r3];
  add.s32 %r4, %r4, 1;
  st.shared.u32 [%r3], %r4;
)")),
            "");
}

// `steps` times: write a buffer, a barrier, read the neighbour's word of it. `buffers` are used in turn.
std::string ping_pong(int buffers) {
  return R"(
  mov.u32 %r10, 0;
$loop:
  and.b32 %r11, %r10, )" +
         std::to_string(buffers - 1) + R"(;
  shl.b32 %r11, %r11, 10;
  add.s32 %r12, %r3, %r11;
  at(30)
  st.shared.u32 [%r12], %r1;
  bar.sync 0;
  at(31)
  xor.b32 %r13, %r12, 128;
  ld.shared.u32 %r14, [%r13];
  add.s32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, 8;
  @%p1 bra $loop;
)";
}

TEST(Races, OneBufferWithOneBarrierAStepIsOverwrittenTooEarly) {
  const auto findings = check(ping_pong(1));
  expect_one(findings, "race", {31, 30});
  EXPECT_NE(findings[0].text.find("in the next round of a loop"), std::string::npos) << findings[0].text;
}

TEST(Races, TwoBuffersInTurnNeedOneBarrierAStep) {
  EXPECT_EQ(text_of(check(ping_pong(2))), "");
}

// Warp 0 writes and arrives, warp 1 waits and reads.
std::string producer_and_consumer(const std::string& behind_arrival) {
  return R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra $consumer;
  at(40)
  st.shared.u32 [%r3], %r1;
  bar.arrive 1, 64;
  at(41)
  )" + behind_arrival +
         R"(
  bra.uni $end;
$consumer:
  bar.sync 1, 64;
  at(42)
  ld.shared.u32 %r5, [%r3+-128];
$end:
)";
}

TEST(Races, NamedBarrierBetweenProducerAndConsumer) {
  EXPECT_EQ(text_of(check(producer_and_consumer(""))), "");
  const auto findings = check(producer_and_consumer("st.shared.u32 [%r3], 7;"));
  expect_one(findings, "race", {41, 42});
}

// Warps 0 and 1 meet at barrier 1; `reader` is the warp that then reads what warp 0 wrote.
std::string partial_barrier(int reader) {
  return R"(
  setp.ge.u32 %p1, %r1, 32;
  at(50)
  @!%p1 st.shared.u32 [%r3], %r1;
  setp.ge.u32 %p2, %r1, 64;
  @%p2 bra $read;
  bar.sync 1, 64;
$read:
  shr.u32 %r4, %r1, 5;
  setp.ne.u32 %p3, %r4, )" +
         std::to_string(reader) + R"(;
  @%p3 bra $end;
  and.b32 %r5, %r1, 31;
  shl.b32 %r5, %r5, 2;
  add.s32 %r5, %r5, %r2;
  at(51)
  ld.shared.u32 %r6, [%r5];
$end:
)";
}

TEST(Races, PartialBarrierOrdersItsWarpsOnly) {
  EXPECT_EQ(text_of(check(partial_barrier(1), 96)), "");
  expect_one(check(partial_barrier(2), 96), "race", {50, 51});
}

std::string counter(const std::string& barrier) {
  return R"(
  setp.ne.u32 %p1, %r1, 0;
  at(60)
  @!%p1 st.shared.u32 [%r2], 0;
  bar.sync 0;
  at(61)
  red.shared.add.u32 [%r2], 1;
  )" + barrier +
         R"(
  at(62)
  ld.shared.u32 %r5, [%r2];
)";
}

TEST(Races, AtomicsDoNotRaceWithEachOtherButWithPlainReads) {
  EXPECT_EQ(text_of(check(counter("bar.sync 0;"))), "");
  expect_one(check(counter("")), "race", {61, 62});
}

TEST(Races, ThatOneBarrierEndsAreOneFinding) {
  const auto body = [](const std::string& barrier) {
    return R"(
  at(10)
  st.shared.u32 [%r3], %r1;
  at(11)
  st.shared.u32 [%r3+512], %r1;
  )" + barrier +
           R"(
  xor.b32 %r4, %r3, 128;
  at(12)
  ld.shared.u32 %r5, [%r4];
  at(13)
  ld.shared.u32 %r6, [%r4+512];
)";
  };
  const auto findings = check(body(""));
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].lines, (Lines{10, 12, 11, 13}));
  EXPECT_NE(findings[0].text.find("The same barrier orders 1 more pair of accesses: lines 11 and 13"),
            std::string::npos)
      << findings[0].text;
  EXPECT_EQ(text_of(check(body("bar.sync 0;"))), "");
}

}  // namespace
}  // namespace tilescope::checked
