// ld and st: every width, vector and state space, with inactive lanes, and the faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {
namespace {

std::vector<std::byte> counting(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256 + 3);
  return data;
}

struct Seen {
  Space space;
  Access access;
  int lane_bytes, element_bytes;
  LaneMask lanes;
  std::vector<std::uint64_t> addresses;
};

class Recorder : public Observer {
 public:
  explicit Recorder(std::vector<Seen>* seen) : seen_(seen) {}
  void access(const Warp&, const MemoryAccess& a) override {
    Seen seen{a.space, a.access, a.lane_bytes, a.element_bytes, a.lanes, {}};
    for (int lane = 0; lane < lane_count; ++lane) {
      if ((a.lanes >> lane & 1u) != 0) seen.addresses.push_back(a.addresses[lane]);
    }
    seen_->push_back(std::move(seen));
  }

 private:
  std::vector<Seen>* seen_;
};

// How the lanes' places follow from the thread, in elements of the access. The code has different paths for these.
struct Pattern {
  const char* name;
  std::uint32_t (*place)(std::uint32_t thread);
  const char* ptx;  // %r1 = place of %t
};
const Pattern patterns[] = {
    {"consecutive", [](std::uint32_t t) { return t; }, "mov.u32 %r1, %t;"},
    {"one", [](std::uint32_t) { return 5u; }, "mov.u32 %r1, 5;"},
    {"reversed", [](std::uint32_t t) { return 31 - t % 32; }, "and.b32 %r1, %t, 31; sub.u32 %r1, 31, %r1;"},
    {"scattered", [](std::uint32_t t) { return t * 13 % 32 * 3; },
     "mul.lo.u32 %r1, %t, 13; and.b32 %r1, %r1, 31; mul.lo.u32 %r1, %r1, 3;"},
};
const char* guards[] = {"", "and.b32 %r2, %t, 5; setp.eq.u32 %p1, %r2, 4;", "setp.lt.u32 %p1, %t, 7;"};
bool is_on(int guard, std::uint32_t t) {
  return guard == 0 || (guard == 1 ? (t & 5u) == 4 : t < 7);
}

struct Width {
  int bytes, count;
  const char* type;
  const char* registers;  // of a load, and of the store that brings them out
};
const Width widths[] = {
    {1, 1, "u8", "%h1"},
    {1, 2, "v2.u8", "{%h1, %h2}"},
    {1, 4, "v4.u8", "{%h1, %h2, %h3, %h4}"},
    {2, 1, "u16", "%h1"},
    {2, 2, "v2.b16", "{%h1, %h2}"},
    {2, 4, "v4.u16", "{%h1, %h2, %h3, %h4}"},
    {4, 1, "u32", "%r11"},
    {4, 1, "f32", "%f1"},
    {4, 2, "v2.f32", "{%f1, %f2}"},
    {4, 4, "v4.b32", "{%r11, %r12, %r13, %r14}"},
    {8, 1, "u64", "%rd11"},
    {8, 1, "f64", "%fd1"},
    {8, 2, "v2.u64", "{%rd11, %rd12}"},
};

// `space` loads of 32 lanes, of each width, pattern and guard. Switched off lanes keep what their registers held, 0.
void check_loads(const std::string& space, const std::string& prologue, const std::string& base) {
  for (const Width& width : widths) {
    for (const Pattern& pattern : patterns) {
      for (int guard = 0; guard < 3; ++guard) {
        const auto size = static_cast<std::size_t>(width.bytes * width.count);
        MemorySnippet snippet;
        snippet.input = counting(4096);
        snippet.output_bytes = 32 * size;
        const std::string s = std::to_string(size);
        snippet.body = prologue + pattern.ptx + guards[guard];
        // Zeros first: the registers of inactive lanes must not change.
        snippet.body +=
            "mov.u16 %h1, 0; mov.u16 %h2, 0; mov.u16 %h3, 0; mov.u16 %h4, 0; mov.u32 %r11, 0; mov.u32 %r12, "
            "0;"
            "mov.u32 %r13, 0; mov.u32 %r14, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.u64 "
            "%rd11, 0;"
            "mov.u64 %rd12, 0; mov.f64 %fd1, 0d0000000000000000; mul.wide.u32 %rd1, %r1, " +
            s + "; mul.lo.u32 %r3, %r1, " + s + ";";
        snippet.body += base;
        snippet.body += std::string(guard != 0 ? "@%p1 " : "") + "ld" + space + "." + width.type + " " +
                        width.registers + ", [ADDRESS];";
        const std::string address = base.find("%rd2,") != std::string::npos ? "%rd2" : "%r4";
        snippet.body.replace(snippet.body.find("ADDRESS"), 7, address);
        snippet.body += "mul.wide.u32 %rd3, %t, " + s + "; add.u64 %rd3, %rd3, %out; st.global." +
                        width.type + " [%rd3], " + width.registers + ";";
        const auto ran = snippet.run();
        ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
        for (std::uint32_t t = 0; t < 32; ++t) {
          std::vector<std::byte> expected(size, std::byte{0});
          if (is_on(guard, t)) {
            std::copy_n(snippet.input.begin() + static_cast<std::ptrdiff_t>(pattern.place(t) * size), size,
                        expected.begin());
          }
          const std::vector<std::byte> got(ran.output.begin() + static_cast<std::ptrdiff_t>(t * size),
                                           ran.output.begin() + static_cast<std::ptrdiff_t>((t + 1) * size));
          ASSERT_EQ(got, expected) << "ld" << space << "." << width.type << ", " << pattern.name << ", guard "
                                   << guard << ", thread " << t;
        }
      }
    }
  }
}

