// ld and st: faults, and what observers are told.
#include <gtest/gtest.h>

#include <memory>

#include "profiler/execution/ptx/tests/memory_recorder.hpp"

namespace tilescope::ptx {
namespace {

// Keeps the faults and goes on.
class Forgiving : public Observer {
 public:
  explicit Forgiving(std::vector<Fault>* faults) : faults_(faults) {}
  bool fault(const Fault& fault) override {
    faults_->push_back(fault);
    return true;
  }

 private:
  std::vector<Fault>* faults_;
};

struct FaultCase {
  const char* body;
  FaultKind kind;
  std::uint32_t thread;
  std::vector<const char*> says;
};

TEST(LoadStore, FaultsNameTheThreadTheAddressAndWhatIsThere) {
  const FaultCase cases[] = {
      {"mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %in; ld.global.u32 %r1, [%rd1];",
       FaultKind::out_of_bounds,
       16,
       {"reads 4 bytes", "'in'", "0 bytes behind the end", "PTX line"}},
      {"mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1+-4], %r1;",
       FaultKind::out_of_bounds,
       0,
       {"writes 4 bytes", "Thread 0 of block (0, 0, 0)"}},
      {"mul.wide.u32 %rd1, %t, 2; add.u64 %rd1, %rd1, %in; ld.global.u32 %r1, [%rd1];",
       FaultKind::misaligned,
       1,
       {"multiple of 4"}},
      {"add.u64 %rd1, %in, 8; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
       FaultKind::misaligned,
       0,
       {"multiple of 16"}},
      {"st.global.u8 [%in], %r1;", FaultKind::read_only, 0, {"'in'", "read-only"}},
      {"mul.lo.u32 %r1, %t, 512; ld.shared.u32 %r2, [%r1];",
       FaultKind::out_of_bounds,
       16,
       {"shared address 0x2000", "8192 bytes of shared memory"}},
      {"mov.u32 %r1, -4; st.shared.u32 [%r1], %r2;", FaultKind::out_of_bounds, 0, {"shared"}},
      {"ld.shared.v2.u32 {%r1, %r2}, [smem+8188];", FaultKind::misaligned, 0, {"multiple of 8"}},
      {"mov.u64 %rd1, stack; ld.local.u32 %r1, [%rd1+64];",
       FaultKind::out_of_bounds,
       0,
       {"64 bytes of local memory"}},
      {"mov.u64 %rd1, 0; ld.u32 %r1, [%rd1];", FaultKind::out_of_bounds, 0, {"global address 0x0"}},
      {"ld.param.u32 %r1, [bytes+32];", FaultKind::out_of_bounds, 0, {"48 bytes of parameters"}},
      {"mov.u64 %rd1, smem; cvta.shared.u64 %rd1, %rd1; ld.u32 %r1, [%rd1+8192];",
       FaultKind::out_of_bounds,
       0,
       {"shared address 0x2000"}},
      {"mov.u64 %rd1, table; st.u32 [%rd1], 0;", FaultKind::read_only, 0, {"'table'"}},
  };
  for (const FaultCase& c : cases) {
    MemorySnippet snippet;
    snippet.body = c.body;
    snippet.input.resize(64);
    snippet.output_bytes = 128;
    const auto ran = snippet.run();
    ASSERT_TRUE(ran.result.fault) << c.body;
    EXPECT_EQ(ran.result.fault->kind, c.kind) << ran.result.fault->text;
    EXPECT_EQ(ran.result.fault->thread, c.thread) << ran.result.fault->text;
    for (const char* part : c.says)
      EXPECT_NE(ran.result.fault->text.find(part), std::string::npos) << ran.result.fault->text;
  }
}

// If the observer continues, loads that fault return zeros and stores that fault change nothing; the other lanes are
// not affected.
TEST(LoadStore, GoesOnAfterAFaultWithZeros) {
  std::vector<Fault> faults;
  MemorySnippet snippet;
  snippet.input = bytes_of(std::vector<std::uint32_t>(16, 9));
  snippet.output_bytes = 128;
  snippet.make_observer = [&] { return std::make_unique<Forgiving>(&faults); };
  snippet.body =
      "mov.u32 %r1, 5; mul.wide.u32 %rd1, %t, 4; add.u64 %rd2, %rd1, %in; ld.global.u32 %r1, [%rd2];"
      "st.global.u32 [%rd2], %r1; add.u64 %rd3, %rd1, %out; st.global.u32 [%rd3], %r1;";
  const auto ran = snippet.run();
  EXPECT_FALSE(ran.result.fault);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_EQ(faults[1].kind, FaultKind::read_only);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.at<std::uint32_t>(t), t < 16 ? 9u : 0u);
}

TEST(LoadStore, TellsObserversTheAddressesInTheirSpaces) {
  std::vector<SeenAccess> seen;
  MemorySnippet snippet;
  snippet.input.resize(1024);
  snippet.make_observer = [&] { return std::make_unique<AccessRecorder>(&seen); };
  snippet.body =
      "mul.lo.u32 %r1, %t, 16; setp.gt.u32 %p1, %t, 27; cvt.u64.u32 %rd1, %r1; mov.u32 %r2, smem; "
      "add.u32 %r2, %r2, %r1;\n"
      "@%p1 ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r2+32];\n"
      "add.u64 %rd2, %in, %rd1; @%p1 ld.global.v2.u16 {%h1, %h2}, [%rd2];\n"
      "mov.u64 %rd3, stack; cvta.local.u64 %rd3, %rd3; @%p1 st.u32 [%rd3+8], %r1;\n"
      // A generic access to two spaces is reported for each.
      "mov.u64 %rd4, smem; cvta.shared.u64 %rd4, %rd4; setp.eq.u32 %p2, %t, 31; selp.b64 %rd5, %rd2, %rd4, "
      "%p2;\n"
      "@%p1 ld.u32 %r3, [%rd5+4];";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  std::erase_if(seen, [](const SeenAccess& s) { return s.space == Space::param; });
  ASSERT_EQ(seen.size(), 5u);
  const LaneMask last_four = 0xf0000000u;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)].lanes, last_four);
  EXPECT_EQ(seen[0].space, Space::shared);
  EXPECT_EQ(seen[0].lane_bytes, 16);
  EXPECT_EQ(seen[0].element_bytes, 4);
  EXPECT_EQ(seen[0].addresses, (std::vector<std::uint64_t>{480, 496, 512, 528}));
  EXPECT_EQ(seen[1].space, Space::global);
  EXPECT_EQ(seen[1].lane_bytes, 4);
  EXPECT_EQ(seen[1].element_bytes, 2);
  EXPECT_EQ(seen[1].addresses[3] - seen[1].addresses[0], 48u);
  EXPECT_EQ(seen[2].space, Space::local);
  EXPECT_EQ(seen[2].access, Access::store);
  EXPECT_EQ(seen[2].addresses, (std::vector<std::uint64_t>(4, 8)));
  EXPECT_EQ(seen[3].space, Space::global);
  EXPECT_EQ(seen[3].lanes, 0x80000000u);
  EXPECT_EQ(seen[4].space, Space::shared);
  EXPECT_EQ(seen[4].lanes, 0x70000000u);
  EXPECT_EQ(seen[4].addresses, (std::vector<std::uint64_t>(3, 4)));
}

}  // namespace
}  // namespace tilescope::ptx
