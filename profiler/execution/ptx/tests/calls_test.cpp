// Calls of functions: arguments and results, where lanes return to, and frames.
#include <gtest/gtest.h>

#include <functional>

#include "profiler/execution/ptx/call_graph.hpp"
#include "profiler/execution/ptx/tests/ptx_kernel_run.hpp"

namespace tilescope::ptx {
namespace {

// Calls a function of one number in %r1 and puts its result in %r2, as compilers write it.
std::string call_of(const std::string& function, const std::string& from = "%r1",
                    const std::string& to = "%r2") {
  return "{ .param .b32 given; st.param.b32 [given+0], " + from + "; .param .b32 back; call.uni (back), " +
         function + ", (given); ld.param.b32 " + to + ", [back+0]; }\n";
}
// A function of one number, in %x, that returns %y.
std::string function(const std::string& name, const std::string& body) {
  return ".func (.param .b32 result) " + name + "(.param .b32 number)\n{\n" +
         ".reg .b32 %x, %y; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n"
         "ld.param.u32 %x, [number];\n" +
         body + "\nst.param.b32 [result], %y;\nret;\n}\n";
}

void expect(const Program& program, const std::function<std::uint32_t(std::uint32_t)>& expected,
            std::uint32_t threads = 32) {
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    const KernelRun ran = run_module(program, threads, seed);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::uint32_t t = 0; t < threads; ++t) ASSERT_EQ(ran.out[t], expected(t)) << "thread " << t;
  }
}

std::string refusal(const std::string& functions, const std::string& kernel) {
  try {
    decode_module(functions, kernel);
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Calls, PassANumberAndReturnOne) {
  expect(
      decode_module(function("triple", "mul.lo.u32 %y, %x, 3;"),
                    "add.u32 %r1, %t, 1;\n" + call_of("triple") + "st.global.u32 [%o], %r2;"),
      [](std::uint32_t t) { return 3 * (t + 1); }, 100);
}

// A function that uses as many registers does not change those that the caller still needs.
TEST(Calls, KeepTheRegistersOfTheCaller) {
  std::string kernel, body, sum;
  for (int r = 3; r < 20; ++r) {
    kernel += "mad.lo.u32 %r" + std::to_string(r) + ", %t, " + std::to_string(r) + ", 7;\n";
    body += "add.u32 %r" + std::to_string(r) + ", %x, " + std::to_string(r) + ";\n";
    sum += "xor.b32 %r2, %r2, %r" + std::to_string(r) + ";\n";
  }
  body += "mov.u32 %y, 0;\n";
  for (int r = 3; r < 20; ++r) body += "add.u32 %y, %y, %r" + std::to_string(r) + ";\n";
  expect(decode_module(function("many", body),
                       kernel + "mov.u32 %r1, %t;\n" + call_of("many") + sum + "st.global.u32 [%o], %r2;"),
         [](std::uint32_t t) {
           std::uint32_t result = 0, all = 0;
           for (std::uint32_t r = 3; r < 20; ++r) {
             result += t + r;
             all ^= t * r + 7;
           }
           return result ^ all;
         });
}

TEST(Calls, PassStructuresByTheirBytes) {
  const std::string functions = R"(
    .func (.param .align 16 .b8 result[16]) swap(.param .align 16 .b8 pair[16], .param .b32 more)
    {
      .reg .b64 %a, %b; .reg .b32 %c; .reg .b16 %h;
      ld.param.v2.b64 {%a, %b}, [pair];
      ld.param.b32 %c, [more];
      ld.param.u8 %h, [pair+1];
      cvt.u64.u16 %a, %h;
      st.param.v2.b64 [result], {%b, %a};
      st.param.b32 [result+12], %c;
      ret;
    })";
  expect(decode_module(functions, R"(
    mul.wide.u32 %rd1, %t, 0x10101;
    mov.u64 %rd2, 77;
    .param .align 16 .b8 given[16];
    .param .b32 more;
    .param .align 16 .b8 back[16];
    st.param.v2.b64 [given+0], {%rd1, %rd2};
    st.param.b32 [more], %t;
    call (back), swap, (given, more);
    ld.param.b64 %rd1, [back];
    ld.param.v2.u32 {%r1, %r2}, [back+8];
    cvt.u32.u64 %r3, %rd1;
    mad.lo.u32 %r1, %r1, 1000, %r2;
    add.u32 %r1, %r1, %r3;
    st.global.u32 [%o], %r1;)"),
         [](std::uint32_t t) { return t * 1000 + t + 77; });
}

