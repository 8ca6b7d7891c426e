// 8-bit registers, which ld, st, cvt and the parts of mov accept: their lanes are 16 bits wide in the register file.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {
namespace {

std::vector<std::byte> counting(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 37 + 0x61);
  return data;
}

// Threads 0 to 63 with the addresses %rd1 of their byte of the input and %rd2 of the output; %p1 is false in some.
MemorySnippet bytes_snippet(const std::string& body, std::size_t bytes_a_thread = 1) {
  MemorySnippet snippet;
  snippet.threads = 64;
  snippet.input = counting(64 * bytes_a_thread);
  snippet.output_bytes = 64 * bytes_a_thread;
  const std::string size = std::to_string(bytes_a_thread);
  snippet.body = "mul.wide.u32 %rd1, %t, " + size + "; add.u64 %rd2, %rd1, %out; add.u64 %rd1, %rd1, %in;" +
                 "and.b32 %r60, %t, 5; setp.ne.u32 %p1, %r60, 4;" + body;
  return snippet;
}
bool is_on(std::size_t thread) {
  return (thread & 5) != 4;
}

TEST(NarrowRegister, CopiesBytes) {
  for (const char* type : {"u8", "s8", "b8"}) {
    for (const char* declared : {"u8", "s8", "b8"}) {
      const auto ran = bytes_snippet(std::string(".reg .") + declared + " %b; ld.global." + type +
                                     " %b, [%rd1]; @%p1 st.global." + type + " [%rd2], %b;")
                           .run();
      ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
      for (std::size_t t = 0; t < 64; ++t) {
        EXPECT_EQ(ran.output[t], is_on(t) ? ran.input[t] : std::byte{0xcd})
            << type << " " << declared << " " << t;
      }
    }
  }
}

// Reversed in the warp, so that no lane reads its own place.
TEST(NarrowRegister, LanesAreEachTheirOwn) {
  const auto ran = bytes_snippet(
                       ".reg .u8 %b, %c; xor.b32 %r1, %t, 31; cvt.u64.u32 %rd3, %r1; add.u64 %rd3, %rd3, %in;"
                       "ld.global.u8 %b, [%rd1]; @%p1 ld.global.u8 %b, [%rd3]; st.global.u8 [%rd2], %b;")
                       .run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::size_t t = 0; t < 64; ++t) EXPECT_EQ(ran.output[t], ran.input[is_on(t) ? t ^ 31 : t]) << t;
}

TEST(NarrowRegister, ConvertsToBytesAndBack) {
  struct ByteCase {
    const char* body;
    std::uint32_t (*expected)(std::uint8_t byte, std::uint32_t thread);
  };
  const ByteCase byte_cases[] = {
      {"mul.lo.u32 %r1, %t, 37; cvt.u8.u32 %b, %r1; cvt.u32.u8 %r2, %b;",
       [](std::uint8_t, std::uint32_t t) { return t * 37 & 0xffu; }},
      {"mul.lo.u32 %r1, %t, 37; cvt.s8.u32 %b, %r1; cvt.s32.s8 %r2, %b;",
       [](std::uint8_t, std::uint32_t t) {
         return static_cast<std::uint32_t>(static_cast<std::int8_t>(t * 37));
       }},
      {"mul.lo.u32 %r1, %t, 37; cvt.sat.u8.u32 %b, %r1; cvt.u32.u8 %r2, %b;",
       [](std::uint8_t, std::uint32_t t) { return std::min(t * 37, 255u); }},
      {"ld.global.u8 %b, [%rd1]; cvt.s32.s8 %r2, %b;",
       [](std::uint8_t byte, std::uint32_t) {
         return static_cast<std::uint32_t>(static_cast<std::int8_t>(byte));
       }},
      {"ld.global.s8 %b, [%rd1]; cvt.u32.u8 %r2, %b;",
       [](std::uint8_t byte, std::uint32_t) { return std::uint32_t{byte}; }},
      {"ld.global.u8 %b, [%rd1]; cvt.u8.u8 %c, %b; cvt.rn.f32.u8 %f1, %c; cvt.rzi.u32.f32 %r2, %f1;",
       [](std::uint8_t byte, std::uint32_t) { return std::uint32_t{byte}; }},
      {"ld.global.u8 %b, [%rd1]; cvt.rn.f32.s8 %f1, %b; cvt.rni.s8.f32 %c, %f1; cvt.s32.s8 %r2, %c;",
       [](std::uint8_t byte, std::uint32_t) {
         return static_cast<std::uint32_t>(static_cast<std::int8_t>(byte));
       }},
      {"cvt.u8.u32 %b, 300; cvt.u64.u8 %rd3, %b; cvt.u32.u64 %r2, %rd3;",
       [](std::uint8_t, std::uint32_t) { return 44u; }},
  };
  for (const ByteCase& c : byte_cases) {
    MemorySnippet snippet =
        bytes_snippet(std::string(".reg .u8 %b; .reg .s8 %c;") + c.body +
                      "mul.wide.u32 %rd3, %t, 4; add.u64 %rd3, %rd3, %out; st.global.u32 [%rd3], %r2;");
    snippet.output_bytes = 64 * 4;
    const auto ran = snippet.run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::uint32_t t = 0; t < 64; ++t) {
      EXPECT_EQ(ran.at<std::uint32_t>(t), c.expected(static_cast<std::uint8_t>(ran.input[t]), t))
          << c.body << t;
    }
  }
}

