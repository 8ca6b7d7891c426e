#include "profiler/execution/memory/memory_checker.hpp"

#include <gtest/gtest.h>

#include "profiler/execution/memory/tests/checker_fixture.hpp"

namespace tilescope::checked {
namespace {

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
}  // namespace tilescope::checked
