// mov, cvta, isspacep, and the instructions across the lanes of a warp.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <set>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/ptx/tests/ptx_snippet.hpp"
#include "profiler/execution/simt/address_space.hpp"

namespace tilescope::ptx {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(MoveInstruction, CopiesPacksAndUnpacks) {
  const std::vector<U16> h = {0, 1, 0xffff, 0x8000, 0x1234};
  const std::vector<U32> w = {0, 1, 0xffffffffu, 0x80000000u, 0x12345678u};
  const std::vector<U64> l = {0, 1, ~U64{0}, 0x123456789abcdef0u, U64{1} << 63};
  expect_form<U16>(
      "mov.b16 %d, %a;", [](U16 a) { return a; }, h);
  expect_form<U32>(
      "mov.u32 %d, %a;", [](U32 a) { return a; }, w);
  expect_form<U64>(
      "mov.b64 %d, %a;", [](U64 a) { return a; }, l);
  expect_form<U32>(
      "mov.b32 %d, {%a, %b};", [](U16 a, U16 b) { return static_cast<U32>(b) << 16 | a; }, h, h);
  expect_form<U64>(
      "mov.b64 %d, {%a, %b};", [](U32 a, U32 b) { return U64{b} << 32 | a; }, w, w);
  expect_form<U64>(
      "mov.b64 %d, {%a, %b, %c, %e};",
      [](U16 a, U16 b, U16 c, U16 e) { return U64{e} << 48 | U64{c} << 32 | U64{b} << 16 | a; }, h, h, h, h);
  expect_form<U32>(
      "mov.b64 {%x, %y}, %a; sub.u32 %d, %x, %y;",
      [](U64 a) { return static_cast<U32>(a) - static_cast<U32>(a >> 32); }, l);
  expect_form<U16>(
      "{ .reg .b16 %lo, %hi; mov.b32 {%lo, %hi}, %a; sub.u16 %d, %lo, %hi; }",
      [](U32 a) { return static_cast<U16>(a - (a >> 16)); }, w);
  expect_form<U16>(
      "mov.b32 {_, %d}, %a;", [](U32 a) { return static_cast<U16>(a >> 16); }, w);
  expect_form<U16>(
      "{ .reg .b16 %h0, %h1, %h2; mov.b64 {%h0, %h1, %h2, %d}, %a; xor.b16 %d, %d, %h1; add.u16 %d, %d, %h2; "
      "}",
      [](U64 a) { return static_cast<U16>((a >> 48 ^ (a >> 16 & 0xffff)) + (a >> 32)); }, l);
}

TEST(MoveInstruction, TakesImmediatesAndAddresses) {
  const std::vector<U32> any = {7};
  expect_form<U32>(
      "mov.f32 %d, 0f40490FDB;", [](U32) { return 0x40490fdbu; }, any);
  expect_form<U64>(
      "mov.f64 %d, 0d400921FB54442D18;", [](U32) { return U64{0x400921fb54442d18u}; }, any);
  expect_form<U16>(
      "mov.b16 %d, 0x3C00;", [](U32) { return U16{0x3c00}; }, any);
  expect_form<U64>(
      "mov.s64 %d, -2;", [](U32) { return ~U64{1}; }, any);
  // In shared memory the address is an offset: pad lies first.
  expect_form<U32>(
      "mov.u32 %d, tile;", [](U32) { return 16u; }, any);
  expect_form<U32>(
      "mov.u32 %d, tile+8;", [](U32) { return 24u; }, any);
  expect_form<U64>(
      "{ .reg .b64 %s; mov.u64 %s, tile; cvta.shared.u64 %d, %s; }", [](U32) { return shared_window + 16; },
      any);
  expect_form<U64>(
      "mov.u64 %d, somewhere;", [](U32) { return module_memory_base; }, any);
}

TEST(MoveInstruction, ReadsSpecialRegisters) {
  const std::vector<SnippetColumn> sources = {column_of(std::vector<U32>(64, 0))};
  const std::vector<bool> all(64, true);
  const auto expect = [&](const std::string& name, auto expected) {
    const std::vector<U64> got = run_snippet("mov.u32 %d, " + name + ";", 4, sources, all);
    for (U32 thread = 0; thread < 64; ++thread)
      EXPECT_EQ(got[thread], static_cast<U32>(expected(thread))) << name;
  };
  expect("%tid.x", [](U32 t) { return t; });
  expect("%ntid.x", [](U32) { return 64; });
  expect("%ctaid.y", [](U32) { return 0; });
  expect("%nctaid.z", [](U32) { return 1; });
  expect("%laneid", [](U32 t) { return t % 32; });
  expect("%warpid", [](U32 t) { return t / 32; });
  expect("%lanemask_lt", [](U32 t) { return (U32{1} << t % 32) - 1; });
  expect("%lanemask_ge", [](U32 t) { return ~((U32{1} << t % 32) - 1); });
  expect("WARP_SZ", [](U32) { return 32; });
  const std::vector<U64> ticks =
      run_snippet("{ .reg .b64 %t0; mov.u64 %t0, %clock64; mov.u64 %d, %clock64; sub.u64 %d, %d, %t0; }", 8,
                  sources, all);
  for (const U64 tick : ticks) EXPECT_LT(tick, 100U);
}

TEST(MoveInstruction, TellsStateSpaces) {
  const std::vector<U64> v = {0,
                              0x40,
                              shared_window,
                              shared_window + 100,
                              shared_window + window_bytes,
                              shared_window - 1,
                              local_window + 8,
                              param_window,
                              allocation_base,
                              module_memory_base};
  const auto in = [](U64 a, U64 window) { return a >= window && a < window + window_bytes; };
  expect_form<bool>(
      "isspacep.shared %d, %a;", [=](U64 a) { return in(a, shared_window); }, v);
  expect_form<bool>(
      "isspacep.local %d, %a;", [=](U64 a) { return in(a, local_window); }, v);
  expect_form<bool>(
      "isspacep.global %d, %a;",
      [=](U64 a) { return !in(a, shared_window) && !in(a, local_window) && !in(a, param_window); }, v);
  expect_form<U64>(
      "cvta.to.global.u64 %d, %a;", [](U64 a) { return a; }, v);
  expect_form<U64>(
      "cvta.to.shared.u64 %d, %a;", [](U64 a) { return a - shared_window; }, v);
  expect_form<U64>(
      "cvta.local.u64 %d, %a;", [](U64 a) { return a + local_window; }, v);
}

// One and a half warps, with some lanes inactive; the member mask of a form names the active lanes.
struct Lanes {
  std::vector<bool> guard;
  std::vector<U32> members, value;
};
Lanes some_lanes(U32 pattern) {
  Lanes lanes;
  for (U32 thread = 0; thread < 48; ++thread) {
    lanes.guard.push_back((pattern >> thread % 32 & 1) != 0);
    lanes.members.push_back(thread < 32 ? pattern : pattern & 0xffff);
    lanes.value.push_back((thread * 0x9e3779b9u) ^ (thread < 20 ? 0 : 0x80000000u));
  }
  return lanes;
}
constexpr U32 patterns[] = {0xffffffffu, 0x0000ffffu, 0x5a5a0ff1u};

template <class Expected>
void expect_lanes(const std::string& form, const std::vector<U32>& second, Expected expected) {
  SCOPED_TRACE(form);
  for (const U32 pattern : patterns) {
    const Lanes lanes = some_lanes(pattern);
    const std::vector<U64> got = run_snippet(
        form, 4, {column_of(lanes.value), column_of(second), column_of(lanes.members)}, lanes.guard);
    for (U32 thread = 0; thread < 48; ++thread) {
      if (!lanes.guard[thread]) continue;
      const U32 first = thread / 32 * 32;
      const std::vector<U32> warp(lanes.value.begin() + first,
                                  lanes.value.begin() + std::min(first + 32, 48u));
      ASSERT_EQ(got[thread], expected(warp, thread % 32, lanes.members[thread], second[thread]))
          << "thread " << thread;
    }
  }
}

// By the ISA's pseudocode. These do not read inactive lanes.
U32 shuffled(const std::string& mode, const std::vector<U32>& warp, U32 members, int lane, int b, int c) {
  const int segment = c >> 8 & 31, clamp = c & 31;
  b &= 31;
  const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  int from = lane;
  bool inside = false;
  if (mode == "up") from = lane - b, inside = from >= last;
  if (mode == "down") from = lane + b, inside = from <= last;
  if (mode == "bfly") from = lane ^ b, inside = from <= last;
  if (mode == "idx") from = first | (b & ~segment), inside = from <= last;
  if (!inside) from = lane;
  const bool readable = (members >> from & 1) != 0 && from < static_cast<int>(warp.size());
  return readable ? warp[static_cast<std::size_t>(from)] + (inside ? 1 : 0) : 0;
}
TEST(WarpWideInstruction, Shuffles) {
  std::vector<U32> second;
  second.reserve(48);
  for (U32 thread = 0; thread < 48; ++thread) second.push_back(thread * 5 % 37);
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const int c : {31, 0, 7, 0x1f00 | 31, 0x1800 | 7, 0x1000 | 15}) {
      // Inactive lanes have undefined values: results that would read one are ignored.
      const std::string form = "shfl.sync." + mode + ".b32 %x|%p, %a, %b, " + std::to_string(c) +
                               ", %c; selp.u32 %y, 1, 0, %p; add.u32 %d, %x, %y;";
      SCOPED_TRACE(form);
      for (const U32 pattern : patterns) {
        const Lanes lanes = some_lanes(pattern);
        const std::vector<U64> got = run_snippet(
            form, 4, {column_of(lanes.value), column_of(second), column_of(lanes.members)}, lanes.guard);
        for (U32 thread = 0; thread < 48; ++thread) {
          const U32 first = thread / 32 * 32;
          const std::vector<U32> warp(lanes.value.begin() + first,
                                      lanes.value.begin() + std::min(first + 32, 48u));
          const U32 wanted = shuffled(mode, warp, lanes.members[thread], static_cast<int>(thread % 32),
                                      static_cast<int>(second[thread]), c);
          if (!lanes.guard[thread] || wanted == 0) continue;
          ASSERT_EQ(got[thread], wanted) << "thread " << thread;
        }
      }
    }
  }
}

