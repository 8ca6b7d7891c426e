// ld and st: parameters and constants, wider registers, long vectors, sums as operands, and hints to caches.
#include <gtest/gtest.h>

#include <memory>

#include "profiler/execution/ptx/tests/memory_recorder.hpp"

namespace tilescope::ptx {
namespace {

TEST(Load, ParametersAndConstants) {
  MemorySnippet snippet;
  snippet.output_bytes = 48;
  snippet.threads = 1;
  snippet.body =
      "ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [bytes+16]; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};"
      "ld.param.u8 %h1, [bytes+3]; st.global.u16 [%out+16], %h1; ld.param.s8 %r5, [bytes+31]; st.global.u32 "
      "[%out+20], %r5;"
      "ld.const.u32 %r6, [table+8]; st.global.u32 [%out+24], %r6; mov.u64 %rd1, table; ld.const.v2.u32 {%r7, "
      "%r8}, [%rd1];"
      "st.global.v2.u32 [%out+32], {%r7, %r8}; cvta.const.u64 %rd2, %rd1; ld.u32 %r9, [%rd2+12]; "
      "st.global.u32 [%out+40], %r9;";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(ran.output[i], static_cast<std::byte>(0x70 + 5 * (16 + i)));
  EXPECT_EQ(ran.at<std::uint16_t>(8), 0x70 + 15);
  EXPECT_EQ(ran.at<std::int32_t>(5), static_cast<std::int8_t>(0x70 + 5 * 31));
  EXPECT_EQ(ran.at<std::uint32_t>(6), 30u);
  EXPECT_EQ(ran.at<std::uint32_t>(8), 10u);
  EXPECT_EQ(ran.at<std::uint32_t>(9), 20u);
  EXPECT_EQ(ran.at<std::uint32_t>(10), 40u);
}

// A register may be wider than the element: signed types extend their sign, the others zeros.
TEST(Load, ExtendsToWiderRegisters) {
  struct Case {
    const char* type;
    const char* destination;
    std::uint64_t expected;
  };
  // The input begins with 0x80 0x91 0xa2 0xb3 0xc4 0xd5 0xe6 0xf7.
  const Case cases[] = {
      {"u8", "%h1", 0x80},
      {"s8", "%h1", 0xff80},
      {"b8", "%r1", 0x80},
      {"s8", "%r1", 0xffffff80},
      {"u8", "%rd1", 0x80},
      {"s8", "%rd1", 0xffffffffffffff80},
      {"u16", "%r1", 0x9180},
      {"s16", "%r1", 0xffff9180},
      {"u16", "%rd1", 0x9180},
      {"s16", "%rd1", 0xffffffffffff9180},
      {"u32", "%rd1", 0xb3a29180},
      {"s32", "%rd1", 0xffffffffb3a29180},
      {"b64", "%rd1", 0xf7e6d5c4b3a29180},
  };
  for (const Case& c : cases) {
    for (const char* pattern : {"mov.u32 %r9, 0;", "and.b32 %r9, %t, 1; mul.lo.u32 %r9, %r9, 8;"}) {
      MemorySnippet snippet;
      for (int i = 0; i < 16; ++i) snippet.input.push_back(static_cast<std::byte>(0x80 + 0x11 * (i % 8)));
      snippet.output_bytes = 32 * 8;
      const std::string destination = c.destination;
      const std::string bits = destination == "%h1"   ? "cvt.u64.u16 %rd5, %h1;"
                               : destination == "%r1" ? "cvt.u64.u32 %rd5, %r1;"
                                                      : "mov.u64 %rd5, %rd1;";
      snippet.body = std::string(pattern) + "cvt.u64.u32 %rd9, %r9; add.u64 %rd9, %rd9, %in; ld.global." +
                     c.type + " " + destination + ", [%rd9];" + bits +
                     "mul.wide.u32 %rd6, %t, 8; add.u64 %rd6, %rd6, %out; st.global.u64 [%rd6], %rd5;";
      const auto ran = snippet.run();
      ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
      for (std::size_t t = 0; t < 32; ++t)
        EXPECT_EQ(ran.at<std::uint64_t>(t), c.expected) << c.type << " " << c.destination;
    }
  }
}

TEST(Store, TakesLiteralsSinksAndNegativeOffsets) {
  MemorySnippet snippet;
  snippet.threads = 1;
  snippet.input = bytes_of<std::uint32_t>({1, 2, 3, 4});
  snippet.output_bytes = 32;
  snippet.body =
      "add.u64 %rd1, %out, 16; st.global.v2.u32 [%rd1+-16], {5, -1}; st.global.f32 [%rd1+-8], 0f3f800000;"
      "st.global.u8 [%rd1+-4], 300; ld.global.v4.u32 {_, %r1, _, %r2}, [%in]; st.global.v2.u32 [%rd1], {%r2, "
      "%r1};";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  EXPECT_EQ(ran.at<std::uint32_t>(0), 5u);
  EXPECT_EQ(ran.at<std::uint32_t>(1), 0xffffffffu);
  EXPECT_EQ(ran.at<float>(2), 1.0f);
  EXPECT_EQ(ran.output[12], static_cast<std::byte>(300 & 255));
  EXPECT_EQ(ran.output[13], std::byte{0xcd});
  EXPECT_EQ(ran.at<std::uint32_t>(4), 4u);
  EXPECT_EQ(ran.at<std::uint32_t>(5), 2u);
}

// 256 bits a thread (.target sm_100), through registers of the elements' size and of a sink.
TEST(LoadStore, VectorsOf32Bytes) {
  struct Case {
    const char* load;
    const char* store;
    bool has_sink;
  };
  const Case cases[] = {
      {"ld.global.v8.u32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd2];",
       "st.global.v8.b32 [%rd3], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};", false},
      {"ld.global.nc.v8.f32 {%f1, %f2, %f3, _, %f5, %f6, %f7, %f8}, [%rd2]; mov.f32 %f4, 0f00000000;",
       "st.global.v8.f32 [%rd3], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};", true},
      {"ld.v4.u64 {%rd11, %rd12, %rd13, %rd14}, [%rd2];", "st.v4.b64 [%rd3], {%rd11, %rd12, %rd13, %rd14};",
       false},
      {"ld.global.v4.f64 {%fd1, %fd2, %fd3, %fd4}, [%rd2];",
       "st.global.v4.f64 [%rd3], {%fd1, %fd2, %fd3, %fd4};", false},
  };
  for (const Case& c : cases) {
    MemorySnippet snippet;
    snippet.input = counting_bytes(32 * 32);
    snippet.output_bytes = 32 * 32;
    snippet.body =
        "xor.b32 %r9, %t, 5; mul.wide.u32 %rd2, %r9, 32; mul.wide.u32 %rd3, %t, 32; add.u64 %rd2, %rd2, %in;"
        "add.u64 %rd3, %rd3, %out; setp.ne.u32 %p1, %t, 9;\n@%p1 " +
        std::string(c.load) + "\n@%p1 " + c.store;
    std::vector<SeenAccess> seen;
    snippet.make_observer = [&] { return std::make_unique<AccessRecorder>(&seen); };
    const auto ran = snippet.run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::size_t i = 0; i < 32 * 32; ++i) {
      const std::size_t thread = i / 32, within = i % 32;
      std::byte expected = snippet.input[(thread ^ 5) * 32 + within];
      if (c.has_sink && within / 4 == 3) expected = std::byte{0};
      if (thread == 9) expected = std::byte{0xcd};
      ASSERT_EQ(ran.output[i], expected) << c.load << ", byte " << i;
    }
    std::erase_if(seen, [](const SeenAccess& s) { return s.space == Space::param; });
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].lane_bytes, 32);
    EXPECT_EQ(seen[1].lanes, ~LaneMask{1u << 9});
  }
  MemorySnippet misaligned;
  misaligned.input = counting_bytes(64);
  misaligned.body = "ld.global.v4.u64 {%rd11, %rd12, %rd13, %rd14}, [%in+16];";
  const auto ran = misaligned.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::misaligned);
}

