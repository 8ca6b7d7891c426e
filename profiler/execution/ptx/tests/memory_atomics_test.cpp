// atom and red against the same done one lane after the other; mbarriers.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/reference/number_formats.hpp"
#include "profiler/execution/ptx/tests/memory_snippet.hpp"

namespace tilescope::ptx {
namespace {

using Bits = std::uint64_t;

struct Case {
  const char* operation;  // "add.u32"
  int bytes;
  Bits start;
  Bits (*operand)(std::uint32_t thread);
  Bits (*apply)(Bits old, Bits operand);
};

Bits f32(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
float of_f32(Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
Bits half(float value, reference::Format format) {
  return reference::from_float(value, format);
}
float of_half(Bits bits, reference::Format format) {
  return reference::to_float(static_cast<std::uint16_t>(bits), format);
}
constexpr auto fp16 = reference::Format::fp16, bf16 = reference::Format::bf16;

const Case cases[] = {
    {"add.u32", 4, 0xfffffff0u, [](std::uint32_t t) { return Bits{t * 3}; },
     [](Bits o, Bits b) { return (o + b) & 0xffffffffu; }},
    {"add.s32", 4, 5, [](std::uint32_t t) { return Bits{0u - t}; },
     [](Bits o, Bits b) { return (o + b) & 0xffffffffu; }},
    {"add.u64", 8, 0xfffffffff0u, [](std::uint32_t t) { return Bits{t} << 33; },
     [](Bits o, Bits b) { return o + b; }},
    {"min.u32", 4, 20, [](std::uint32_t t) { return Bits{(t * 7 + 11) % 32}; },
     [](Bits o, Bits b) { return std::min(o, b); }},
    {"max.s32", 4, 0xfffffff0u, [](std::uint32_t t) { return Bits{0u - (t * 7 + 3) % 32}; },
     [](Bits o, Bits b) { return static_cast<std::int32_t>(o) < static_cast<std::int32_t>(b) ? b : o; }},
    {"min.s32", 4, 3, [](std::uint32_t t) { return Bits{16u - t}; },
     [](Bits o, Bits b) { return static_cast<std::int32_t>(b) < static_cast<std::int32_t>(o) ? b : o; }},
    {"max.u64", 8, 9, [](std::uint32_t t) { return Bits{t} << 40; },
     [](Bits o, Bits b) { return std::max(o, b); }},
    {"min.s64", 8, 9, [](std::uint32_t t) { return ~Bits{0} - (t * 5) % 32; },
     [](Bits o, Bits b) { return static_cast<std::int64_t>(b) < static_cast<std::int64_t>(o) ? b : o; }},
    {"inc.u32", 4, 0, [](std::uint32_t) { return Bits{10}; },
     [](Bits o, Bits b) { return o >= b ? 0 : o + 1; }},
    {"dec.u32", 4, 3, [](std::uint32_t) { return Bits{10}; },
     [](Bits o, Bits b) { return o == 0 || o > b ? b : o - 1; }},
    {"and.b32", 4, 0xffffffffu, [](std::uint32_t t) { return Bits{~(1u << t)}; },
     [](Bits o, Bits b) { return o & b; }},
    {"or.b64", 8, 1, [](std::uint32_t t) { return Bits{1} << (t + 20); },
     [](Bits o, Bits b) { return o | b; }},
    {"xor.b32", 4, 77, [](std::uint32_t t) { return Bits{t * 12345}; }, [](Bits o, Bits b) { return o ^ b; }},
    {"exch.b32", 4, 77, [](std::uint32_t t) { return Bits{t}; }, [](Bits, Bits b) { return b; }},
    {"exch.b64", 8, 77, [](std::uint32_t t) { return Bits{t} << 50; }, [](Bits, Bits b) { return b; }},
    {"add.f32", 4, f32(0.5f), [](std::uint32_t t) { return f32(0.1f * static_cast<float>(t)); },
     [](Bits o, Bits b) { return f32(of_f32(o) + of_f32(b)); }},
    {"add.f64", 8, 0, [](std::uint32_t t) { return std::bit_cast<Bits>(0.1 * t); },
     [](Bits o, Bits b) { return std::bit_cast<Bits>(std::bit_cast<double>(o) + std::bit_cast<double>(b)); }},
    {"add.noftz.f16", 2, 0, [](std::uint32_t t) { return half(0.3f * static_cast<float>(t), fp16); },
     [](Bits o, Bits b) { return half(of_half(o, fp16) + of_half(b, fp16), fp16); }},
    {"add.noftz.bf16", 2, 0, [](std::uint32_t t) { return half(0.3f * static_cast<float>(t), bf16); },
     [](Bits o, Bits b) { return half(of_half(o, bf16) + of_half(b, bf16), bf16); }},
    {"add.noftz.f16x2", 4, 0,
     [](std::uint32_t t) {
       return half(0.3f * static_cast<float>(t), fp16) | half(-2.0f * static_cast<float>(t), fp16) << 16;
     },
     [](Bits o, Bits b) {
       return half(of_half(o, fp16) + of_half(b, fp16), fp16) |
              half(of_half(o >> 16, fp16) + of_half(b >> 16, fp16), fp16) << 16;
     }},
    {"add.noftz.bf16x2", 4, 0,
     [](std::uint32_t t) {
       return half(0.3f * static_cast<float>(t), bf16) | half(-2.0f * static_cast<float>(t), bf16) << 16;
     },
     [](Bits o, Bits b) {
       return half(of_half(o, bf16) + of_half(b, bf16), bf16) |
              half(of_half(o >> 16, bf16) + of_half(b >> 16, bf16), bf16) << 16;
     }},
};

const char* registers_of(int bytes) {
  return bytes == 2 ? "%h" : bytes == 4 ? "%r" : "%rd";
}

// Lanes go to address 8 * (t mod addresses) of the memory, which `start` fills. The input holds 8 bytes of operand a
// thread; the output 8 bytes of old value a thread, then the memory.
void check(const Case& c, const std::string& space, int addresses, bool has_result) {
  MemorySnippet snippet;
  std::vector<Bits> operands, memory(static_cast<std::size_t>(addresses), c.start), old(32);
  for (std::uint32_t t = 0; t < 32; ++t) operands.push_back(c.operand(t));
  snippet.input = bytes_of(operands);
  snippet.output_bytes = 512;
  snippet.fill = std::byte{0};
  const std::string r = registers_of(c.bytes), bits = ".b" + std::to_string(8 * c.bytes);
  const bool is_shared = space != ".global" && space != "generic global";
  snippet.body = "rem.u32 %r10, %t, " + std::to_string(addresses) +
                 "; mul.wide.u32 %rd10, %r10, 8; mul.wide.u32 %rd11, %t, 8;"
                 "add.u64 %rd12, %rd11, %in; add.u64 %rd13, %rd11, %out;";
  snippet.body +=
      is_shared ? "mov.u64 %rd14, smem; cvta.shared.u64 %rd14, %rd14;" : "add.u64 %rd14, %out, 256;";
  snippet.body += "add.u64 %rd14, %rd14, %rd10;";
  snippet.body += "mov.u64 %rd15, " + std::to_string(c.start) + "; st.u64 [%rd14], %rd15; bar.sync 0;";
  snippet.body += "ld.global" + bits + " " + r + "2, [%rd12];";
  std::string address = "%rd14", suffix = space[0] == '.' ? space : "";
  if (space == ".shared") {
    snippet.body += "cvta.to.shared.u64 %rd16, %rd14; cvt.u32.u64 %r16, %rd16;";
    address = "%r16";
  }
  const std::string operation = c.operation;
  if (has_result) {
    snippet.body +=
        "atom.relaxed.gpu" + suffix + "." + operation + " " + r + "3, [" + address + "], " + r + "2;";
    snippet.body += "st.global" + bits + " [%rd13], " + r + "3;";
  } else {
    snippet.body += "red" + suffix + "." + operation + " [" + address + "], " + r + "2;";
  }
  snippet.body +=
      "bar.sync 0; ld.u64 %rd20, [%rd14]; add.u64 %rd21, %rd10, %out; st.global.u64 [%rd21+256], %rd20;";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::size_t t = 0; t < 32; ++t) {
    Bits& word = memory[t % static_cast<std::size_t>(addresses)];
    const Bits mask = c.bytes == 8 ? ~Bits{0} : (Bits{1} << 8 * c.bytes) - 1;
    old[t] = word & mask;
    word = (word & ~mask) | c.apply(word & mask, operands[t]);
    if (!has_result) continue;
    EXPECT_EQ(ran.at<Bits>(t), old[t]) << operation << space << " thread " << t;
  }
  for (std::size_t i = 0; i < memory.size(); ++i)
    EXPECT_EQ(ran.at<Bits>(32 + i), memory[i]) << operation << space << " " << addresses;
}

TEST(Atomics, TakeEffectLaneByLane) {
  for (const Case& c : cases) {
    for (const char* space : {".global", ".shared", "generic global", "generic shared"}) {
      for (const int addresses : {1, 5, 32}) {
        check(c, space, addresses, true);
        check(c, space, addresses, false);
      }
    }
  }
}

TEST(Atomics, CompareAndSwap) {
  MemorySnippet snippet;
  snippet.output_bytes = 256;
  snippet.fill = std::byte{0};
  // Thread t swaps t for t + 1: each finds what the one before left.
  snippet.body =
      "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %out; add.u32 %r1, %t, 1; setp.ne.u32 %p1, %t, 20;"
      "@%p1 atom.global.cas.b32 %r2, [%out+252], %t, %r1; @%p1 st.global.u32 [%rd1], %r2;";
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.at<std::uint32_t>(t), t < 20 ? t : t == 20 ? 0u : 20u);
  EXPECT_EQ(ran.at<std::uint32_t>(63), 20u);
}

// Denormal floats are flushed in global memory and kept in shared memory.
TEST(Atomics, FloatDenormals) {
  MemorySnippet snippet;
  snippet.threads = 1;
  snippet.output_bytes = 8;
  snippet.fill = std::byte{0};
  snippet.body =
      "mov.f32 %f1, 0f00000001; red.global.add.f32 [%out], %f1; mov.u32 %r1, smem; mov.u32 %r2, 0; "
      "st.shared.u32 [%r1], %r2;"
      "red.shared.add.f32 [%r1], %f1; ld.shared.u32 %r3, [%r1]; st.global.u32 [%out+4], %r3;";
  const auto ran = snippet.run();
  EXPECT_EQ(ran.at<std::uint32_t>(0), 0u);
  EXPECT_EQ(ran.at<std::uint32_t>(1), 1u);
}

TEST(Atomics, FaultAndAreToldToTheDecoder) {
  MemorySnippet snippet;
  snippet.input.resize(64);
  snippet.body = "red.global.add.u32 [%in], 1;";
  EXPECT_TRUE(build_program(parse(snippet.text()), "test").has_global_atomics);
  auto ran = snippet.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::read_only);
  snippet.body = "mov.u32 %r1, smem; red.shared.add.u32 [%r1+2], 1;";
  EXPECT_FALSE(build_program(parse(snippet.text()), "test").has_global_atomics);
  ran = snippet.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, FaultKind::misaligned);
  for (const char* body : {"red.global.add.v2.f32 [%out], {%f1, %f2};", "atom.global.inc.s32 %r1, [%out], 1;",
                           "red.global.mul.u32 [%out], 1;"}) {
    snippet.body = body;
    EXPECT_THROW(build_program(parse(snippet.text()), "test"), Unsupported) << body;
  }
}

