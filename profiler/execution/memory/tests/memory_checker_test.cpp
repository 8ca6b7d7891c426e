#include "profiler/execution/memory/memory_checker.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/execution/memory/tests/ptx_kernel.hpp"

namespace tilescope {
namespace {

using Lines = std::vector<std::int64_t>;

std::vector<Finding> check(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 1) {
  KernelRun run;
  run.threads = threads;
  run.blocks = blocks;
  run.options.check = true;
  run.options.count = false;
  return trace_kernel(program_of(body), run).findings;
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.kind + ": " + finding.text + "\n";
  return text;
}

void expect_one(const std::vector<Finding>& findings, const std::string& kind, const Lines& lines) {
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].kind, kind) << text_of(findings);
  EXPECT_EQ(findings[0].lines, lines) << text_of(findings);
  EXPECT_GE(findings[0].occurrences, 1);
  EXPECT_FALSE(findings[0].text.empty());
}

// Each thread writes its word and reads the word of the thread `distance` further.
std::string exchange(const std::string& distance, const std::string& barrier) {
  return R"(
  at(10)
  st.shared.u32 [%r3], %r1;
  at(11)
  )" + barrier +
         R"(
  at(12)
  xor.b32 %r4, %r1, )" +
         distance + R"(;
  shl.b32 %r4, %r4, 2;
  add.s32 %r4, %r4, %r2;
  ld.shared.u32 %r5, [%r4];
)";
}

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

TEST(SameValueStores, OfOneInstructionAreNoRace) {
  expect_one(check("at(20)\n st.shared.u32 [%r2], 7;"), "same_value_store", {20});
  expect_one(check("at(20)\n st.shared.u32 [%r2], 7;", 32), "same_value_store", {20});
  expect_one(check("at(20)\n st.shared.u32 [%r2], %r1;"), "race", {20});
  // One lane of 64 stores another value: the last of its warp, then one in the middle of the other.
  for (const std::string other : {"31", "40"}) {
    expect_one(check("setp.eq.u32 %p1, %r1, " + other + R"(;
  selp.u32 %r4, 8, 7, %p1;
  at(20)
  st.shared.u32 [%r2], %r4;
)"),
               "race", {20});
  }
}

TEST(SameValueStores, TheSentenceSaysThatNothingIsLost) {
  const Finding found = check("at(20)\n st.shared.u32 [%r2+8], 7;").at(0);
  EXPECT_FALSE(is_fault(found));
  EXPECT_EQ(found.threads, (Lines{0, 1}));
  EXPECT_EQ(found.addresses, (Lines{8}));
  EXPECT_NE(found.text.find("(tile + 8)"), std::string::npos) << found.text;
  EXPECT_NE(found.text.find("the same value"), std::string::npos) << found.text;
  EXPECT_EQ(found.text.find("__syncthreads"), std::string::npos) << found.text;
}

// Warp 0 stores at line 20, then warp 1 at line 21; each with all its lanes.
std::string two_stores(const std::string& first, const std::string& second) {
  return "setp.lt.u32 %p1, %r1, 32;\n mov.b32 %r7, 7;\n mov.b32 %r8, 0x00070007;\n mov.b16 %rs1, 0x0107;\n "
         "at(20)\n @%p1 " +
         first + ";\n at(21)\n @!%p1 " + second + ";\n";
}