TEST(Calls, PassRegistersPredicatesAndLiterals) {
  const std::string functions = R"(
    .func (.reg .u32 sum, .reg .pred is_odd, .reg .v2 .u32 both) add(.reg .u32 a, .reg .pred p, .reg .v2 .u32 v)
    {
      .reg .u32 low;
      add.u32 sum, a, v.x;
      @p add.u32 sum, sum, v.y;
      and.b32 low, sum, 1;
      setp.ne.u32 is_odd, low, 0;
      mov.u32 both.x, v.y;
      mov.u32 both.y, v.x;
      ret;
    })";
  expect(decode_module(functions, R"(
    .reg .v2 .u32 v, w;
    mov.u32 v.x, %t;
    mov.u32 v.y, 5;
    setp.gt.u32 %p1, %t, 9;
    call (%r1, %p2, w), add, (100, %p1, v);
    selp.u32 %r2, 1000, 0, %p2;
    add.u32 %r1, %r1, %r2;
    mad.lo.u32 %r1, w.x, 10000, %r1;
    mad.lo.u32 %r1, w.y, 1000000, %r1;
    st.global.u32 [%o], %r1;)"),
         [](std::uint32_t t) {
           const std::uint32_t sum = 100 + t + (t > 9 ? 5 : 0);
           return sum + (sum % 2 == 1 ? 1000 : 0) + 5 * 10000 + t * 1000000;
         });
}

// Arguments that are passed on to the same function in another order.
TEST(Calls, ReadAllArgumentsBeforeTheyWriteOne) {
  const std::string functions = R"(
    .func (.reg .u32 result) turn(.reg .u32 a, .reg .u32 b, .reg .u32 times)
    {
      .reg .pred p;
      setp.eq.u32 p, times, 0;
      mad.lo.u32 result, a, 100, b;
      @p ret;
      sub.u32 times, times, 1;
      call (result), turn, (b, a, times);
      ret;
    })";
  expect(decode_module(functions, "call (%r1), turn, (%t, 7, %t);\nst.global.u32 [%o], %r1;"),
         [](std::uint32_t t) { return t % 2 == 0 ? t * 100 + 7 : 700 + t; });
}

TEST(Calls, RunWithTheLanesOfTheirGuard) {
  expect(decode_module(
             ".global .u32 none;\n.func twice(.reg .u64 at) { .reg .u32 v; ld.u32 v, [at]; add.u32 v, v, v;"
             " st.u32 [at], v; ret; }",
             "st.global.u32 [%o], %t;\nsetp.lt.u32 %p1, %t, 10;\n@%p1 call twice, (%o);\n"
             "ld.global.u32 %r1, [%o];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%o], %r1;"),
         [](std::uint32_t t) { return (t < 10 ? 2 * t : t) + 1; });
}

std::uint64_t executions_of_line(const Program& program, const RunResult& result, const std::string& text) {
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    for (std::uint32_t i = 1; i <= program.blocks[b].instructions; ++i) {
      const Instruction& instruction = program.code[program.blocks[b].first + i];
      if (program.origins[instruction.origin].text.find(text) != std::string::npos)
        return result.block_executions[b];
    }
  }
  return 0;
}

