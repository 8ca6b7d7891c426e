// cp.async: what is visible when, groups, fewer source bytes; and arrival at mbarriers.
#include <gtest/gtest.h>

#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {
namespace {

std::vector<std::byte> numbers(std::uint32_t count) {
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t i = 0; i < count; ++i) values[i] = 1000 + i;
  return bytes_of(values);
}

// %r1 = smem + 16 t, %rd1 = in + 16 t, %rd2 = out + 16 t; shared memory holds 7 everywhere.
const char* const prologue =
    "mul.lo.u32 %r1, %t, 16; mov.u32 %r2, smem; add.u32 %r1, %r1, %r2; mul.wide.u32 %rd3, %t, 16; add.u64 "
    "%rd1, %rd3, %in;"
    "add.u64 %rd2, %rd3, %out; mov.u32 %r3, 7; st.shared.v4.u32 [%r1], {%r3, %r3, %r3, %r3};"
    "st.shared.v4.u32 [%r1+512], {%r3, %r3, %r3, %r3}; bar.sync 0;\n";

std::string bring_out(int from, int to) {
  return "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r1+" + std::to_string(from) +
         "]; st.global.v4.u32 [%rd2+" + std::to_string(to) + "], {%r20, %r21, %r22, %r23};\n";
}

MemorySnippet snippet_of(const std::string& body, std::size_t output_bytes) {
  MemorySnippet snippet;
  snippet.input = numbers(512);
  snippet.output_bytes = output_bytes;
  snippet.body = prologue + body;
  return snippet;
}

TEST(AsyncCopy, IsVisibleAfterTheWaitAndNotBefore) {
  for (const char* wait : {"cp.async.wait_all;", "cp.async.commit_group; cp.async.wait_group 0;"}) {
    const auto ran = snippet_of("cp.async.cg.shared.global [%r1], [%rd1], 16;\n" + bring_out(0, 0) + wait +
                                    bring_out(0, 512),
                                1024)
                         .run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::uint32_t i = 0; i < 128; ++i) {
      EXPECT_EQ(ran.at<std::uint32_t>(i), 7u);
      EXPECT_EQ(ran.at<std::uint32_t>(128 + i), 1000 + i);
    }
  }
}

TEST(AsyncCopy, NeedsACommitForAWaitOfGroups) {
  const auto ran =
      snippet_of("cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.wait_group 0;\n" + bring_out(0, 0),
                 512)
          .run();
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(ran.at<std::uint32_t>(i), 7u);
}

TEST(AsyncCopy, WaitsForAllButTheNewestGroups) {
  const auto ran =
      snippet_of(
          "cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.commit_group;\n"
          "cp.async.cg.shared.global [%r1+512], [%rd1+512], 16; cp.async.commit_group;\n"
          "cp.async.wait_group 1;\n" +
              bring_out(0, 0) + bring_out(512, 512) + "cp.async.wait_group 0;\n" + bring_out(512, 1024),
          1536)
          .run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(ran.at<std::uint32_t>(i), 1000 + i);
    EXPECT_EQ(ran.at<std::uint32_t>(128 + i), 7u);
    EXPECT_EQ(ran.at<std::uint32_t>(256 + i), 1128 + i);
  }
}

// Each thread has its own groups: lanes that committed an extra empty group have one more group pending.
TEST(AsyncCopy, GroupsAreOfEachThread) {
  const auto ran =
      snippet_of(
          "setp.lt.u32 %p1, %t, 10; cp.async.ca.shared.global [%r1], [%rd1], 16; cp.async.commit_group;\n"
          "@%p1 cp.async.commit_group;\ncp.async.wait_group 1;\n" +
              bring_out(0, 0),
          512)
          .run();
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.at<std::uint32_t>(4 * t), t < 10 ? 1000 + 4 * t : 7u);
}

TEST(AsyncCopy, ReadsWhenItIsIssued) {
  auto snippet = snippet_of(
      "cp.async.ca.shared.global [%r1], [%rd1], 8; mov.u32 %r9, 1; st.global.u32 [%rd1], %r9; "
      "cp.async.wait_all;\n" +
          bring_out(0, 0),
      512);
  snippet.input_is_read_only = false;
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(ran.at<std::uint32_t>(4 * t), 1000 + 4 * t);
    EXPECT_EQ(ran.at<std::uint32_t>(4 * t + 1), 1001 + 4 * t);
    EXPECT_EQ(ran.at<std::uint32_t>(4 * t + 2), 7u);
  }
}

// Zeros follow the source's bytes. Without source bytes nothing is read, and the address may be anything.
TEST(AsyncCopy, FillsWithZeros) {
  for (const int size : {4, 8, 16}) {
    const std::string s = std::to_string(size);
    const auto ran = snippet_of("and.b32 %r5, %t, 1; mul.lo.u32 %r5, %r5, " + s +
                                    "; setp.eq.u32 %p1, %r5, 0; selp.b64 %rd5, 16, %rd1, %p1;\n"
                                    "cp.async.ca.shared.global.L2::128B [%r1], [%rd5], " +
                                    s + ", %r5; cp.async.wait_all;\n" + bring_out(0, 0),
                                512)
                         .run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::uint32_t t = 0; t < 32; ++t) {
      for (std::uint32_t e = 0; e < 4; ++e) {
        const std::uint32_t expected = static_cast<int>(4 * e) >= size ? 7
                                       : t % 2 == 0                    ? 0
                                                                       : 1000 + 4 * t + e;
        EXPECT_EQ(ran.at<std::uint32_t>(4 * t + e), expected) << size;
      }
    }
  }
}