// Checks stores into `space`, read back byte by byte. The highest of several lanes at one place wins.
void check_stores(const std::string& space, const std::string& epilogue, const std::string& base,
                  bool is_64_bits) {
  for (const Width& width : widths) {
    for (const Pattern& pattern : patterns) {
      for (int guard = 0; guard < 3; ++guard) {
        const auto size = static_cast<std::size_t>(width.bytes * width.count);
        const std::string s = std::to_string(size);
        MemorySnippet snippet;
        snippet.input = counting(4096);
        snippet.output_bytes = 2048;
        snippet.body = std::string(pattern.ptx) + guards[guard] + "mul.wide.u32 %rd1, %r1, " + s +
                       "; mul.lo.u32 %r3, %r1, " + s + ";" + base;
        snippet.body += "mul.wide.u32 %rd3, %t, " + s + "; add.u64 %rd3, %rd3, %in; ld.global." + width.type +
                        " " + width.registers + ", [%rd3];";
        snippet.body += std::string(guard != 0 ? "@%p1 " : "") + "st" + space + "." + width.type + " [" +
                        (is_64_bits ? "%rd2" : "%r4") + "], " + width.registers + ";" + epilogue;
        const auto ran = snippet.run();
        ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
        std::vector<std::byte> expected(2048, std::byte{0xcd});
        for (std::uint32_t t = 0; t < 32; ++t) {
          if (!is_on(guard, t)) continue;
          std::copy_n(snippet.input.begin() + static_cast<std::ptrdiff_t>(t * size), size,
                      expected.begin() + static_cast<std::ptrdiff_t>(pattern.place(t) * size));
        }
        ASSERT_EQ(ran.output, expected)
            << "st" << space << "." << width.type << ", " << pattern.name << ", guard " << guard;
      }
    }
  }
}

// 2048 bytes: 64 a thread.
const char* const copy_input_to_shared =
    "mul.wide.u32 %rd20, %t, 128; add.u64 %rd21, %rd20, %in; mov.u32 %r20, smem; mul.lo.u32 %r21, %t, "
    "128;"
    "add.u32 %r20, %r20, %r21; mov.u32 %r22, 0;\n"
    "COPY: ld.global.u8 %r23, [%rd21]; st.shared.u8 [%r20], %r23; add.u64 %rd21, %rd21, 1; add.u32 %r20, "
    "%r20, 1;"
    "add.u32 %r22, %r22, 1; setp.lt.u32 %p9, %r22, 128; @%p9 bra COPY; bar.sync 0;\n";
const char* const fill_shared =
    "mul.lo.u32 %r21, %t, 64; mov.u32 %r20, smem; add.u32 %r20, %r20, %r21; mov.u32 %r22, 0;\n"
    "FILL: st.shared.u8 [%r20], 0xcd; add.u32 %r20, %r20, 1; add.u32 %r22, %r22, 1; setp.lt.u32 %p9, %r22, "
    "64;"
    "@%p9 bra FILL; bar.sync 0;\n";
const char* const copy_shared_to_output =
    "bar.sync 0; mul.wide.u32 %rd20, %t, 64; add.u64 %rd21, %rd20, %out; mov.u32 %r20, smem; mul.lo.u32 "
    "%r21, %t, 64;"
    "add.u32 %r20, %r20, %r21; mov.u32 %r22, 0;\n"
    "BACK: ld.shared.u8 %r23, [%r20]; st.global.u8 [%rd21], %r23; add.u64 %rd21, %rd21, 1; add.u32 %r20, "
    "%r20, 1;"
    "add.u32 %r22, %r22, 1; setp.lt.u32 %p9, %r22, 64; @%p9 bra BACK;\n";