// A sum of squares as compilers of tile languages write it: butterflies, after which lanes hold the same sum and all of
// them store it. `first` adds to a lane's square the square of the lane 16 further, `further` are the steps after it;
// `sums` are left.
std::string butterflies(const std::string& first, const std::vector<std::string>& further, int sums) {
  std::string text = R"(
  cvt.rn.f32.u32 %f1, %r1;
  mul.f32 %f1, %f1, 0f3DCCCCCD;
  mul.f32 %f2, %f1, %f1;
  mov.b32 %r10, %f2;
  shfl.sync.bfly.b32 %r11, %r10, 16, 31, -1;
  mov.b32 %f4, %r11;
)" + first;
  for (const std::string& step : further) {
    text += "mov.b32 %r10, %f3;\n shfl.sync.bfly.b32 %r11, %r10, " + step +
            ", 31, -1;\n mov.b32 %f4, %r11;\n add.f32 %f3, %f3, %f4;\n";
  }
  return text + "shr.u32 %r12, %r1, 5;\n and.b32 %r13, %r1, " + std::to_string(sums - 1) + R"(;
  mad.lo.u32 %r12, %r12, 16, %r13;
  shl.b32 %r12, %r12, 2;
  add.s32 %r12, %r12, %r2;
  at(30)
  st.shared.f32 [%r12], %f3;
  bar.sync 0;
  ld.shared.f32 %f5, [%r2];
)";
}

TEST(SameValueStores, OfAReductionByButterfliesAreNoRace) {
  expect_one(check(butterflies("add.f32 %f3, %f2, %f4;\n", {"8", "4", "2", "1"}, 1)), "same_value_store",
             {30});
  expect_one(check(butterflies("add.f32 %f3, %f2, %f4;\n", {}, 16)), "same_value_store", {30});
  // A fused multiply-add does not round the lane's own square, but its partner's: some of the two lanes' sums differ in
  // the last bit, and the result is that of whichever comes last.
  expect_one(check(butterflies("fma.rn.f32 %f3, %f1, %f1, %f4;\n", {}, 16)), "race", {30});
}

TEST(SameValueStores, OfTwoLinesWidthsAndVectorsAreComparedByteByByte) {
  const auto kinds = [](const std::string& first, const std::string& second) {
    std::vector<std::string> found;
    for (const Finding& finding : check(two_stores(first, second))) {
      if (finding.lines == Lines{20, 21}) found.push_back(finding.kind);
    }
    return found;
  };
  const std::vector<std::string> same = {"same_value_store"}, race = {"race"}, nothing;
  EXPECT_EQ(kinds("st.shared.u32 [%r2], 7", "st.shared.u32 [%r2], 7"), same);
  EXPECT_EQ(kinds("st.shared.u32 [%r2], 7", "st.shared.u32 [%r2], 8"), race);
  EXPECT_EQ(kinds("st.shared.u32 [%r2], 7", "st.shared.u32 [%r2+4], 8"), nothing);
  // Overwrites a part of the other's value: the same in one place, not in another.
  EXPECT_EQ(kinds("st.shared.u32 [%r2], %r8", "st.shared.u16 [%r2+2], 7"), same);
  EXPECT_EQ(kinds("st.shared.u32 [%r2], %r7", "st.shared.u16 [%r2+2], 7"), race);
  EXPECT_EQ(kinds("st.shared.u32 [%r2], %r7", "st.shared.u8 [%r2], %rs1"), same)
      << "the low byte of a register";
  EXPECT_EQ(kinds("st.shared.u32 [%r2], %r7", "st.shared.u16 [%r2], %rs1"), race);
  EXPECT_EQ(kinds("st.shared.v2.u32 [%r2], {%r8, %r7}", "st.shared.u32 [%r2+4], 7"), same);
  EXPECT_EQ(kinds("st.shared.u32 [%r2+4], 7", "st.shared.v4.u32 [%r2], {%r8, %r7, %r8, %r8}"), same);
  EXPECT_EQ(kinds("st.shared.v2.u32 [%r2], {%r7, %r7}", "st.shared.v2.u32 [%r2], {%r7, %r8}"), race)
      << "one half is the same, the other is not: a race, once";
  EXPECT_EQ(kinds("st.shared.u64 [%r2], 7", "st.shared.v2.u32 [%r2], {%r7, 0}"), same);
}

