// Loops that never end: found, with what they wait for; and loops that look like them and end.
#include <gtest/gtest.h>

#include <string>

#include "profiler/execution/ptx/tests/ptx_kernel_run.hpp"

namespace tilescope::ptx {
namespace {

using simt::FaultKind;

constexpr const char* flag = ".global .align 4 .u32 flag = 3;\n.shared .align 4 .u32 ready;\n";

std::string fault_of(const std::string& kernel, std::uint32_t threads = 64) {
  const KernelRun ran = run_module(decode_module(flag, kernel), threads);
  if (!ran.result.fault) return "ended";
  EXPECT_EQ(ran.result.fault->kind, FaultKind::livelock) << ran.result.fault->text;
  return ran.result.fault->text;
}
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Livelock, NamesTheLocationAndItsValue) {
  const std::string text = fault_of(
      "mov.u64 %rd1, flag;\nSPIN: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra "
      "SPIN;\n"
      "st.global.u32 [%o], %r1;");
  EXPECT_PRED2(says, text,
               "makes no progress: thread 0 of block (0, 0, 0) waits for another value of byte 0 of 'flag' "
               "(4 bytes, now 3)");
}

// Warp 1 waits at the barrier for warp 0, which waits for a value that is never written.
TEST(Livelock, OthersMayWaitAtABarrier) {
  const std::string text = fault_of(
      "mov.u64 %rd1, flag;\nsetp.ge.u32 %p2, %t, 32;\n@%p2 bra MEET;\nmov.u32 %r3, 1;\n"
      "SPIN: atom.global.cas.b32 %r1, [%rd1], 0, %r3;\nsetp.ne.u32 %p1, %r1, 0;\nmin.u32 %r3, %r3, 64;\n@%p1 "
      "bra SPIN;\n"
      "MEET: bar.sync 0;\nst.global.u32 [%o], %r1;");
  EXPECT_PRED2(says, text, "waits for another value of byte 0 of 'flag'");
}

TEST(Livelock, ALoopWithoutMemoryIsNamedToo) {
  EXPECT_PRED2(says, fault_of("SPIN: bra SPIN;"), "never ends: nothing that decides about its end changes");
}

// The value that warp 0 waits for is written by warp 1, which has its turn later.
TEST(Livelock, AValueOfAnotherWarpComes) {
  EXPECT_EQ(
      fault_of(
          "mov.u32 %r1, ready;\nsetp.ge.u32 %p2, %t, 32;\n@%p2 bra WRITE;\n"
          "SPIN: ld.volatile.shared.u32 %r2, [%r1];\nsetp.ne.u32 %p1, %r2, 7;\n@%p1 bra SPIN;\nbra DONE;\n"
          "WRITE: mov.u32 %r3, 0;\nDELAY: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 1450000;\n@%p3 bra "
          "DELAY;\n"
          "mov.u32 %r2, 7;\nst.volatile.shared.u32 [%r1], %r2;\nDONE: st.global.u32 [%o], %r2;"),
      "ended");
}

// Waits as long as a counter says, not for the value.
TEST(Livelock, ALoopThatCountsEnds) {
  EXPECT_EQ(
      fault_of(
          "mov.u64 %rd1, flag;\nmov.u32 %r3, 0;\nSPIN: ld.volatile.global.u32 %r1, [%rd1];\n"
          "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2400000;\n@%p1 bra SPIN;\nst.global.u32 [%o], %r3;",
          32),
      "ended");
}

}  // namespace
}  // namespace tilescope::ptx