TEST(LoadStore, RegistersOf128Bits) {
  MemorySnippet snippet;
  snippet.input = counting_bytes(32 * 16);
  snippet.output_bytes = 32 * 16;
  snippet.body =
      ".reg .b128 %q<4>; mul.wide.u32 %rd2, %t, 16; add.u64 %rd3, %rd2, %out; add.u64 %rd2, %rd2, %in; "
      "setp.gt.u32 "
      "%p1, %t, 2; mov.b128 %q3, {0, 0}; ld.global.b128 %q1, [%rd2]; mov.b128 {%rd4, %rd5}, %q1; mov.b128 "
      "%q2, "
      "{%rd5, %rd4};\n@%p1 mov.b128 %q3, %q2;\nst.global.b128 [%rd3], %q3;";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::size_t i = 0; i < 32 * 16; ++i) {
    const std::byte expected = i / 16 > 2 ? snippet.input[i ^ 8] : std::byte{0};
    ASSERT_EQ(ran.output[i], expected) << "byte " << i;
  }
}

// Eight bytes a thread.
TEST(LoadStore, VectorsOfEightBytes) {
  MemorySnippet snippet;
  snippet.input = counting_bytes(32 * 8);
  snippet.output_bytes = 32 * 8;
  snippet.body =
      "mul.wide.u32 %rd1, %t, 8; add.u64 %rd2, %rd1, %in; add.u64 %rd3, %rd1, %out;"
      "ld.global.v8.u8 {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}, [%rd2];"
      "st.global.v8.b8 [%rd3], {%h8, %h7, %h6, %h5, %h4, %h3, %h2, %h1};";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::size_t i = 0; i < ran.output.size(); ++i) ASSERT_EQ(ran.output[i], snippet.input[i ^ 7]) << i;
}