TEST(SameValueStores, OfAtomicsAndCopiesStayRaces) {
  expect_one(check("setp.ne.u32 %p1, %r1, 0;\n at(19)\n @!%p1 st.shared.u32 [%r2], 7;\n bar.sync 0;" +
                   two_stores("red.shared.max.u32 [%r2], 7", "st.shared.u32 [%r3+64], 7") +
                   "setp.eq.u32 %p2, %r1, 33;\n at(22)\n @%p2 st.shared.u32 [%r2], 7;"),
             "race", {20, 22});
}

TEST(SameValueStores, AReadWithoutABarrierStaysARace) {
  const auto findings = check(R"(
  at(20)
  st.shared.u32 [%r2], 7;
  at(21)
  ld.shared.u32 %r5, [%r2];
)");
  EXPECT_TRUE(std::ranges::any_of(findings, [](const Finding& found) {
    return found.kind == "race" && found.lines == Lines{20, 21};
  })) << text_of(findings);
  EXPECT_EQ(text_of(check("setp.ne.u32 %p1, %r1, 0;\n @!%p1 st.shared.u32 [%r2], 7;\n bar.sync 0;\n"
                          "ld.shared.u32 %r5, [%r2];")),
            "");
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

std::string async_copy(const std::string& wait, const std::string& barrier, int reads_from) {
  return R"(
  mul.wide.u32 %rd2, %r1, 16;
  add.s64 %rd3, %rd1, %rd2;
  shl.b32 %r4, %r1, 4;
  add.s32 %r4, %r4, %r2;
  at(70)
  cp.async.cg.shared.global [%r4], [%rd3], 16;
  cp.async.commit_group;
  )" + wait +
         "\n" + barrier + R"(
  xor.b32 %r5, %r1, )" +
         std::to_string(reads_from) + R"(;
  shl.b32 %r5, %r5, 4;
  add.s32 %r5, %r5, %r2;
  at(71)
  ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];
)";
}

TEST(AsyncCopies, ReadBeforeTheWait) {
  const std::string wait = "cp.async.wait_group 0;";
  EXPECT_EQ(text_of(check(async_copy(wait, "", 0))), "");
  EXPECT_EQ(text_of(check(async_copy(wait, "bar.sync 0;", 32))), "");
  expect_one(check(async_copy("", "", 0)), "early_cp_async_read", {70, 71});
  expect_one(check(async_copy("", "bar.sync 0;", 32)), "early_cp_async_read", {70, 71});
  expect_one(check(async_copy("cp.async.wait_group 1;", "bar.sync 0;", 32)), "early_cp_async_read", {70, 71});
}

TEST(AsyncCopies, TheWaitOrdersItsThreadOnly) {
  expect_one(check(async_copy("cp.async.wait_group 0;", "", 32)), "race", {70, 71});
}

TEST(AsyncCopies, IssuedOverWhatOthersStillRead) {
  const auto body = [](const std::string& barrier) {
    return R"(
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  at(72)
  xor.b32 %r4, %r3, 128;
  ld.shared.u32 %r5, [%r4];
  )" + barrier +
           R"(
  at(73)
  cp.async.ca.shared.global [%r3], [%rd1], 4;
  cp.async.wait_all;
)";
  };
  expect_one(check(body("")), "race", {72, 73});
  EXPECT_EQ(text_of(check(body("bar.sync 0;"))), "");
}

// Threads 0 to 31 copy, and wait before or behind the barrier; all 64 read the copies.
std::string copied_for_all(const std::string& before, const std::string& behind) {
  return R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra $meet;
  at(70)
  cp.async.ca.shared.global [%r3], [%rd1], 4;
  )" + before +
         R"(
$meet:
  at(71)
  bar.sync 0;
  )" + behind +
         R"(
  at(72)
  and.b32 %r4, %r1, 31;
  shl.b32 %r4, %r4, 2;
  add.s32 %r4, %r4, %r2;
  ld.shared.u32 %r5, [%r4];
)";
}