TEST(AsyncCopy, ReadsAPartOfItsBytes) {
  const auto ran = snippet_of(
                       "and.b32 %r5, %t, 3; mul.lo.u32 %r5, %r5, 5; cp.async.cg.shared::cta.global [%r1], "
                       "[%rd1], 16, %r5; cp.async.wait_all;\n" +
                           bring_out(0, 0),
                       512)
                       .run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  const auto input = numbers(128);
  for (std::size_t t = 0; t < 32; ++t) {
    for (std::size_t b = 0; b < 16; ++b) {
      EXPECT_EQ(ran.output[16 * t + b], b < t % 4 * 5 ? input[16 * t + b] : std::byte{0}) << t << " " << b;
    }
  }
}

TEST(AsyncCopy, IgnoresTheSourceWhereThePredicateSays) {
  const auto ran =
      snippet_of(
          "setp.gt.u32 %p1, %t, 20; cp.async.cg.shared.global [%r1], [%rd1], 16, %p1; cp.async.wait_all;\n" +
              bring_out(0, 0),
          512)
          .run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(ran.at<std::uint32_t>(4 * t + 1), t > 20 ? 0 : 1001 + 4 * t);
}

TEST(AsyncCopy, OtherLanesAreUntouched) {
  const auto ran =
      snippet_of(
          "setp.eq.u32 %p1, %t, 3; @%p1 cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.wait_all;\n" +
              bring_out(0, 0),
          512)
          .run();
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.at<std::uint32_t>(4 * t), t == 3 ? 1012u : 7u);
}

struct Seen {
  Space space;
  Access access;
  int lane_bytes;
  LaneMask lanes;
  std::uint64_t first;
};
class Recorder : public Observer {
 public:
  explicit Recorder(std::vector<Seen>* seen) : seen_(seen) {}
  void access(const Warp&, const MemoryAccess& a) override {
    if (a.access == Access::load || a.access == Access::store) return;
    seen_->push_back({a.space, a.access, a.lane_bytes, a.lanes, a.addresses[__builtin_ctz(a.lanes)]});
  }

 private:
  std::vector<Seen>* seen_;
};

TEST(AsyncCopy, TellsObserversOfReadIssueAndWrite) {
  std::vector<Seen> seen;
  auto snippet = snippet_of(
      "setp.gt.u32 %p1, %t, 3; @%p1 cp.async.ca.shared.global [%r1], [%rd1], 8; cp.async.wait_all;", 0);
  snippet.make_observer = [&] { return std::make_unique<Recorder>(&seen); };
  ASSERT_FALSE(snippet.run().result.fault);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].access, Access::async_copy_read);
  EXPECT_EQ(seen[0].space, Space::global);
  EXPECT_EQ(seen[1].access, Access::async_copy_issue);
  EXPECT_EQ(seen[2].access, Access::async_copy_write);
  for (const Seen& s : seen) {
    EXPECT_EQ(s.lanes, ~LaneMask{15});
    EXPECT_EQ(s.lane_bytes, 8);
  }
  EXPECT_EQ(seen[1].first, 64u);
  EXPECT_EQ(seen[2].first, 64u);
}

TEST(AsyncCopy, Faults) {
  auto ran = snippet_of("cp.async.cg.shared.global [%r1+8], [%rd1], 16;", 0).run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::misaligned);
  ran = snippet_of("cp.async.cg.shared.global [%r1], [%rd1+2000], 16;", 0).run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::out_of_bounds);
  EXPECT_NE(ran.result.fault->text.find("'in'"), std::string::npos);
  ran = snippet_of("cp.async.cg.shared.global [%r1+8000], [%rd1], 16;", 0).run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_NE(ran.result.fault->text.find("shared"), std::string::npos);
}

TEST(AsyncCopy, BulkCopiesAreUnsupported) {
  MemorySnippet snippet;
  snippet.body =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];";
  EXPECT_THROW(build_program(parse(snippet.text()), "test"), Unsupported);
}

// The copies of a thread are complete when its arrival counts.
TEST(AsyncCopy, ArrivesAtAnMbarrierWhenItIsComplete) {
  const auto ran = snippet_of(
                       "setp.eq.u32 %p1, %t, 0; mov.u32 %r9, smem; @%p1 mbarrier.init.shared.b64 [%r9+4096], "
                       "32; bar.sync 0;\n"
                       "cp.async.ca.shared.global [%r1], [%rd1], 16; "
                       "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9+4096];\n"
                       "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r9+4096], 0; @!%p2 bra WAIT;\n" +
                           bring_out(0, 0),
                       512)
                       .run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(ran.at<std::uint32_t>(i), 1000 + i);
}

}  // namespace
}  // namespace tilescope::ptx
