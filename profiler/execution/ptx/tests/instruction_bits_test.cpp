// Logic, shifts, bit fields and byte permutation, each against the ISA's pseudocode, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <type_traits>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class T>
std::vector<T> words() {
  return {T(0),
          T(1),
          T(-1),
          T(std::uint64_t{1} << (8 * sizeof(T) - 1)),
          T(0x5555555555555555u),
          T(0x123456789abcdef0u),
          T(0xf0f1f2f3f4f5f6f7u),
          T(0x00ff00ff00ff00ffu),
          T(2),
          T(0x7fffffffffffffffu >> (64 - 8 * sizeof(T)))};
}
const std::vector<U32> counts = {0,  1,  3,  8,  15,  16,  17,          31,         32,
                                 33, 63, 64, 65, 255, 256, 0x80000001u, 0xffffffffu};

template <class T>
std::string width() {
  return std::to_string(8 * sizeof(T));
}

template <class T>
class BitForms : public testing::Test {};
using BitTypes = testing::Types<U16, U32, U64>;
TYPED_TEST_SUITE(BitForms, BitTypes);

TYPED_TEST(BitForms, LogicAndShifts) {
  using T = TypeParam;
  using S = std::make_signed_t<T>;
  const std::vector<T> v = words<T>();
  const std::string b = ".b" + width<T>(), two = " %d, %a, %b;";
  expect_form<T>(
      "and" + b + two, [](T x, T y) { return static_cast<T>(x & y); }, v, v);
  expect_form<T>(
      "or" + b + two, [](T x, T y) { return static_cast<T>(x | y); }, v, v);
  expect_form<T>(
      "xor" + b + two, [](T x, T y) { return static_cast<T>(x ^ y); }, v, v);
  expect_form<T>(
      "not" + b + " %d, %a;", [](T x) { return static_cast<T>(~x); }, v);
  expect_form<T>(
      "cnot" + b + " %d, %a;", [](T x) { return static_cast<T>(x == 0 ? 1 : 0); }, v);
  // Computed by multiplying and dividing, also past the width.
  expect_form<T>(
      "shl" + b + two,
      [](T x, U32 n) {
        T result = x;
        for (U32 k = 0; k < std::min(n, 64u); ++k) result = static_cast<T>(result + result);
        return result;
      },
      v, counts);
  expect_form<T>(
      "shr.u" + width<T>() + two,
      [](T x, U32 n) {
        T result = x;
        for (U32 k = 0; k < std::min(n, 64u); ++k) result = static_cast<T>(result / 2);
        return result;
      },
      v, counts);
  expect_form<T>(
      "shr.s" + width<T>() + two,
      [](T x, U32 n) {
        S result = static_cast<S>(x);
        for (U32 k = 0; k < std::min(n, 64u); ++k) {
          result = static_cast<S>(result < 0 ? -((-(result + 1)) / 2) - 1 : result / 2);
        }
        return static_cast<T>(result);
      },
      v, counts);
}

TEST(BitInstruction, PredicateLogic) {
  const std::vector<U32> u = {0, 1};
  const std::string predicates = "setp.ne.u32 %p, %a, 0; setp.ne.u32 %q, %b, 0; ";
  const auto expect = [&](const std::string& form, auto expected) {
    expect_form<bool>(
        predicates + form, [=](U32 a, U32 b) { return static_cast<bool>(expected(a != 0, b != 0)); }, u, u);
  };
  expect("and.pred %d, %p, %q;", [](bool a, bool b) { return a && b; });
  expect("or.pred %d, %p, %q;", [](bool a, bool b) { return a || b; });
  expect("xor.pred %d, %p, %q;", [](bool a, bool b) { return a != b; });
  expect("not.pred %d, %q;", [](bool, bool b) { return !b; });
  expect("mov.pred %d, %p;", [](bool a, bool) { return a; });
  expect("mov.pred %d, 1;", [](bool, bool) { return true; });
}

TEST(BitInstruction, FunnelShifts) {
  const std::vector<U32> v = words<U32>();
  const auto joined = [](U32 a, U32 b) { return U64{b} << 32 | a; };
  expect_form<U32>(
      "shf.l.wrap.b32 %d, %a, %b, %c;",
      [=](U32 a, U32 b, U32 c) { return static_cast<U32>(joined(a, b) << (c % 32) >> 32); }, v, v, counts);
  expect_form<U32>(
      "shf.l.clamp.b32 %d, %a, %b, %c;",
      [=](U32 a, U32 b, U32 c) { return c >= 32 ? a : static_cast<U32>(joined(a, b) << c >> 32); }, v, v,
      counts);
  expect_form<U32>(
      "shf.r.wrap.b32 %d, %a, %b, %c;",
      [=](U32 a, U32 b, U32 c) { return static_cast<U32>(joined(a, b) >> (c % 32)); }, v, v, counts);
  expect_form<U32>(
      "shf.r.clamp.b32 %d, %a, %b, %c;",
      [=](U32 a, U32 b, U32 c) { return static_cast<U32>(joined(a, b) >> std::min(c, 32u)); }, v, v, counts);
}