// Each eight lanes have a mask of their own.
TEST(WarpWideInstruction, PartsOfAWarpVoteApart) {
  std::vector<U32> value, members;
  for (U32 thread = 0; thread < 32; ++thread) {
    value.push_back(thread * thread % 7);
    members.push_back(0xffu << (thread & 24));
  }
  const auto expect = [&](const std::string& form, auto expected) {
    SCOPED_TRACE(form);
    const std::vector<bool> all(32, true);
    const std::vector<U64> got =
        run_snippet(form, 4, {column_of(value), column_of(value), column_of(members)}, all);
    for (U32 thread = 0; thread < 32; ++thread) {
      const auto first = value.begin() + (thread & 24);
      EXPECT_EQ(got[thread], expected(std::vector<U32>(first, first + 8), thread)) << "thread " << thread;
    }
  };
  using Part = std::vector<U32>;
  expect("redux.sync.add.u32 %d, %a, %c;",
         [](const Part& part, U32) { return std::accumulate(part.begin(), part.end(), 0u); });
  const auto mask_of = [](const Part& part, U32 thread, auto is_in) {
    U32 mask = 0;
    for (U32 lane = 0; lane < 8; ++lane) mask |= (is_in(part[lane]) ? 1u : 0u) << lane;
    return mask << (thread & 24);
  };
  expect("setp.ne.u32 %p, %b, 0; vote.sync.ballot.b32 %d, %p, %c;", [&](const Part& part, U32 thread) {
    return mask_of(part, thread, [](U32 one) { return one != 0; });
  });
  expect("match.any.sync.b32 %d, %a, %c;", [&](const Part& part, U32 thread) {
    return mask_of(part, thread, [&](U32 one) { return one == value[thread]; });
  });
}

