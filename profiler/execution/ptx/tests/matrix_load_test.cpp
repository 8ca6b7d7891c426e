// ldmatrix and stmatrix: every position of every matrix.
#include <gtest/gtest.h>

#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {
namespace {

// Rows lie in shared memory in no order: row r of matrix m, whose address lane 8m + r gives, begins at byte
// 16 * (37 * lane mod 64).
int row_place(int lane) {
  return 37 * lane % 64;
}
const char* const row_address =
    "mul.lo.u32 %r1, %t, 37; and.b32 %r1, %r1, 63; mul.lo.u32 %r1, %r1, 16; mov.u32 %r2, smem; add.u32 %r1, "
    "%r1, %r2;"
    "mul.wide.u32 %rd4, %t, 4; add.u64 %rd4, %rd4, %out;\n";

std::string fragment(int count) {
  const char* lists[] = {"{%r11}", "{%r11, %r12}", "", "{%r11, %r12, %r13, %r14}"};
  return lists[count - 1];
}

struct Addressing {
  const char* space;
  const char* prologue;
  const char* address;
};
const Addressing addressings[] = {
    {".shared", "", "[%r1]"},
    {".shared::cta", "cvt.u64.u32 %rd1, %r1;", "[%rd1]"},
    {"", "cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1;", "[%rd1+0]"},
};

TEST(Ldmatrix, PutsEveryElementInItsPlace) {
  for (const Addressing& addressing : addressings) {
    for (const int count : {1, 2, 4}) {
      for (const bool transposed : {false, true}) {
        MemorySnippet snippet;
        snippet.output_bytes = static_cast<std::size_t>(128 * count);
        // Element i of shared memory holds i.
        snippet.body =
            "mov.u32 %r20, smem; mul.lo.u32 %r21, %t, 32; add.u32 %r20, %r20, %r21; mul.lo.u32 %r22, %t, 16; "
            "mov.u32 %r23, 0;\n"
            "FILL: st.shared.u16 [%r20], %r22; add.u32 %r20, %r20, 2; add.u32 %r22, %r22, 1; add.u32 %r23, "
            "%r23, 1;"
            "setp.lt.u32 %p1, %r23, 16; @%p1 bra FILL; bar.sync 0;\n";
        snippet.body += std::string(row_address) + addressing.prologue + "ldmatrix.sync.aligned.m8n8.x" +
                        std::to_string(count) + (transposed ? ".trans" : "") + addressing.space + ".b16 " +
                        fragment(count) + ", " + addressing.address + ";\n";
        for (int m = 0; m < count; ++m) {
          snippet.body +=
              "st.global.u32 [%rd4+" + std::to_string(128 * m) + "], %r" + std::to_string(11 + m) + ";";
        }
        const auto ran = snippet.run();
        ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
        for (int m = 0; m < count; ++m) {
          for (int lane = 0; lane < 32; ++lane) {
            for (int half = 0; half < 2; ++half) {
              const int along = lane % 4 * 2 + half;
              const int row = transposed ? along : lane / 4, column = transposed ? lane / 4 : along;
              const int expected = 8 * (row_place(8 * m + row) % 64) + column;
              ASSERT_EQ(ran.at<std::uint16_t>(static_cast<std::size_t>(64 * m + 2 * lane + half)),
                        expected % 512)
                  << "x" << count << (transposed ? ".trans" : "") << addressing.space << " matrix " << m
                  << " lane " << lane;
            }
          }
        }
      }
    }
  }
}

TEST(Stmatrix, PutsEveryElementInItsPlace) {
  for (const Addressing& addressing : addressings) {
    for (const int count : {1, 2, 4}) {
      for (const bool transposed : {false, true}) {
        MemorySnippet snippet;
        snippet.output_bytes = 1024;
        // Register m of a lane holds the halves 64m + 2 lane and the next; shared memory 0xffff before.
        snippet.body =
            "mov.u32 %r20, smem; mul.lo.u32 %r21, %t, 32; add.u32 %r20, %r20, %r21; mov.u32 %r22, -1;"
            "st.shared.v4.u32 [%r20], {%r22, %r22, %r22, %r22}; st.shared.v4.u32 [%r20+16], {%r22, %r22, "
            "%r22, %r22}; bar.sync 0;\n"
            "mul.lo.u32 %r23, %t, 0x20002; add.u32 %r11, %r23, 0x10000; add.u32 %r12, %r11, 0x400040;"
            "add.u32 %r13, %r12, 0x400040; add.u32 %r14, %r13, 0x400040;\n";
        snippet.body += std::string(row_address) + addressing.prologue + "stmatrix.sync.aligned.m8n8.x" +
                        std::to_string(count) + (transposed ? ".trans" : "") + addressing.space + ".b16 " +
                        addressing.address + ", " + fragment(count) + ";\n";
        snippet.body +=
            "bar.sync 0; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20]; ld.shared.v4.u32 {%r5, %r6, %r7, "
            "%r8}, [%r20+16];"
            "mul.wide.u32 %rd5, %t, 32; add.u64 %rd5, %rd5, %out; st.global.v4.u32 [%rd5], {%r1, %r2, %r3, "
            "%r4};"
            "st.global.v4.u32 [%rd5+16], {%r5, %r6, %r7, %r8};";
        const auto ran = snippet.run();
        ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
        std::vector<int> expected(512, 0xffff);
        for (int m = 0; m < count; ++m) {
          for (int row = 0; row < 8; ++row) {
            for (int column = 0; column < 8; ++column) {
              const int fragment_row = transposed ? column : row, fragment_column = transposed ? row : column;
              expected[static_cast<std::size_t>(8 * row_place(8 * m + row) + column)] =
                  64 * m + 8 * fragment_row + fragment_column;
            }
          }
        }
        for (std::size_t i = 0; i < 512; ++i) {
          ASSERT_EQ(ran.at<std::uint16_t>(i), expected[i])
              << "x" << count << (transposed ? ".trans" : "") << addressing.space << " element " << i;
        }
      }
    }
  }
}

TEST(Ldmatrix, FaultsOfRowsAreNamed) {
  MemorySnippet snippet;
  snippet.body =
      "mul.lo.u32 %r1, %t, 16; add.u32 %r1, %r1, 8; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, "
      "%r5}, [%r1];";
  auto ran = snippet.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::misaligned);
  snippet.body =
      "mul.lo.u32 %r1, %t, 1024; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];";
  ran = snippet.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::out_of_bounds);
  EXPECT_EQ(ran.result.fault->thread, 8u);
  // The addresses of lanes beyond the matrices do not count.
  snippet.body = "mul.lo.u32 %r1, %t, 1024; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];";
  EXPECT_FALSE(snippet.run().result.fault);
}

struct Seen {
  Access access;
  int lane_bytes;
  LaneMask lanes;
};
class Recorder : public Observer {
 public:
  explicit Recorder(std::vector<Seen>* seen) : seen_(seen) {}
  void access(const Warp&, const MemoryAccess& a) override {
    if (a.space == Space::shared) seen_->push_back({a.access, a.lane_bytes, a.lanes});
  }

 private:
  std::vector<Seen>* seen_;
};

TEST(Ldmatrix, TellsObserversItsRows) {
  std::vector<Seen> seen;
  MemorySnippet snippet;
  snippet.make_observer = [&] { return std::make_unique<Recorder>(&seen); };
  snippet.body =
      "mul.lo.u32 %r1, %t, 16; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r1];"
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r2, %r3, %r2, %r3};";
  ASSERT_FALSE(snippet.run().result.fault);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].access, Access::matrix_load);
  EXPECT_EQ(seen[0].lanes, 0xffffu);
  EXPECT_EQ(seen[0].lane_bytes, 16);
  EXPECT_EQ(seen[1].access, Access::matrix_store);
  EXPECT_EQ(seen[1].lanes, all_lanes);
}

}  // namespace
}  // namespace tilescope::ptx