TEST(Load, GlobalOfEveryWidth) {
  check_loads(".global", "", "add.u64 %rd2, %rd1, %in;");
}
TEST(Load, GlobalNonCoherent) {
  check_loads(".global.nc.L1::no_allocate.L2::128B", "", "add.u64 %rd2, %rd1, %in;");
}
TEST(Load, GenericOfGlobal) {
  check_loads("", "", "add.u64 %rd2, %rd1, %in;");
}
TEST(Load, SharedOfEveryWidth) {
  check_loads(".shared", copy_input_to_shared, "mov.u32 %r4, smem; add.u32 %r4, %r4, %r3;");
}
TEST(Load, SharedThroughA64BitRegister) {
  check_loads(".shared::cta", copy_input_to_shared, "mov.u64 %rd2, smem; add.u64 %rd2, %rd2, %rd1;");
}
TEST(Load, VolatileShared) {
  check_loads(".volatile.shared", copy_input_to_shared, "mov.u32 %r4, smem; add.u32 %r4, %r4, %r3;");
}
TEST(Load, GenericOfShared) {
  check_loads("", copy_input_to_shared,
              "mov.u64 %rd2, smem; cvta.shared.u64 %rd2, %rd2; add.u64 %rd2, %rd2, %rd1;");
}
TEST(Store, GlobalOfEveryWidth) {
  check_stores(".global", "", "add.u64 %rd2, %rd1, %out;", true);
}
TEST(Store, GenericOfGlobal) {
  check_stores("", "", "add.u64 %rd2, %rd1, %out;", true);
}
TEST(Store, RelaxedGlobal) {
  check_stores(".relaxed.gpu.global", "", "add.u64 %rd2, %rd1, %out;", true);
}
TEST(Store, SharedOfEveryWidth) {
  check_stores(".shared", copy_shared_to_output,
               std::string(fill_shared) + "mov.u32 %r4, smem; add.u32 %r4, %r4, %r3;", false);
}
TEST(Store, GenericOfShared) {
  check_stores(
      "", copy_shared_to_output,
      std::string(fill_shared) + "mov.u64 %rd2, smem; cvta.shared.u64 %rd2, %rd2; add.u64 %rd2, %rd2, %rd1;",
      true);
}

// Each thread has its own local memory and reads back what it wrote, whatever the others wrote.
TEST(LoadStore, LocalMemoryIsEachThreadsOwn) {
  for (const char* generic : {"", "cvta.local.u64 %rd1, %rd1;"}) {
    const std::string space = *generic == '\0' ? ".local" : "";
    MemorySnippet snippet;
    snippet.threads = 96;
    snippet.output_bytes = 96 * 16;
    snippet.body =
        "mov.u64 %rd1, stack;" + std::string(generic) +
        "mul.lo.u32 %r1, %t, 3; add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; setp.ne.u32 %p1, %t, 40;\n"
        "st" +
        space +
        ".v4.u32 [%rd1+16], {%r1, %r2, %r3, %t};\n"
        "@%p1 st" +
        space +
        ".u16 [%rd1+20], 7; bar.sync 0;\n"
        "ld" +
        space +
        ".v4.u32 {%r11, %r12, %r13, %r14}, [%rd1+16];\n"
        "mul.wide.u32 %rd3, %t, 16; add.u64 %rd3, %rd3, %out; st.global.v4.u32 [%rd3], {%r11, %r12, %r13, "
        "%r14};";
    const auto ran = snippet.run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::uint32_t t = 0; t < 96; ++t) {
      EXPECT_EQ(ran.at<std::uint32_t>(4 * t), 3 * t);
      EXPECT_EQ(ran.at<std::uint32_t>(4 * t + 1), t != 40 ? 7u : 121u);
      EXPECT_EQ(ran.at<std::uint32_t>(4 * t + 3), t);
    }
  }
}

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
    snippet.input = counting(32 * 32);
    snippet.output_bytes = 32 * 32;
    snippet.body =
        "xor.b32 %r9, %t, 5; mul.wide.u32 %rd2, %r9, 32; mul.wide.u32 %rd3, %t, 32; add.u64 %rd2, %rd2, %in;"
        "add.u64 %rd3, %rd3, %out; setp.ne.u32 %p1, %t, 9;\n@%p1 " +
        std::string(c.load) + "\n@%p1 " + c.store;
    std::vector<Seen> seen;
    snippet.make_observer = [&] { return std::make_unique<Recorder>(&seen); };
    const auto ran = snippet.run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::size_t i = 0; i < 32 * 32; ++i) {
      const std::size_t thread = i / 32, within = i % 32;
      std::byte expected = snippet.input[(thread ^ 5) * 32 + within];
      if (c.has_sink && within / 4 == 3) expected = std::byte{0};
      if (thread == 9) expected = std::byte{0xcd};
      ASSERT_EQ(ran.output[i], expected) << c.load << ", byte " << i;
    }
    std::erase_if(seen, [](const Seen& s) { return s.space == Space::param; });
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].lane_bytes, 32);
    EXPECT_EQ(seen[1].lanes, ~LaneMask{1u << 9});
  }
  MemorySnippet misaligned;
  misaligned.input = counting(64);
  misaligned.body = "ld.global.v4.u64 {%rd11, %rd12, %rd13, %rd14}, [%in+16];";
  const auto ran = misaligned.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::misaligned);
}

TEST(LoadStore, RegistersOf128Bits) {
  MemorySnippet snippet;
  snippet.input = counting(32 * 16);
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
  snippet.input = counting(32 * 8);
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
  std::vector<Seen> seen;
  MemorySnippet snippet;
  snippet.input.resize(1024);
  snippet.make_observer = [&] { return std::make_unique<Recorder>(&seen); };
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
  std::erase_if(seen, [](const Seen& s) { return s.space == Space::param; });
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