// Lanes that call from the two arms of a branch, or from different iterations of a loop, reconverge after it.
TEST(Calls, LanesThatCallFromDifferentPlacesMeetAgain) {
  const Program program = decode_module(
      function("square",
               "setp.gt.u32 %p1, %x, 8;\n@%p1 add.u32 %x, %x, 1;\n@%p1 bra BIG;\nadd.u32 %x, %x, 2;\n"
               "BIG: mul.lo.u32 %y, %x, %x;"),
      "and.b32 %r3, %t, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra EVEN;\nadd.u32 %r1, %t, 100;\n" +
          call_of("square") + "bra JOIN;\nEVEN: mov.u32 %r1, %t;\n" + call_of("square") +
          "JOIN: add.u32 %r2, %r2, 1;\n"
          "mov.u32 %r4, 0;\nLOOP: setp.ge.u32 %p1, %r4, %t;\n@%p1 bra DONE;\nadd.u32 %r4, %r4, 1;\n"
          "mov.u32 %r1, %r4;\n" +
          call_of("square", "%r1", "%r5") +
          "add.u32 %r2, %r2, %r5;\nbra LOOP;\nDONE: st.global.u32 [%o], %r2;");
  const auto square = [](std::uint32_t x) { return (x + (x > 8 ? 1 : 2)) * (x + (x > 8 ? 1 : 2)); };
  expect(program, [&](std::uint32_t t) {
    std::uint32_t sum = square(t % 2 == 0 ? t : t + 100) + 1;
    for (std::uint32_t i = 1; i <= t; ++i) sum += square(i);
    return sum;
  });
  const RunResult result = run_module(program).result;
  EXPECT_EQ(executions_of_line(program, result, "add.u32 %r2, %r2, 1;"), 1u);
  EXPECT_EQ(executions_of_line(program, result, "st.global.u32 [%o], %r2;"), 1u);
  // Twice for the arms, and 31 iterations of the loop with all remaining lanes.
  EXPECT_EQ(executions_of_line(program, result, "ld.param.u32 %x"), 2u + 31u);
}

// All lanes of the mask reach the same instruction, although they call from different places.
TEST(Calls, AWarpWideInstructionWaitsForLanesOfOtherCalls) {
  expect(decode_module(function("sum", "redux.sync.add.u32 %y, %x, 0xffffffff;"),
                       "and.b32 %r3, %t, 1;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u32 %r1, %t;\n@%p1 bra EVEN;\n" +
                           call_of("sum") + "add.u32 %r2, %r2, 1000;\nbra JOIN;\nEVEN:\n" + call_of("sum") +
                           "JOIN: st.global.u32 [%o], %r2;"),
         [](std::uint32_t t) { return 31u * 32 / 2 + (t % 2 == 1 ? 1000 : 0); });
}

TEST(Calls, MayWaitAtABlockBarrier) {
  const std::string functions =
      ".shared .align 4 .b8 words[512];\n" +
      function("reversed",
               "mov.u32 %r1, words;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\n"
               "mad.lo.u32 %r4, %r2, 4, %r1;\nst.shared.u32 [%r4], %x;\nbar.sync 0;\n"
               "sub.u32 %r2, %r3, %r2;\nsub.u32 %r2, %r2, 1;\n"
               "mad.lo.u32 %r4, %r2, 4, %r1;\nld.shared.u32 %y, [%r4];");
  expect(
      decode_module(functions, "mul.lo.u32 %r1, %t, 5;\n" + call_of("reversed") + "st.global.u32 [%o], %r2;"),
      [](std::uint32_t t) { return 5 * (127 - t); }, 128);
}

