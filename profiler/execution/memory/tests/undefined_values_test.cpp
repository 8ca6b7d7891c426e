#include "profiler/execution/memory/undefined_values.hpp"

#include <gtest/gtest.h>

#include "profiler/execution/memory/tests/ptx_kernel.hpp"

namespace tilescope {
namespace {

using Lines = std::vector<std::int64_t>;

// Each thread writes three words of its row of four and loads all of them: into %r10 to %r13. %rd2 is its place in `out`.
std::vector<Finding> check(const std::string& use, std::uint64_t seed = 0) {
  KernelRun run;
  run.threads = 32;
  run.options.check = true;
  run.options.schedule_seed = seed;
  return trace_kernel(program_of(R"(
  shl.b32 %r4, %r1, 4;
  add.s32 %r4, %r4, %r2;
  at(10)
  st.shared.v2.u32 [%r4], {%r1, %r1};
  st.shared.u32 [%r4+8], %r1;
  bar.sync 0;
  mul.wide.u32 %rd2, %r1, 16;
  add.s64 %rd2, %rd1, %rd2;
  at(12)
  ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];
  at(14)
)" + use),
                      run)
      .findings;
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.kind + ": " + finding.text + "\n";
  return text;
}

void expect_clean(const std::string& use) {
  EXPECT_EQ(text_of(check(use)), "") << use;
  EXPECT_EQ(text_of(check(use, 7)), "") << use;
}

void expect_found(const std::string& use) {
  for (const std::uint64_t seed : {0U, 7U}) {
    const auto findings = check(use, seed);
    ASSERT_EQ(findings.size(), 1u) << use << text_of(findings);
    EXPECT_EQ(findings[0].kind, "uninitialised_read");
    EXPECT_EQ(findings[0].lines, Lines{12}) << use;
    EXPECT_EQ(findings[0].addresses, Lines{12}) << use;
    EXPECT_EQ(findings[0].threads, Lines{0}) << use;
  }
}

TEST(UndefinedValues, AWordOfAWideLoadThatNobodyUsesIsNotAccused) {
  expect_clean("");
  expect_clean("add.s32 %r14, %r10, %r11;\n add.s32 %r14, %r14, %r12;\n st.global.u32 [%rd2], %r14;");
}

TEST(UndefinedValues, ACopyIsNoUse) {
  expect_clean("mov.u32 %r15, %r13;\n st.shared.u32 [%r4+512], %r15;");
  expect_clean("mov.b64 %rd3, {%r12, %r13};\n mov.b64 {%r16, %r17}, %rd3;\n st.global.u32 [%rd2], %r16;");
}

TEST(UndefinedValues, AValueThatIsNotChosenIsNoUse) {
  expect_clean("setp.eq.u32 %p1, %r1, 1000;\n selp.b32 %r15, %r13, %r10, %p1;\n st.global.u32 [%rd2], %r15;");
  expect_clean("setp.eq.u32 %p1, %r1, 1000;\n @%p1 st.global.u32 [%rd2], %r13;");
  expect_clean(
      "add.s32 %r13, %r13, 5;\n setp.eq.u32 %p1, %r1, 1000;\n @!%p1 mov.u32 %r13, 3;\n st.global.u32 [%rd2], "
      "%r13;");
  expect_clean("and.b32 %r15, %r13, 0;\n st.global.u32 [%rd2], %r15;");
  expect_clean("prmt.b32 %r15, %r12, %r13, 0x3210;\n st.global.u32 [%rd2], %r15;");
}

TEST(UndefinedValues, ARegisterThatIsOverwrittenIsDefined) {
  expect_clean("mov.u32 %r13, 3;\n st.global.u32 [%rd2], %r13;");
  expect_clean("ld.shared.u32 %r13, [%r4];\n st.global.u32 [%rd2], %r13;");
  expect_clean("ld.global.u32 %r13, [%rd2];\n st.global.u32 [%rd2], %r13;");
}

TEST(UndefinedValues, AStoreToGlobalMemoryIsAUse) {
  expect_found("st.global.u32 [%rd2], %r13;");
  expect_found("st.global.v4.u32 [%rd2], {%r10, %r11, %r12, %r13};");
  expect_found("add.s32 %r14, %r10, %r13;\n mul.lo.s32 %r15, %r14, 3;\n st.global.u32 [%rd2], %r15;");
  expect_found("mov.b64 %rd3, {%r12, %r13};\n st.global.u64 [%rd2], %rd3;");
  expect_found("cvt.rn.f32.u32 %f1, %r13;\n fma.rn.f32 %f1, %f1, %f1, %f1;\n st.global.f32 [%rd2], %f1;");
  expect_found("shfl.sync.bfly.b32 %r15, %r13, 0, 31, -1;\n st.global.u32 [%rd2], %r15;");
  expect_found("atom.global.add.u32 %r15, [%rd2], %r13;");
}

TEST(UndefinedValues, ABranchIsAUse) {
  for (const char* test :
       {"setp.ne.u32 %p2, %r13, 0;", "setp.eq.u32 %p2, %r13, 5;", "setp.eq.u32 %p2, %r13, %r1;"})
    expect_found(std::string(test) + "\n @%p2 bra $there;\n mov.u32 %r20, 0;\n$there:\n");
}

TEST(UndefinedValues, AnAddressIsAUse) {
  expect_found("and.b32 %r15, %r13, 4;\n add.s32 %r15, %r15, %r4;\n st.shared.u32 [%r15+2048], 1;");
  expect_found("and.b32 %r15, %r13, 4;\n add.s32 %r15, %r15, %r4;\n ld.shared.u32 %r16, [%r15];");
  expect_found(
      "and.b32 %r15, %r13, 4;\n cvt.u64.u32 %rd3, %r15;\n add.s64 %rd3, %rd3, %rd2;\n ld.global.u32 %r16, "
      "[%rd3];");
}

TEST(UndefinedValues, AValueIsFollowedThroughSharedMemory) {
  expect_found(
      "st.shared.u32 [%r4+512], %r13;\n ld.shared.u32 %r15, [%r4+512];\n st.global.u32 [%rd2], %r15;");
  expect_found(
      "add.s32 %r15, %r13, %r10;\n st.shared.v2.u32 [%r4+512], {%r10, %r15};\n bar.sync 0;\n"
      "ld.shared.v4.u32 {%r16, %r17, %r18, %r19}, [%r4+512];\n add.s32 %r17, %r17, 1;\n"
      "st.shared.u32 [%r4+1024], %r17;\n ld.shared.u32 %r20, [%r4+1024];\n st.global.u32 [%rd2], %r20;");
  expect_found(
      "st.shared.u32 [%r4+512], %r13;\n ld.shared.u32 %r15, [%r4+512];\n"
      "setp.eq.u32 %p1, %r15, 5;\n @%p1 bra $there;\n mov.u32 %r20, 0;\n$there:\n");
}

TEST(UndefinedValues, ADefinedPartOfSharedMemoryIsNotAccused) {
  const std::string store = "st.shared.v2.u32 [%r4+512], {%r10, %r13};\n";
  expect_clean(store + "ld.shared.u32 %r15, [%r4+512];\n st.global.u32 [%rd2], %r15;");
  expect_clean(store + "ld.shared.v2.u32 {%r15, %r16}, [%r4+512];\n st.global.u32 [%rd2], %r15;");
  expect_clean(store +
               "st.shared.u32 [%r4+516], %r10;\n ld.shared.v2.u32 {%r15, %r16}, [%r4+512];\n"
               "st.global.u32 [%rd2], %r16;");
  expect_clean(
      "mul.lo.s32 %r15, %r13, 0;\n st.shared.u32 [%r4+512], %r15;\n ld.shared.u32 %r16, [%r4+512];\n"
      "st.global.u32 [%rd2], %r16;");
}

// Threads below 24 write a word, and each adds the word of the thread eight further on: only thread 0's sum is stored.
TEST(UndefinedValues, AReductionOfAnArrayThatIsPartlyUnwrittenIsFound) {
  KernelRun run;
  run.threads = 32;
  run.options.check = true;
  const auto findings = trace_kernel(program_of(R"(
  shl.b32 %r4, %r1, 2;
  add.s32 %r4, %r4, %r2;
  setp.lt.u32 %p1, %r1, 24;
  at(10)
  @%p1 st.shared.u32 [%r4], %r1;
  bar.sync 0;
  ld.shared.u32 %r10, [%r4];
  at(12)
  ld.shared.u32 %r11, [%r4+32];
  add.s32 %r10, %r10, %r11;
  st.shared.u32 [%r4+1024], %r10;
  bar.sync 0;
  at(14)
  ld.shared.u32 %r12, [%r4+1024];
  ld.shared.u32 %r13, [%r4+1088];
  add.s32 %r12, %r12, %r13;
  setp.eq.u32 %p2, %r1, 0;
  @%p2 st.global.u32 [%rd1], %r12;
)"),
                                     run)
                            .findings;
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].kind, "uninitialised_read");
  EXPECT_EQ(findings[0].lines, Lines{12});
  EXPECT_EQ(findings[0].threads, Lines{16});
  EXPECT_EQ(findings[0].addresses, Lines{24 * 4});
}