TEST(BitInstruction, EveryTruthTable) {
  const std::vector<U32> a = {0xf0f0f0f0u, 0x12345678u}, b = {0xccccccccu, 0x9abcdef0u},
                         c = {0xaaaaaaaau, 0x0f1e2d3cu};
  for (int table = 0; table < 256; ++table) {
    expect_form<U32>(
        "lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
        [=](U32 x, U32 y, U32 z) {
          U32 result = 0;
          for (int bit = 0; bit < 32; ++bit) {
            const U32 row = (x >> bit & 1) * 4 + (y >> bit & 1) * 2 + (z >> bit & 1);
            result |= static_cast<U32>(table >> row & 1) << bit;
          }
          return result;
        },
        a, b, c);
  }
  expect_form<U32>(
      "setp.ne.u32 %q, %c, 0; lop3.or.b32 %x|%p, %a, %b, 0, 0xc0, !%q; selp.b32 %y, 1, 0, %p; add.u32 %d, "
      "%x, %y;",
      [](U32 x, U32 y, U32 z) { return (x & y) + ((x & y) != 0 || z == 0 ? 1 : 0); }, std::vector<U32>{0, 6},
      std::vector<U32>{1, 4, 6}, std::vector<U32>{0, 1});
}

template <class T>
T extracted(T a, U32 b, U32 c) {
  using U = std::make_unsigned_t<T>;
  const int top = 8 * sizeof(T) - 1, position = static_cast<int>(b & 0xff),
            length = static_cast<int>(c & 0xff);
  const auto bit = [&](int k) { return static_cast<U>(static_cast<U>(a) >> k & 1); };
  const U sign = std::is_signed_v<T> && length != 0 ? bit(std::min(position + length - 1, top)) : U{0};
  U result = 0;
  for (int k = 0; k <= top; ++k) {
    result |= static_cast<U>((k < length && position + k <= top ? bit(position + k) : sign) << k);
  }
  return static_cast<T>(result);
}
template <class T>
T inserted(T a, T b, U32 c, U32 e) {
  const int top = 8 * sizeof(T) - 1, position = static_cast<int>(c & 0xff),
            length = static_cast<int>(e & 0xff);
  for (int k = 0; k < length && position + k <= top; ++k) {
    const T mask = static_cast<T>(T{1} << (position + k));
    b = static_cast<T>((b & ~mask) | ((a >> k & 1) != 0 ? mask : 0));
  }
  return b;
}
TEST(BitInstruction, BitFields) {
  expect_form<U32>("bfe.u32 %d, %a, %b, %c;", extracted<U32>, words<U32>(), counts, counts);
  expect_form<std::int32_t>("bfe.s32 %d, %a, %b, %c;", extracted<std::int32_t>, words<std::int32_t>(), counts,
                            counts);
  expect_form<U64>("bfe.u64 %d, %a, %b, %c;", extracted<U64>, words<U64>(), counts, counts);
  expect_form<std::int64_t>("bfe.s64 %d, %a, %b, %c;", extracted<std::int64_t>, words<std::int64_t>(), counts,
                            counts);
  const std::vector<U32> few = {0, 0xffffffffu, 0x12345678u};
  expect_form<U32>("bfi.b32 %d, %a, %b, %c, %e;", inserted<U32>, few, few, counts, counts);
  expect_form<U64>("bfi.b64 %d, %a, %b, %c, %e;", inserted<U64>,
                   std::vector<U64>{~U64{0}, 0x123456789abcdef0u}, std::vector<U64>{0, 0xfedcba9876543210u},
                   counts, counts);
}