TEST(Calls, EachFrameHasItsOwnLocalMemory) {
  const std::string inner = function("inner", R"(
    .local .align 16 .b8 depot[16];
    .reg .b64 %SP;
    mov.u64 %SP, depot;
    cvta.local.u64 %SP, %SP;
    st.u32 [%SP+4], %x;
    st.local.u32 [depot], 1000;
    ld.local.v2.u32 {%r1, %r2}, [depot+8-8];
    add.u32 %y, %r1, %r2;)");
  const std::string outer = function("outer", R"(
    .local .align 8 .b8 depot[24];
    mad.lo.u32 %r5, %x, 3, 1;
    st.local.u32 [depot+4], %r5;
    st.local.u32 [depot+8], 5;
    add.u32 %r1, %x, 1;
  )" + call_of("inner", "%r1", "%r2") + R"(
    ld.local.u32 %r3, [depot+4];
    ld.local.u32 %r4, [depot+8];
    add.u32 %y, %r2, %r3;
    add.u32 %y, %y, %r4;)");
  expect(decode_module(inner + outer,
                       ".local .align 4 .b8 own[8];\nst.local.u32 [own], 31;\n"
                       "mov.u32 %r1, %t;\n" +
                           call_of("outer") + call_of("inner", "%r1", "%r3") +
                           "ld.local.u32 %r4, [own];\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, %r4;\n"
                           "st.global.u32 [%o], %r2;"),
         [](std::uint32_t t) { return (t + 1 + 1000) + (3 * t + 1) + 5 + (t + 1000) + 31; });
}

// Fibonacci numbers with registers that live across two calls, with a different depth in every lane.
TEST(Calls, Recursion) {
  const std::string functions =
      ".func (.param .b32 result) fibonacci(.param .b32 number);\n" +
      function("fibonacci", "setp.lt.u32 %p1, %x, 2;\nmov.u32 %y, %x;\n@%p1 bra END;\nsub.u32 %r1, %x, 1;\n" +
                                call_of("fibonacci", "%r1", "%r2") + "sub.u32 %r1, %x, 2;\n" +
                                call_of("fibonacci", "%r1", "%r3") + "add.u32 %y, %r2, %r3;\nEND:");
  expect(
      decode_module(functions, "and.b32 %r1, %t, 15;\n" + call_of("fibonacci") + "st.global.u32 [%o], %r2;"),
      [](std::uint32_t t) {
        std::uint32_t a = 0, b = 1;
        for (std::uint32_t i = 0; i < t % 16; ++i) {
          const std::uint32_t next = a + b;
          a = b;
          b = next;
        }
        return a;
      });
}

// Each activation passes the address of its own variable to the next one, which adds to it.
TEST(Calls, RecursionGivesEachActivationItsOwnVariables) {
  const std::string functions = R"(
    .func climb(.param .b64 target, .param .b32 left)
    {
      .local .align 4 .b8 own[4];
      .reg .b64 %to, %me; .reg .b32 %n, %v, %w; .reg .pred %p;
      ld.param.u64 %to, [target];
      ld.param.u32 %n, [left];
      setp.eq.u32 %p, %n, 0;
      @%p bra LEAF;
      st.local.u32 [own], 0;
      mov.u64 %me, own;
      cvta.local.u64 %me, %me;
      sub.u32 %v, %n, 1;
      {
        .param .b64 a; .param .b32 b;
        st.param.b64 [a], %me;
        st.param.b32 [b], %v;
        call climb, (a, b);
      }
      ld.local.u32 %w, [own];
      add.u32 %w, %w, %n;
      st.u32 [%to], %w;
      ret;
    LEAF:
      st.u32 [%to], 1000;
    })";
  expect(decode_module(functions,
                       "and.b32 %r1, %t, 7;\n{ .param .b64 a; .param .b32 b; st.param.b64 [a], %o;\n"
                       "st.param.b32 [b], %r1; call climb, (a, b); }"),
         [](std::uint32_t t) { return 1000 + (t % 8) * (t % 8 + 1) / 2; });
}

TEST(Calls, FunctionsMayCallEachOther) {
  const auto half = [](const std::string& name, const std::string& other, const char* at_zero) {
    return function(name, "setp.eq.u32 %p1, %x, 0;\nmov.u32 %y, " + std::string(at_zero) +
                              ";\n@%p1 bra END;\nsub.u32 %r1, %x, 1;\n" + call_of(other, "%r1", "%y") +
                              "add.u32 %y, %y, %x;\nEND:");
  };
  expect(decode_module(".func (.param .b32 result) odd(.param .b32 number);\n" + half("even", "odd", "1000") +
                           half("odd", "even", "2000"),
                       "mov.u32 %r1, %t;\n" + call_of("even") + "st.global.u32 [%o], %r2;"),
         [](std::uint32_t t) { return (t % 2 == 0 ? 1000 : 2000) + t * (t + 1) / 2; });
}