// Each thread passes a number to another and takes one, three times; the phases of one barrier separate the rounds.
MemorySnippet exchange(std::uint32_t threads) {
  MemorySnippet snippet;
  snippet.threads = threads;
  snippet.output_bytes = std::size_t{4} * threads;
  const std::string n = std::to_string(threads), last = std::to_string(threads - 1);
  snippet.body =
      "mov.u32 %r1, smem; setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [%r1], " + n +
      "; bar.sync 0;\n"
      "mov.u32 %r2, 0; mov.u32 %r3, 0; mul.lo.u32 %r4, %t, 4; add.u32 %r4, %r4, %r1; xor.b32 %r5, %t, " +
      last +
      ";"
      "mul.lo.u32 %r5, %r5, 4; add.u32 %r5, %r5, %r1; mov.u32 %r6, %t;\n"
      "NEXT: st.shared.u32 [%r4+64], %r6; mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1];\n"
      "WAIT: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r1], %r3, 1000; @!%p2 bra WAIT;\n"
      "ld.shared.u32 %r6, [%r5+64]; add.u32 %r6, %r6, 100; mbarrier.arrive.shared.b64 %rd1, [%r1];\n"
      "AGAIN: mbarrier.test_wait.shared.b64 %p2, [%r1], %rd1; @!%p2 bra AGAIN;\n"
      "add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 3; @%p3 bra NEXT;\n"
      "mul.wide.u32 %rd2, %t, 4; add.u64 %rd2, %rd2, %out; st.global.u32 [%rd2], %r6;";
  return snippet;
}

