// printf and assert in kernels.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "profiler/execution/ptx/tests/ptx_kernel_run.hpp"
#include "profiler/execution/simt/printf_format.hpp"

namespace tilescope::ptx {
namespace {

using simt::format_printf;

// Arguments one after the other; texts by address.
std::string formatted(const std::string& format, std::vector<std::uint64_t> arguments = {},
                      int* taken = nullptr) {
  std::size_t next = 0;
  const simt::Printed printed = format_printf(
      format, {.next =
                   [&](int bytes) {
                     const std::uint64_t bits = arguments.at(next++);
                     return bytes == 4 ? bits & 0xffff'ffff : bits;
                   },
               .text_at = [](std::uint64_t address) { return "text " + std::to_string(address); }});
  if (taken != nullptr) *taken = printed.arguments;
  EXPECT_EQ(next, arguments.size()) << format;
  return printed.text;
}
std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

TEST(Printf, Integers) {
  EXPECT_EQ(formatted("%d|%i|%u", {static_cast<std::uint64_t>(-5), 7, static_cast<std::uint64_t>(-1)}),
            "-5|7|4294967295");
  EXPECT_EQ(formatted("%x|%X|%o|%#x|%c", {255, 255, 8, 16, 'A'}), "ff|FF|10|0x10|A");
  EXPECT_EQ(formatted("%lld|%llu|%ld|%zu|%hhd|%hu",
                      {static_cast<std::uint64_t>(-5), ~0ull, 1ull << 40, 9, 0x1ff, 0x1'0002}),
            "-5|18446744073709551615|1099511627776|9|-1|2");
}

TEST(Printf, WidthPrecisionAndFlags) {
  EXPECT_EQ(formatted("%5d|%-5d|%05d|%+d|% d", {3, 3, 3, 3, 3}), "    3|3    |00003|+3| 3");
  EXPECT_EQ(formatted("%8.3f|%-8.2e|%.0f", {bits(3.14159), bits(12345.678), bits(2.5)}),
            "   3.142|1.23e+04|2");
  EXPECT_EQ(formatted("%*d|%-*d|%.*f", {5, 42, 4, 42, 1, bits(2.25)}), "   42|42  |2.2");
  EXPECT_EQ(formatted("%*d|", {static_cast<std::uint64_t>(-4), 7}), "7   |") << "a negative width is a flag";
}

TEST(Printf, RealNumbers) {
  EXPECT_EQ(formatted("%f %e %g %G %a", {bits(1.5), bits(1.5), bits(1.5), bits(1e-10), bits(1.5)}),
            "1.500000 1.500000e+00 1.5 1E-10 0x1.8p+0");
  EXPECT_EQ(formatted("%f %f", {bits(std::numeric_limits<double>::infinity()), bits(-0.0)}), "inf -0.000000");
}

TEST(Printf, TextsAndPointers) {
  EXPECT_EQ(formatted("%s|%10s|%.2s|%s", {7, 8, 9, 0}), "text 7|    text 8|te|(null)");
  EXPECT_EQ(formatted("%p %p", {0x1234, 0}), "0x1234 (nil)");
}

TEST(Printf, CountsItsArgumentsAndKeepsWhatItDoesNotKnow) {
  int taken = 0;
  EXPECT_EQ(formatted("100%% %d %*d", {1, 3, 2}, &taken), "100% 1   2");
  EXPECT_EQ(taken, 3);
  EXPECT_EQ(formatted("%y %n %", {}, &taken), "%y %n %");
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(formatted("%999999999d", {1}).size(), 4096u) << "no memory is taken for a senseless width";
}

constexpr const char* declarations =
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 format[10] = {37, 100, 32, 37, 46, 50, 102, 10, 0, 0};\n";

// printf("%d %.2f\n", %t, 1.5) for the threads from `first` on; its result goes to out.
std::string prints(int first) {
  return ".local .align 8 .b8 values[16]; .reg .f64 %fd<2>;\n"
         "setp.lt.u32 %p1, %t, " +
         std::to_string(first) +
         ";\nmov.u32 %r1, 99;\n@%p1 bra DONE;\n"
         "mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1;\nmov.u64 %rd2, values;\n"
         "st.local.u32 [%rd2], %t; mov.f64 %fd1, 0d3FF8000000000000; st.local.f64 [%rd2+8], %fd1;\n"
         "cvta.local.u64 %rd3, %rd2;\n"
         "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd3;\n"
         "call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }\n"
         "DONE: st.global.u32 [%o], %r1;";
}

TEST(Printing, TextsComeInTheOrderOfThreads) {
  const Program program = decode_module(declarations, prints(30));
  EXPECT_TRUE(program.prints);
  const KernelRun ran = run_module(program);
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  ASSERT_EQ(ran.result.printed.size(), 2u);
  EXPECT_EQ(ran.result.printed[0].text, "30 1.50\n");
  EXPECT_EQ(ran.result.printed[0].thread, 30u);
  EXPECT_EQ(ran.result.printed[1].text, "31 1.50\n");
  EXPECT_NE(program.origins[ran.result.printed[1].origin].text.find("vprintf"), std::string::npos);
  EXPECT_EQ(ran.out[0], 99u);
  EXPECT_EQ(ran.out[31], 2u) << "printf returns the number of its arguments";
}

TEST(Printing, KeepsAsMuchAsAGpuDoes) {
  simt::PrintLog log;
  const std::string text(1000, 'x');
  std::size_t kept = 0;
  while (log.add({0, {}, 0, 0, text})) ++kept;
  EXPECT_EQ(kept, simt::PrintLog::most_bytes / (text.size() + simt::PrintLog::bytes_beside));
  EXPECT_EQ(log.texts().size(), kept);
  EXPECT_EQ(log.dropped(), 1u);
}

}  // namespace
}  // namespace tilescope::ptx