TEST(Calls, ARecursionWithoutAnEndIsAFault) {
  const Program program =
      decode_module(".func (.param .b32 result) deeper(.param .b32 number);\n" +
                        function("deeper", "add.u32 %r1, %x, 1;\n" + call_of("deeper", "%r1", "%y") +
                                               "add.u32 %y, %y, %x;"),
                    "mov.u32 %r1, 0;\n" + call_of("deeper") + "st.global.u32 [%o], %r2;");
  const RunResult result = run_module(program).result;
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::stack_overflow);
  EXPECT_NE(result.fault->text.find("thread 0 calls 'deeper'"), std::string::npos) << result.fault->text;
  EXPECT_NE(result.fault->text.find("check that the recursion ends"), std::string::npos);
}

TEST(Calls, AFunctionMayEndItsThread) {
  expect(decode_module(
             function("leave", "setp.gt.u32 %p1, %x, 20;\n@%p1 exit;\nmov.u32 %y, %x;"),
             "st.global.u32 [%o], 1;\nmov.u32 %r1, %t;\n" + call_of("leave") + "st.global.u32 [%o], %r2;"),
         [](std::uint32_t t) { return t > 20 ? 1 : t; });
}

TEST(Calls, LabelsAndTablesBelongToTheirFunction) {
  const std::string table = "TABLE: .branchtargets A, B;\nbrx.idx %r7, TABLE;\n";
  expect(decode_module(function("pick", "and.b32 %r7, %x, 1;\n" + table +
                                            "A: mov.u32 %y, 10;\nbra END;\nB: mov.u32 %y, 20;\nEND:"),
                       "shr.u32 %r7, %t, 1;\nand.b32 %r7, %r7, 1;\n" + table +
                           "A: mov.u32 %r3, 100;\nbra END;\nB: mov.u32 %r3, 200;\nEND: mov.u32 %r1, %t;\n" +
                           call_of("pick") + "add.u32 %r2, %r2, %r3;\nst.global.u32 [%o], %r2;"),
         [](std::uint32_t t) { return (t % 2 == 0 ? 10 : 20) + (t / 2 % 2 == 0 ? 100 : 200); });
}

// The address of a parameter, as for an array that is indexed.
TEST(Calls, AParameterHasAnAddress) {
  const std::string functions = R"(
    .func (.param .b32 result) element(.param .align 4 .b8 words[16], .param .b32 index)
    {
      .reg .b64 %a, %d; .reg .b32 %i, %v;
      mov.b64 %a, words;
      ld.param.u32 %i, [index];
      mul.wide.u32 %d, %i, 4;
      add.u64 %a, %a, %d;
      ld.param.u32 %v, [%a];
      st.param.b32 [result], %v;
      ret;
    })";
  expect(decode_module(functions, R"(
    .param .align 4 .b8 words[16]; .param .b32 index; .param .b32 back;
    st.param.v4.b32 [words], {10, 20, 30, 40};
    and.b32 %r1, %t, 3;
    st.param.b32 [index], %r1;
    call (back), element, (words, index);
    ld.param.b32 %r1, [back];
    st.global.u32 [%o], %r1;)"),
         [](std::uint32_t t) { return 10 * (t % 4 + 1); });
}