U32 permuted(U32 a, U32 b, const std::array<int, 4>& choice) {
  U32 result = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const int from = choice[k] & 7;
    const U32 byte = (from < 4 ? a >> 8 * from : b >> 8 * (from - 4)) & 0xff;
    result |= (choice[k] < 8 ? byte : byte >= 0x80 ? 0xffu : 0u) << 8 * k;
  }
  return result;
}
TEST(BitInstruction, PermutesBytes) {
  const std::vector<U32> a = {0x83021100u, 0xf7e4d5c6u}, b = {0x77869504u, 0x01fe7f80u};
  expect_form<U32>(
      "prmt.b32 %d, %a, %b, %c;",
      [](U32 x, U32 y, U32 c) {
        return permuted(x, y,
                        {static_cast<int>(c & 15), static_cast<int>(c >> 4 & 15),
                         static_cast<int>(c >> 8 & 15), static_cast<int>(c >> 12 & 15)});
      },
      a, b, std::vector<U32>{0x3210u, 0x7654u, 0x5410u, 0xfedcu, 0x89abu, 0x0123u, 0xffff4567u});
  // d.b0 to d.b3 of the ISA's table, for c of 0 to 3.
  struct Mode {
    const char* name;
    std::array<std::array<int, 4>, 4> choice;
  };
  const Mode modes[] = {{"f4e", {{{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}}},
                        {"b4e", {{{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}}},
                        {"rc8", {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
                        {"ecl", {{{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}}},
                        {"ecr", {{{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}}},
                        {"rc16", {{{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}}};
  for (const Mode& mode : modes) {
    expect_form<U32>(
        std::string("prmt.b32.") + mode.name + " %d, %a, %b, %c;",
        [&](U32 x, U32 y, U32 c) { return permuted(x, y, mode.choice[c & 3]); }, a, b,
        std::vector<U32>{0, 1, 2, 3, 7, 0xfffffffcu});
  }
}

template <class U>
U32 leading_zeros(U a) {
  U32 zeros = 0;
  for (int bit = 8 * sizeof(U) - 1; bit >= 0 && (a >> bit & 1) == 0; --bit) ++zeros;
  return zeros;
}
template <class T>
U32 highest(T a, bool as_shift) {
  const bool sign = std::is_signed_v<T> && a < 0;
  for (int bit = 8 * sizeof(T) - 1; bit >= 0; --bit) {
    if ((a >> bit & 1) != (sign ? 1 : 0))
      return static_cast<U32>(as_shift ? static_cast<int>(8 * sizeof(T)) - 1 - bit : bit);
  }
  return 0xffffffffu;
}
template <class U>
U reversed(U a) {
  U result = 0;
  for (std::size_t bit = 0; bit < 8 * sizeof(U); ++bit) result |= (a >> bit & 1) << (8 * sizeof(U) - 1 - bit);
  return result;
}
TEST(BitInstruction, CountsAndFinds) {
  expect_form<U32>(
      "popc.b32 %d, %a;", [](U32 a) { return static_cast<U32>(std::bitset<32>(a).count()); }, words<U32>());
  expect_form<U32>(
      "popc.b64 %d, %a;", [](U64 a) { return static_cast<U32>(std::bitset<64>(a).count()); }, words<U64>());
  expect_form<U32>("clz.b32 %d, %a;", leading_zeros<U32>, words<U32>());
  expect_form<U32>("clz.b64 %d, %a;", leading_zeros<U64>, words<U64>());
  expect_form<U32>("brev.b32 %d, %a;", reversed<U32>, words<U32>());
  expect_form<U64>("brev.b64 %d, %a;", reversed<U64>, words<U64>());
  using S32 = std::int32_t;
  using S64 = std::int64_t;
  expect_form<U32>(
      "bfind.u32 %d, %a;", [](U32 a) { return highest(a, false); }, words<U32>());
  expect_form<U32>(
      "bfind.s32 %d, %a;", [](S32 a) { return highest(a, false); }, words<S32>());
  expect_form<U32>(
      "bfind.u64 %d, %a;", [](U64 a) { return highest(a, false); }, words<U64>());
  expect_form<U32>(
      "bfind.shiftamt.s32 %d, %a;", [](S32 a) { return highest(a, true); }, words<S32>());
  expect_form<U32>(
      "bfind.shiftamt.s64 %d, %a;", [](S64 a) { return highest(a, true); }, words<S64>());
}

TEST(BitInstruction, NthSetBit) {
  expect_form<U32>(
      "fns.b32 %d, %a, %b, %c;",
      [](U32 mask, U32 base, std::int32_t offset) {
        if (offset == 0) return (mask >> base & 1) != 0 ? base : 0xffffffffu;
        int count = std::abs(offset) - 1;
        for (int position = static_cast<int>(base);
             position >= 0 && position<32; position += offset> 0 ? 1 : -1) {
          if ((mask >> position & 1) == 0) continue;
          if (count-- == 0) return static_cast<U32>(position);
        }
        return 0xffffffffu;
      },
      words<U32>(), std::vector<U32>{0, 5, 16, 31}, std::vector<std::int32_t>{0, 1, 2, 5, -1, -3, 33});
}

U32 ones(U32 count) {
  return count >= 32 ? ~0u : (1u << count) - 1;
}
TEST(BitInstruction, MasksAndExtensions) {
  expect_form<U32>(
      "bmsk.clamp.b32 %d, %a, %b;", [](U32 a, U32 b) { return a >= 32 ? 0 : ones(std::min(b, 32u)) << a; },
      counts, counts);
  expect_form<U32>(
      "bmsk.wrap.b32 %d, %a, %b;", [](U32 a, U32 b) { return ones(b % 32) << (a % 32); }, counts, counts);
  expect_form<U32>(
      "szext.clamp.u32 %d, %a, %b;", [](U32 a, U32 b) { return a & ones(std::min(b, 32u)); }, words<U32>(),
      counts);
  using S = std::int32_t;
  const auto extend = [](S a, U32 n) {
    return n == 0 ? 0 : static_cast<S>(static_cast<U32>(a) << (32 - n)) >> (32 - n);
  };
  expect_form<S>(
      "szext.wrap.s32 %d, %a, %b;", [=](S a, U32 b) { return extend(a, b % 32); }, words<S>(), counts);
  expect_form<S>(
      "szext.clamp.s32 %d, %a, %b;", [=](S a, U32 b) { return extend(a, std::min(b, 32u)); }, words<S>(),
      counts);
}

}  // namespace
}  // namespace tilescope::ptx
