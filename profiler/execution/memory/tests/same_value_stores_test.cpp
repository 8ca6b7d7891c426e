#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/execution/memory/tests/checker_fixture.hpp"

namespace tilescope::checked {
namespace {

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

}  // namespace
}  // namespace tilescope::checked
