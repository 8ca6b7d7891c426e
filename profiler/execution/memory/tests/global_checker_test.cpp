#include "profiler/execution/memory/global_checker.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/execution/memory/tests/ptx_kernel.hpp"

namespace tilescope {
namespace {

std::vector<Finding> check(const std::string& body, int host_threads) {
  KernelRun run;
  run.threads = 64;
  run.blocks = 12;
  run.options.check = true;
  run.options.count = false;
  run.options.host_threads = host_threads;
  return trace_kernel(program_of(body), run).findings;
}

// Each block writes its number where the next ones write theirs, and reads what another block writes.
const std::string between_blocks = R"(
  at(10)
  mov.u32 %r5, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  at(11)
  xor.b32 %r6, %r5, 1;
  mad.lo.u32 %r6, %r6, 64, %r1;
  mul.wide.u32 %rd4, %r6, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r7, [%rd5+1024];
  at(12)
  mad.lo.u32 %r8, %r5, 64, %r1;
  mul.wide.u32 %rd6, %r8, 4;
  add.s64 %rd7, %rd1, %rd6;
  st.global.u32 [%rd7+1024], %r5;
)";

TEST(GlobalChecker, FindsTheSameWithAnyNumberOfHostThreads) {
  const std::vector<Finding> one = check(between_blocks, 1);
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].kind, "global_race");
  EXPECT_EQ(one[0].lines, (std::vector<std::int64_t>{10}));
  EXPECT_EQ(one[0].occurrences, 64);
  for (const int host_threads : {2, 3, 5})
    EXPECT_EQ(check(between_blocks, host_threads), one) << host_threads;
}

TEST(GlobalChecker, NarrowStoresOfOneWordDoNotRace) {
  const auto bytes = [](const std::string& scale) {
    return "at(10)\n mov.u32 %r5, %ctaid.x;\n mad.lo.u32 %r6, %r5, " + scale +
           ", %r1;\n cvt.u64.u32 %rd2, %r6;\n add.s64 %rd3, %rd1, %rd2;\n st.global.u8 [%rd3], %r5;\n";
  };
  EXPECT_TRUE(check(bytes("64"), 2).empty());
  ASSERT_EQ(check(bytes("63"), 2).size(), 1u);
  EXPECT_EQ(check(bytes("63"), 2)[0].kind, "global_race");
}

}  // namespace
}  // namespace tilescope