TEST(Calls, RefusesWhatItCannotCall) {
  const std::string taken = ".extern .func (.param .b32 r) elsewhere(.param .b32 n);\n";
  EXPECT_NE(refusal(taken, call_of("elsewhere")).find("the function 'elsewhere' has no body in this PTX"),
            std::string::npos);
  EXPECT_NE(refusal(function("f", "mov.u32 %y, %x;"),
                    "mov.u64 %rd1, f;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (%r1), "
                    "%rd1, (%r2), P;")
                .find("the address of a function"),
            std::string::npos);
  EXPECT_NE(refusal("", "P: .callprototype _ ();\ncall %rd1, P;").find("an indirect call"),
            std::string::npos);
  EXPECT_NE(refusal(function("f", "mov.u32 %y, %x;"), "call (%r1), f, (%r2, %r3);")
                .find("it has 2 arguments, 'f' takes 1"),
            std::string::npos);
  EXPECT_NE(refusal(function("f", "mov.u32 %y, %x;"), ".param .b64 wide; call (%r1), f, (wide);")
                .find("'wide' does not fit 'number' of 'f'"),
            std::string::npos);
  EXPECT_NE(refusal("", "st.param.u64 [out], %o;").find("parameters of a kernel cannot be written"),
            std::string::npos);
}

const std::string assertion = R"(
  .extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
  .global .align 1 .b8 message[6] = {110, 32, 60, 32, 52, 0};)";
std::string assert_less_than(int limit) {
  return "setp.lt.u32 %p1, %t, " + std::to_string(limit) + R"(;
    @%p1 bra FINE;
    mov.u64 %rd1, message;
    cvta.global.u64 %rd2, %rd1;
    {
      .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
      st.param.b64 [a], %rd2; st.param.b64 [b], %rd2; st.param.b32 [c], 12; st.param.b64 [d], %rd2;
      st.param.b64 [e], 1;
      call.uni __assertfail, (a, b, c, d, e);
    }
  FINE: st.global.u32 [%o], %t;)";
}

TEST(Calls, AnAssertionThatHoldsChangesNothing) {
  const Program program = decode_module(assertion, assert_less_than(32));
  expect(program, [](std::uint32_t t) { return t; });
  EXPECT_TRUE(program.notes.empty());
}

TEST(Calls, AnAssertionThatFailsEndsTheKernelWithItsText) {
  const RunResult result = run_module(decode_module(assertion, assert_less_than(4))).result;
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::trap);
  EXPECT_EQ(result.fault->thread, 4u);
  EXPECT_NE(result.fault->text.find("the assertion 'n < 4' failed at PTX line"), std::string::npos)
      << result.fault->text;
}

TEST(Calls, PrintfWithoutArgumentsReturnsZero) {
  const Program program = decode_module(
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.global .b8 text[2];",
      "mov.u64 %rd1, text;\n{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1;\n"
      "st.param.b64 [b], 0; call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }\n"
      "add.u32 %r1, %r1, %t;\nst.global.u32 [%o], %r1;");
  expect(program, [](std::uint32_t t) { return t; });
  EXPECT_TRUE(program.prints);
  EXPECT_TRUE(program.notes.empty());
}

TEST(CallGraph, HasWhatAKernelReaches) {
  const Module module = parse(
      ".version 8.0\n.target sm_80\n.func a(); .func b() { call a; } .func c() { ret; }\n"
      ".func a() { call b; call c; call b; }\n.entry k() { call c; call a; }\n.func d() { call a; }\n");
  const auto index = [&](std::string_view name) {
    return static_cast<std::uint32_t>(module.find(name) - module.functions.data());
  };
  const CallGraph graph = call_graph(module, index("k"));
  EXPECT_EQ(graph.functions, (std::vector<std::uint32_t>{index("k"), index("c"), index("a"), index("b")}));
  EXPECT_EQ(graph.calls, (std::vector<std::vector<std::uint32_t>>{{1, 2}, {}, {3, 1}, {2}}));
  EXPECT_EQ(graph.callees_first(), (std::vector<std::uint32_t>{1, 3, 2, 0}));
  EXPECT_EQ(graph.position_of(index("d")), no_index);
  EXPECT_TRUE(graph.is_recursive());
  EXPECT_TRUE(graph.reaches(2, 2));
  EXPECT_FALSE(graph.reaches(0, 0));
  EXPECT_TRUE(graph.reaches(0, 3));
  EXPECT_FALSE(graph.reaches(1, 2));
}

}  // namespace
}  // namespace tilescope::ptx
