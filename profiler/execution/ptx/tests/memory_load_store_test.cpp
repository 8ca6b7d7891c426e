// ld and st: every width, vector and state space, with inactive lanes.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/execution/ptx/tests/memory_recorder.hpp"

namespace tilescope::ptx {
namespace {

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
        snippet.input = counting_bytes(4096);
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
        snippet.input = counting_bytes(4096);
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

}  // namespace
}  // namespace tilescope::ptx
