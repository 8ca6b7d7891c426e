// PTX that NVRTC does not emit for current GPUs: older versions and targets, vectors, variables in functions.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "profiler/execution/ptx/tests/ptx_kernel_run.hpp"

namespace tilescope::ptx {
namespace {

void expect(const Program& program, const std::function<std::uint32_t(std::uint32_t)>& expected) {
  const KernelRun ran = run_module(program);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 32; ++t) ASSERT_EQ(ran.out[t], expected(t)) << "thread " << t;
}
std::string head(const std::string& version, const std::string& target) {
  return ".version " + version + "\n.target " + target + "\n";
}
std::string refusal(const std::function<void()>& decode_it) {
  try {
    decode_it();
  } catch (const PtxError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(GeneralPtx, OlderVersionsAndTargetsRun) {
  for (const auto& [version, target] :
       std::initializer_list<std::pair<const char*, const char*>>{{"3.0", "sm_30"},
                                                                  {"4.3", "sm_52"},
                                                                  {"5.0", "sm_60"},
                                                                  {"6.3", "sm_70"},
                                                                  {"6.5", "sm_75"},
                                                                  {"7.0", "sm_80"},
                                                                  {"8.6", "sm_100"},
                                                                  {"8.6", "sm_100a"},
                                                                  {"9.0", "sm_121"},
                                                                  {"6.5", "sm_61, debug"}}) {
    expect(decode_module("", "mad.lo.u32 %r1, %t, 3, 1;\nst.global.u32 [%o], %r1;", head(version, target)),
           [](std::uint32_t t) { return 3 * t + 1; });
  }
}

TEST(GeneralPtx, RefusesVersionsAndTargetsThatItDoesNotKnow) {
  for (const char* target :
       {"sm_20", "sm_13", "sm_85", "sm_89a", "sm_90x", "sm_200", "compute_80", "sm_", "sm_80a"}) {
    EXPECT_NE(refusal([&] { parse(head("6.5", target)); }).find("compile for sm_30 to sm_121"),
              std::string::npos)
        << target;
  }
  EXPECT_NE(refusal([] { parse(head("2.3", "sm_30")); }).find("compile for ISA 3.0 to 9.x"),
            std::string::npos);
  EXPECT_NE(refusal([] { parse(head("6.5", "sm_50, map_f64_to_f32")); }).find("double precision as single"),
            std::string::npos);
}

// Before sm_70 warps run in lockstep: shuffles and votes act on the lanes that execute them together.
const std::string among_half = R"(
  mov.u32 %r2, 0;
  setp.ge.u32 %p1, %t, 16;
  @%p1 bra END;
  shfl.down.b32 %r1|%p2, %t, 1, 0x1f;
  setp.gt.u32 %p3, %t, 3;
  vote.ballot.b32 %r2, %p3;
  vote.any.pred %p4, %p3;
  vote.all.pred %p5, !%p3;
  @%p4 add.u32 %r2, %r2, 0x100000;
  @%p5 add.u32 %r2, %r2, 0x200000;
  add.u32 %r2, %r2, %r1;
END:
  st.global.u32 [%o], %r2;)";

TEST(GeneralPtx, WarpsInStepShuffleAndVoteWithoutSync) {
  const auto expected = [](std::uint32_t t) { return t >= 16 ? 0 : 0x10fff0 + t + 1; };
  expect(decode_module("", among_half, head("5.0", "sm_60")), expected);
  expect(decode_module("", among_half, head("8.0", "sm_50")), expected);
  expect(decode_module("", among_half, head("6.3", "sm_70")), expected);
}

TEST(GeneralPtx, WarpsOfIndependentThreadsNeedSync) {
  for (const char* target : {"sm_70", "sm_80", "sm_90a"}) {
    EXPECT_NE(refusal([&] {
                decode_module("", among_half, head("6.4", target));
              }).find("shfl without .sync, which sm_70 and newer do not have"),
              std::string::npos);
  }
  EXPECT_NE(refusal([] {
              decode_module("", "vote.any.pred %p1, %p2;", head("7.0", "sm_75"));
            }).find("vote without"),
            std::string::npos);
}

TEST(GeneralPtx, VectorsOfRegistersHaveComponents) {
  expect(decode_module(".global .align 16 .b32 words[4] = {1, 20, 300, 4000};", R"(
    .reg .v4 .u32 %v<2>, w;
    .reg .v2 .f32 f;
    .reg .b64 packed;
    mov.u64 %rd1, words;
    ld.global.v4.u32 %v1, [%rd1];
    add.u32 %v1.x, %v1.x, %t;
    mov.v4.u32 w, %v1;
    mov.v4.u32 w, {w.w, w.z, w.y, w.x};
    mul.lo.u32 %v0.y, w.a, 100000;
    mov.f32 f.x, 0f3F800000;
    add.f32 f.y, f.x, f.x;
    mov.b64 packed, f;
    mov.b64 {%r1, %r2}, packed;
    shr.u32 %r2, %r2, 30;
    add.u32 %r1, %v0.y, w.r;
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%o], %r1;)"),
         [](std::uint32_t t) { return (1 + t) * 100000 + 4000 + 1; });
}

TEST(GeneralPtx, VectorsAreStoredAndMovedByTheLanesOfTheirGuard) {
  expect(decode_module("", R"(
    .local .align 8 .b8 pair[8];
    .reg .v2 .u32 v, w;
    mov.u32 v.x, %t; mov.u32 v.y, 7;
    mov.v2.u32 w, v;
    setp.lt.u32 %p1, %t, 5;
    @%p1 mov.v2.u32 w, {v.y, v.x};
    st.local.v2.u32 [pair], w;
    ld.local.u32 %r1, [pair+4];
    st.global.u32 [%o], %r1;)"),
         [](std::uint32_t t) { return t < 5 ? t : 7; });
}

TEST(GeneralPtx, RefusesComponentsThatAreNotThere) {
  const auto refused = [](const std::string& body) { return refusal([&] { decode_module("", body); }); };
  EXPECT_NE(refused(".reg .v2 .u32 v; mov.u32 v.z, 1;")
                .find("'.z' is not a component of 'v', which is a vector of 2"),
            std::string::npos);
  EXPECT_NE(refused("mov.u32 %r1.x, 1;").find("'.x' is a component, and '%r1' is not a vector"),
            std::string::npos);
  EXPECT_NE(refused(".reg .v2 .u32 v; mov.v4.u32 v, v;").find("operand 1 is not a vector of 4"),
            std::string::npos);
}

// They live as long as the module's variables, under a name that is local to the function.
TEST(GeneralPtx, VariablesOfAFunctionMayLieInGlobalAndConstantMemory) {
  const auto counter = [](const std::string& name, int start) {
    return ".func (.reg .u32 r) " + name + "()\n{ .global .u32 last = " + std::to_string(start) +
           ";\n.const .u32 step[2] = {0, 10};\n.reg .u32 s; ld.const.u32 s, [step+4];\n"
           "ld.global.u32 r, [last]; add.u32 r, r, s; st.global.u32 [last], r; ret; }\n";
  };
  expect(decode_module(counter("a", 1) + counter("b", 2),
                       "call (%r1), a;\ncall (%r1), a;\ncall (%r2), b;\nmad.lo.u32 %r1, %r1, 1000, %r2;\n"
                       "st.global.u32 [%o], %r1;"),
         [](std::uint32_t) { return 21 * 1000 + 12; });
}

// A variable's name as an address determines the state space.
TEST(GeneralPtx, AVariableNeedsNoStateSpaceBesideItsName) {
  expect(decode_module(".shared .align 4 .b32 words[2];\n.global .u32 moving = 500;",
                       R"(
    .local .align 4 .b8 own[8];
    st.u32 [own+4], %t;
    setp.eq.u32 %p1, %t, 0;
    @%p1 st.u32 [words+4], 7000;
    bar.sync 0;
    ld.u32 %r1, [own+4];
    ld.u32 %r2, [words+4];
    ld.u32 %r4, [moving];
    add.u32 %r1, %r1, %r2;
    add.u32 %r1, %r1, %r4;
    st.u32 [%o], %r1;)"),
         [](std::uint32_t t) { return t + 7500; });
}

// PTX ISA, "Operand Size Exceeding Instruction-Type Size": a wider register of bits may hold a floating-point number.
TEST(GeneralPtx, ARegisterOfBitsMayBeWiderThanTheFloatThatIsLoaded) {
  expect(decode_module(".global .f32 value = 0f3FC00000;", R"(
    mov.b64 %rd1, 0x123456789abcdef0;
    ld.global.f32 %rd1, [value];
    mov.b64 {%r1, %r2}, %rd1;
    or.b32 %r1, %r1, %r2;
    st.global.f32 [value], %rd1;
    ld.global.u32 %r2, [value];
    sub.u32 %r2, %r2, %r1;
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%o], %r1;)"),
         [](std::uint32_t) { return 0x3fc00000; });
  EXPECT_NE(refusal([] {
              decode_module("", ".reg .u64 wide; ld.global.f32 wide, [%o];");
            }).find("not of the size of its floating-point type"),
            std::string::npos);
}

TEST(GeneralPtx, DynamicSharedMemoryOfAFunctionLiesBehindTheStatic) {
  const Program program = decode_module(".shared .align 16 .b8 fixed[32];", R"(
    .extern .shared .align 16 .b8 rest[];
    mov.u32 %r1, rest;
    mov.u32 %r2, fixed;
    sub.u32 %r1, %r1, %r2;
    st.global.u32 [%o], %r1;)");
  expect(program, [](std::uint32_t) { return 32; });
}

}  // namespace
}  // namespace tilescope::ptx