TEST(AsyncCopies, AwaitedBehindTheBarrierAreNotOrderedByIt) {
  EXPECT_EQ(text_of(check(copied_for_all("cp.async.wait_all;", ""))), "");
  const auto late = check(copied_for_all("", "cp.async.wait_all;"));
  expect_one(late, "race", {70, 72});
  EXPECT_NE(late[0].text.find("Put cp.async.wait_group (or cp.async.wait_all) before the barrier at line 71"),
            std::string::npos)
      << late[0].text;
  const auto never = check(copied_for_all("", ""));
  expect_one(never, "early_cp_async_read", {70, 72});
  EXPECT_NE(
      never[0].text.find("wait for the copy's group (cp.async.wait_group) before the barrier at line 71"),
      std::string::npos)
      << never[0].text;
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

TEST(UninitialisedReads, BesideARaceInTheirLineAreFoundWhereNothingIsWrittenLater) {
  const auto body = [](const std::string& guard) {
    return R"(
  setp.lt.u32 %p1, %r1, 40;
  at(10)
  )" + guard +
           R"( st.shared.u32 [%r3], %r1;
  xor.b32 %r4, %r3, 128;
  at(12)
  ld.shared.u32 %r5, [%r4];
)";
  };
  const auto both = check(body("@%p1"));
  ASSERT_EQ(both.size(), 2u) << text_of(both);
  EXPECT_EQ(both[0].kind, "race");
  EXPECT_EQ(both[1].kind, "uninitialised_read");
  expect_one(check(body("")), "race", {10, 12});
}

// Threads from `first` on return before the barrier, some of them by way of a store.
std::string early_return(const std::string& first, const std::string& leaving) {
  return "setp.ge.u32 %p1, %r1, " + first + ";\n at(5)\n @%p1 bra $leave;\n at(7)\n bar.sync 0;\n at(8)\n" +
         "st.shared.u32 [%r3], 1;\n bra.uni $end;\n$leave:\n at(9)\n " + leaving + "\n$end:\n";
}

TEST(DivergentBarriers, AreNotReportedForThreadsThatOnlyLeave) {
  EXPECT_EQ(text_of(check(early_return("40", ""))), "");
  EXPECT_EQ(text_of(check(early_return("40", "st.shared.u32 [%r3], 2;"))), "");
  const auto meets_another = check(early_return("40", "bar.sync 0;"));
  ASSERT_FALSE(meets_another.empty());
  EXPECT_EQ(meets_another[0].kind, "divergent_barrier") << text_of(meets_another);
}

// A barrier that some threads skip, and what all of them execute behind it.
std::string skipped_barrier(const std::string& after) {
  return "setp.ge.u32 %p1, %r1, 40;\n at(5)\n @%p1 bra $join;\n at(7)\n bar.sync 0;\n$join:\n at(9)\n " +
         after;
}

TEST(DivergentBarriers, AreReportedWhereOthersWaitBehindThem) {
  EXPECT_EQ(text_of(check(skipped_barrier(""))), "");
  const auto findings = check(skipped_barrier("st.shared.u32 [%r3], 2;"));
  expect_one(findings, "divergent_barrier", {7});
}

TEST(DivergentBarriers, AreReportedForThreadsOfOtherRounds) {
  const auto rounds = [](const std::string& count) {
    return "and.b32 %r5, %r1, 3;\n mov.u32 %r4, 0;\n$again:\n at(7)\n bar.sync 0;\n add.s32 %r4, %r4, 1;\n"
           "setp.lt.u32 %p1, %r4, " +
           count + ";\n @%p1 bra $again;\n";
  };
  EXPECT_EQ(text_of(check(rounds("3"))), "");
  EXPECT_EQ(text_of(check(rounds("%r5"))), "") << "threads that are done have only the exit left";
  expect_one(check(rounds("%r5") + "at(9)\n st.shared.u32 [%r3], 2;\n"), "divergent_barrier", {7});
}