TEST(Mbarrier, PhasesKeepThreadsApart) {
  const auto ran = exchange(32).run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.at<std::uint32_t>(t), (t ^ 31u) + 300);
}

TEST(Mbarrier, PhasesKeepPreemptedWarpsApart) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    auto snippet = exchange(128);
    snippet.schedule_seed = seed;
    const auto ran = snippet.run();
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
    for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(ran.at<std::uint32_t>(t), (t ^ 127u) + 300);
  }
}

TEST(Mbarrier, CountsTransactionsDropsAndWhatIsPending) {
  MemorySnippet snippet;
  snippet.threads = 1;
  snippet.output_bytes = 64;
  snippet.fill = std::byte{0};
  const auto note = [](int at) {
    return "selp.u32 %r9, 1, 0, %p1; st.global.u32 [%out+" + std::to_string(at) + "], %r9;\n";
  };
  snippet.body =
      "mov.u32 %r1, smem; mbarrier.init.shared.b64 [%r1], 3; mbarrier.arrive.shared.b64 %rd1, [%r1], 2;"
      "mbarrier.pending_count.b64 %r2, %rd1; st.global.u32 [%out], %r2;\n"
      "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;" +
      note(4) +
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16; mbarrier.test_wait.parity.shared.b64 %p1, [%r1], "
      "0;" +
      note(8) +
      "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 16; mbarrier.test_wait.parity.shared.b64 %p1, "
      "[%r1], 0;" +
      note(12) +
      "mbarrier.arrive_drop.shared.b64 %rd1, [%r1]; mbarrier.arrive.shared.b64 %rd1, [%r1], 2;"
      "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1;" +
      note(16) +
      "mbarrier.arrive.shared.b64 %rd1, [%r1], 2; mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;" +
      note(20);
  const auto ran = snippet.run();
  ASSERT_FALSE(ran.result.fault) << ran.result.fault->text;
  const std::uint32_t expected[] = {3, 0, 0, 1, 1, 1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(ran.at<std::uint32_t>(i), expected[i]) << i;
}

TEST(Mbarrier, MisuseIsSaid) {
  MemorySnippet snippet;
  snippet.threads = 1;
  snippet.body =
      "mov.u32 %r1, smem; mov.u64 %rd2, 0; st.shared.u64 [%r1], %rd2; mbarrier.arrive.shared.b64 %rd1, "
      "[%r1];";
  auto ran = snippet.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_NE(ran.result.fault->text.find("not initialised"), std::string::npos);
  snippet.body =
      "mov.u32 %r1, smem; mbarrier.init.shared.b64 [%r1], 3; mbarrier.arrive.shared.b64 %rd1, [%r1], 4;";
  ran = snippet.run();
  ASSERT_TRUE(ran.result.fault);
  EXPECT_NE(ran.result.fault->text.find("more often"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::ptx