TEST(WarpWideInstruction, Votes) {
  std::vector<U32> second;
  second.reserve(48);
  for (U32 thread = 0; thread < 48; ++thread) second.push_back(thread % 3 == 0 ? 1 : 0);
  const auto yes = [&](U32 members, const std::vector<U32>& warp) {
    U32 mask = 0;
    const U32 first = warp.size() == 32 ? 0 : 32;
    for (U32 lane = 0; lane < warp.size(); ++lane) mask |= second[first + lane] << lane;
    return mask & members;
  };
  using Warp = std::vector<U32>;
  const std::string p = "setp.ne.u32 %p, %b, 0; ", to_d = " selp.u32 %d, 1, 0, %q;";
  expect_lanes(p + "vote.sync.ballot.b32 %d, %p, %c;", second,
               [&](const Warp& w, U32, U32 m, U32) { return yes(m, w); });
  expect_lanes(p + "vote.sync.ballot.b32 %d, !%p, %c;", second,
               [&](const Warp& w, U32, U32 m, U32) { return m & ~yes(m, w); });
  expect_lanes(p + "vote.sync.any.pred %q, %p, %c;" + to_d, second,
               [&](const Warp& w, U32, U32 m, U32) { return yes(m, w) != 0 ? 1u : 0u; });
  expect_lanes(p + "vote.sync.all.pred %q, %p, %c;" + to_d, second,
               [&](const Warp& w, U32, U32 m, U32) { return yes(m, w) == m ? 1u : 0u; });
  expect_lanes(p + "vote.sync.uni.pred %q, %p, %c;" + to_d, second,
               [&](const Warp& w, U32, U32 m, U32) { return yes(m, w) == m || yes(m, w) == 0 ? 1u : 0u; });
  const std::vector<U32> ones(48, 1);
  expect_lanes(p + "vote.sync.all.pred %q, %p, %c;" + to_d, ones,
               [](const Warp&, U32, U32, U32) { return 1u; });
  expect_lanes("activemask.b32 %d;", second, [](const Warp&, U32, U32 m, U32) { return m; });
  expect_lanes("elect.sync %x|%q, %c; selp.u32 %y, 100, 0, %q; add.u32 %d, %x, %y;", second,
               [](const Warp&, U32 lane, U32 m, U32) {
                 const U32 leader = static_cast<U32>(std::countr_zero(m));
                 return leader + (lane == leader ? 100 : 0);
               });
}