TEST(UninitialisedReads, AreFoundByTheByteThatNobodyWrote) {
  const auto body = [](const std::string& count) {
    return R"(
  setp.ge.u32 %p1, %r1, )" +
           count + R"(;
  at(80)
  @!%p1 st.shared.u32 [%r3], %r1;
  bar.sync 0;
  at(81)
  ld.shared.u32 %r5, [%r3];
)";
  };
  const auto findings = check(body("63"));
  expect_one(findings, "uninitialised_read", {81});
  EXPECT_EQ(findings[0].threads, (Lines{63}));
  EXPECT_EQ(findings[0].addresses, (Lines{252}));
  EXPECT_EQ(text_of(check(body("64"))), "");
}

TEST(UninitialisedReads, SharedMemoryOfTheBlockBeforeIsNotRemembered) {
  const auto findings = check(R"(
  mov.u32 %r20, %ctaid.x;
  setp.ne.u32 %p1, %r20, 0;
  @!%p1 st.shared.u32 [%r3], %r1;
  at(82)
  ld.shared.u32 %r5, [%r3];
)",
                              32, 2);
  expect_one(findings, "uninitialised_read", {82});
  EXPECT_EQ(findings[0].block, (Lines{1, 0, 0}));
}

TEST(Bounds, TheRunGoesOnAndFindsMore) {
  const auto findings = check(R"(
  at(90)
  st.shared.u32 [%r3+4096], %r1;
  at(91)
  st.global.u32 [%rd1+65536], %r1;
  at(92)
  ld.shared.u32 %r5, [%r3+2];
  at(93)
  ld.shared.u32 %r6, [%r3];
)");
  std::vector<std::string> kinds;
  kinds.reserve(findings.size());
  for (const Finding& finding : findings) kinds.push_back(finding.kind);
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"misaligned", "out_of_bounds", "out_of_bounds", "uninitialised_read"}))
      << text_of(findings);
  EXPECT_EQ(findings[0].lines, (Lines{92}));
  EXPECT_EQ(findings[1].lines, (Lines{90}));
  EXPECT_EQ(findings[2].lines, (Lines{91}));
}

TEST(Bounds, WithoutTheCheckersTheFaultThatEndedTheBlockIsReported) {
  KernelRun run;
  const Traced traced = trace_kernel(program_of("at(90)\n st.shared.u32 [%r3+4096], %r1;"), run);
  expect_one(traced.findings, "out_of_bounds", {90});
  EXPECT_TRUE(traced.run.fault.has_value());
}

TEST(Barriers, HalfAWarpAtABlockBarrier) {
  const auto body = [](const std::string& bound) {
    return R"(
  setp.ge.u32 %p1, %r1, )" +
           bound + R"(;
  @%p1 bra $skip;
  at(95)
  bar.sync 0;
  bra.uni $end;
$skip:
  at(96)
  bar.sync 0;
$end:
)";
  };
  const auto findings = check(body("16"));
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) EXPECT_EQ(finding.kind, "divergent_barrier") << text_of(findings);
  EXPECT_EQ(findings[0].lines, (Lines{95}));
  EXPECT_EQ(text_of(check(body("64"))), "");
}

TEST(Findings, AreTheSameForEveryNumberOfHostThreads) {
  const simt::Program program = program_of(exchange("32", ""));
  KernelRun run;
  run.blocks = 37;
  run.options.check = true;
  run.options.host_threads = 1;
  const Traced one = trace_kernel(program, run);
  run.options.host_threads = 4;
  const Traced four = trace_kernel(program, run);
  ASSERT_EQ(one.findings.size(), 1u);
  EXPECT_EQ(one.findings, four.findings);
  EXPECT_EQ(one.memory, four.memory);
  EXPECT_EQ(one.findings[0].occurrences, 2 * 37);
}

TEST(Findings, OneInstructionCountsOnceHoweverManyLanesRace) {
  EXPECT_EQ(check(exchange("32", ""))[0].occurrences, 2) << "one early read, one late store";
}

}  // namespace
}  // namespace tilescope