TEST(NarrowRegister, VectorsAndPartsOfWiderRegisters) {
  const char* bodies[] = {
      "ld.global.v4.u8 {%b1, %b2, %b3, %b4}, [%rd1]; st.global.v4.u8 [%rd2], {%b4, %b3, %b2, %b1};",
      ("ld.global.b32 %r1, [%rd1]; mov.b32 {%b1, %b2, %b3, %b4}, %r1; mov.b32 %r2, {%b4, %b3, %b2, %b1}; "
       "st.global.b32 "
       "[%rd2], %r2;"),
      ("ld.global.v2.u16 {%h1, %h2}, [%rd1]; mov.b16 {%b1, %b2}, %h1; mov.b16 {%b3, %b4}, %h2; mov.b16 %h1, "
       "{%b4, %b3};"
       "mov.b16 %h2, {%b2, %b1}; st.global.v2.u16 [%rd2], {%h1, %h2};"),
      ("ld.global.v2.s8 {%b1, %b2}, [%rd1]; ld.global.v2.b8 {%b3, %b4}, [%rd1+2]; st.global.b8 [%rd2], %b4;"
       "st.global.s8 [%rd2+1], %b3; st.global.v2.b8 [%rd2+2], {%b2, %b1};"),
  };
  for (const char* body : bodies) {
    const auto ran = bytes_snippet(std::string(".reg .b8 %b<5>;") + body, 4).run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(ran.output[i], ran.input[i ^ 3]) << body << " " << i;
  }
}

// As the compiler writes inline assembly: registers of a scope of its own among the kernel's.
TEST(NarrowRegister, ScopesOfInlineAssembly) {
  const auto ran = bytes_snippet(
                       "mov.u64 %rd9, %rd2; { .reg .u8 t; .reg .u8 u; ld.global.u8 t, [%rd1]; cvt.u8.u8 u, t;"
                       "st.global.u8 [%rd2], u; } setp.eq.u64 %p2, %rd9, %rd2; @%p2 bra GOOD; trap; GOOD: ")
                       .run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  EXPECT_EQ(ran.output, ran.input);
}

TEST(NarrowRegister, WhatPtxasRefusesIsUnsupported) {
  const char* bodies[] = {
      "mov.b8 %b, %c;",
      "mov.u8 %b, 5;",
      "mov.b16 %b, %h1;",
      "ld.global.u16 %b, [%in];",
      "st.global.u16 [%out], %b;",
      "cvt.u16.u32 %b, %r1;",
      "cvt.u32.u16 %r1, %b;",
      "add.u8 %b, %b, %c;",
      "add.u16 %h1, %b, %h2;",
      "and.b8 %b, %b, %c;",
      "setp.eq.u8 %p1, %b, %c;",
      "selp.b8 %b, %b, %c, %p1;",
      "selp.u16 %b, %b, %c, %p1;",
      "mul.wide.u8 %h1, %b, %c;",
      "atom.global.exch.b8 %b, [%in], %c;",
      "shfl.sync.idx.b32 %b, %r1, 0, 31, -1;",
      "prmt.b32 %r1, %b, %r2, %r3;",
      "ld.global.u8 %p1, [%in];",
      "cvt.u8.u32 %p1, %r1;",
      "cvt.u32.u8 %r1, %p1;",
      "mov.b32 %r1, %p1;",
      "ld.global.v2.u8 {%b, %h1}, [%in];",
      "mov.b32 %r1, {%b, %c};",
      "mov.b64 %rd1, {%b, %c, %b, %c, %b, %c, %b, %c};",
  };
  for (const char* body : bodies) {
    MemorySnippet snippet;
    snippet.body = std::string(".reg .b8 %b, %c;") + body;
    EXPECT_THROW(build_program(parse(snippet.text()), "test"), Unsupported) << body;
  }
  MemorySnippet snippet;
  snippet.body = ".reg .u8 %b; add.u16 %h1, %b, %h2;";
  try {
    build_program(parse(snippet.text()), "test");
    FAIL();
  } catch (const Unsupported& why) {
    EXPECT_NE(std::string(why.what())
                  .find("register %b is declared as .u8, which does not have the size of a .u16"),
              std::string::npos)
        << why.what();
  }
}

}  // namespace
}  // namespace tilescope::ptx