TEST(WarpWideInstruction, ReducesAndMatches) {
  using S = std::int32_t;
  using Warp = std::vector<U32>;
  const std::vector<U32> second(48, 0);
  const auto reduce = [&](const std::string& form, auto operation) {
    expect_lanes("redux.sync." + form + " %d, %a, %c;", second, [=](const Warp& warp, U32, U32 members, U32) {
      bool any = false;
      U32 result = 0;
      for (U32 lane = 0; lane < warp.size(); ++lane) {
        if ((members >> lane & 1) == 0) continue;
        result = any ? operation(result, warp[lane]) : warp[lane];
        any = true;
      }
      return result;
    });
  };
  reduce("add.s32", [](U32 a, U32 b) { return a + b; });
  reduce("min.u32", [](U32 a, U32 b) { return std::min(a, b); });
  reduce("max.s32", [](U32 a, U32 b) { return static_cast<S>(a) > static_cast<S>(b) ? a : b; });
  reduce("min.s32", [](U32 a, U32 b) { return static_cast<S>(a) < static_cast<S>(b) ? a : b; });
  reduce("and.b32", [](U32 a, U32 b) { return a & b; });
  reduce("or.b32", [](U32 a, U32 b) { return a | b; });
  reduce("xor.b32", [](U32 a, U32 b) { return a ^ b; });
  const auto group = [](const Warp& warp, U32 members, U32 wanted) {
    U32 mask = 0;
    for (U32 lane = 0; lane < warp.size(); ++lane) mask |= warp[lane] % 4 == wanted ? U32{1} << lane : 0;
    return mask & members;
  };
  expect_lanes("and.b32 %x, %a, 3; match.any.sync.b32 %d, %x, %c;", second,
               [=](const Warp& warp, U32 lane, U32 m, U32) { return group(warp, m, warp[lane] % 4); });
  expect_lanes(
      "and.b32 %x, %a, 3; match.all.sync.b32 %y|%q, %x, %c; selp.u32 %x, 1, 0, %q; add.u32 %d, %x, %y;",
      second, [=](const Warp& warp, U32 lane, U32 m, U32) {
        return group(warp, m, warp[lane] % 4) == m ? m + 1 : 0;
      });
  expect_lanes("match.all.sync.b32 %y|%q, %b, %c; selp.u32 %x, 1, 0, %q; xor.b32 %d, %x, %y;", second,
               [](const Warp&, U32, U32 m, U32) { return m ^ 1; });
}

// An unsupported instruction is reported before anything runs.
TEST(UnsupportedInstruction, IsNamedWithItsLine) {
  const std::vector<SnippetColumn> sources = {column_of(std::vector<U32>{1})};
  for (const std::string form :
       {"add.sat.u32 %d, %a, %a;", "cvt.rn.satfinite.e4m3x2.f32 %d, %a, %a;", "ex2.f32 %d, %a;",
        "mul.s32 %d, %a, %a;", "setp.lo.s32 %p, %a, %a;", "shfl.up.b32 %d, %a, 1, 0;",
        "min.ftz.f64 %d, %a, %a;", "add.rn.rz.f32 %d, %a, %a;", "cvt.s32.f32 %d, %a;",
        "tex.2d.v4.f32.f32 %d, %a;"}) {
    try {
      run_snippet(form, 4, sources, {true});
      ADD_FAILURE() << form << " was executed";
    } catch (const PtxError& error) {
      EXPECT_NE(std::string(error.what()).find("line"), std::string::npos) << error.what();
      EXPECT_GT(error.position.line, 5u);
    }
  }
}

}  // namespace
}  // namespace tilescope::ptx