// ptxas accepts the sum of a register and a number as an operand and adds first.
TEST(LoadStore, StoresASumOfARegisterAndANumber) {
  MemorySnippet snippet;
  snippet.output_bytes = 32 * 8;
  snippet.body =
      "mul.wide.u32 %rd1, %t, 8; add.u64 %rd1, %rd1, %out; mov.u64 %rd2, 0xfffffffff; setp.ne.u32 %p1, %t, "
      "3; cvt.u16.u32 "
      "%h1, %t;\n@%p1 st.global.u64 [%rd1], %rd2 + 1;\n@!%p1 st.global.u16 [%rd1+2], %h1+0x100;\n"
      "setp.eq.u32 %p2, %t, 7;\n@%p2 bra SUM; ret;\nSUM: st.global.u32 [%rd1+4], %t+5;";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::size_t t = 0; t < 32; ++t) {
    const std::uint64_t expected = t == 3   ? 0xcdcdcdcd0103cdcdu
                                   : t == 7 ? 0x0000000c00000000u
                                            : 0x0000001000000000u;
    EXPECT_EQ(ran.at<std::uint64_t>(t), expected) << t;
  }
}

TEST(LoadStore, HintsToCachesAreTaken) {
  MemorySnippet snippet;
  snippet.threads = 1;
  snippet.input = bytes_of<std::uint32_t>({42});
  snippet.output_bytes = 4;
  snippet.body =
      "prefetch.global.L2 [%in+1000000]; prefetchu.L1 [%in]; applypriority.global.L2::evict_normal [%in], "
      "128;"
      "createpolicy.fractional.L2::evict_last.b64 %rd1, 0f3f800000; ld.global.L2::cache_hint.u32 %r1, [%in], "
      "%rd1;"
      "st.global.L1::no_allocate.L2::cache_hint.u32 [%out], %r1, %rd1;";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  EXPECT_EQ(ran.at<std::uint32_t>(0), 42u);
}

TEST(LoadStore, WhatIsNotKnownIsUnsupported) {
  MemorySnippet known;
  known.body = "ld.global.u32 %r1, [%in];";
  EXPECT_NO_THROW(build_program(parse(known.text()), "test"));
  const char* bodies[] = {
      "ld.shared::cluster.u32 %r1, [%r2];",
      "ld.global.f16 %r1, [%in];",
      "ld.global.u64 %r1, [%in];",
      "ld.global.v2.u32 %r1, [%in];",
      "st.const.u32 [%rd1], %r1;",
      "ld.shared.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%in];",
      "ld.global.v8.u16 {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}, [%in];",
      "ld.global.u8 %p1, [%in];",
      "st.global.u8 [%rd1], %p1;",
      "ld.global.pred %p1, [%in];",
      "ld.global.frobnicate.u32 %r1, [%in];",
      "ld.global.b128 %rd1, [%in];",
  };
  for (const char* body : bodies) {
    MemorySnippet snippet;
    snippet.body = body;
    EXPECT_THROW(build_program(parse(snippet.text()), "test"), Unsupported) << body;
  }
}

}  // namespace
}  // namespace tilescope::ptx