TEST(UndefinedValues, OnlyTheLaneThatUsesItIsNamed) {
  const auto findings = check("setp.eq.u32 %p1, %r1, 9;\n @%p1 st.global.u32 [%rd2], %r13;");
  ASSERT_EQ(findings.size(), 1u) << text_of(findings);
  EXPECT_EQ(findings[0].threads, Lines{9});
  EXPECT_EQ(findings[0].addresses, Lines{9 * 16 + 12});
}

TEST(UndefinedValues, AreFollowedInALoop) {
  const auto loop = [](const std::string& word) {
    return "mov.u32 %r20, 0;\n mov.u32 %r21, 0;\n$again:\n at(12)\n ld.shared.v4.u32 {%r10, %r11, %r12, "
           "%r13}, [%r4];\n"
           " at(14)\n add.s32 %r21, %r21, " +
           word +
           ";\n add.s32 %r20, %r20, 1;\n setp.lt.u32 %p3, %r20, 500;\n @%p3 bra $again;\n st.global.u32 "
           "[%rd2], %r21;";
  };
  expect_clean(loop("%r12"));
  expect_found(loop("%r13"));
}

std::vector<std::byte> output_of(const simt::Program& program, bool checks) {
  simt::GlobalMemory memory;
  const std::uint64_t out = memory.allocate("out", 128);
  simt::Launch launch;
  launch.block.x = 32;
  launch.parameters.resize(sizeof(out));
  std::memcpy(launch.parameters.data(), &out, sizeof(out));
  TraceOptions options;
  options.check = checks;
  trace(program, launch, memory, options);
  const simt::Allocation* written = memory.find(out, 128);
  return {written->data, written->data + 128};
}

TEST(UndefinedValues, ChangeNoResult) {
  const simt::Program program = program_of(
      "at(12)\n ld.shared.v2.u32 {%r10, %r11}, [%r2];\n add.s32 %r12, %r10, %r1;\n add.cc.u32 %r13, %r11, "
      "%r11;\n"
      "addc.u32 %r12, %r12, %r1;\n setp.ne.u32 %p1, %r11, 0;\n @%p1 add.s32 %r12, %r12, 7;\n"
      "mul.wide.u32 %rd2, %r1, 4;\n add.s64 %rd2, %rd1, %rd2;\n st.global.u32 [%rd2], %r12;");
  EXPECT_EQ(output_of(program, true), output_of(program, false));
}

}  // namespace
}  // namespace tilescope
