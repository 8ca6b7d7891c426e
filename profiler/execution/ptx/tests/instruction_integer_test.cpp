// Integer arithmetic, each form against the test's own 128-bit arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

using Wide = __int128;

template <class T>
std::vector<T> values() {
  using L = std::numeric_limits<T>;
  return {T(0),
          T(1),
          T(2),
          T(7),
          T(-1),
          T(-2),
          T(100),
          T(-77),
          L::min(),
          L::max(),
          T(L::min() + 1),
          T(L::max() - 1),
          T(L::max() / 3),
          T(0x5a3c)};
}

template <class T>
T wrapped(Wide value) {
  return static_cast<T>(static_cast<unsigned __int128>(value));
}
template <class T>
T high_half(Wide value) {
  return static_cast<T>(value >> (8 * sizeof(T)));
}
// Its lower 128 bits.
Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}
// The product of two 64-bit unsigned numbers needs 128 bits without a sign.
template <class T>
T high_product(T a, T b) {
  if constexpr (std::is_signed_v<T>) return high_half<T>(Wide{a} * b);
  using Unsigned = unsigned __int128;
  return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b) >> (8 * sizeof(T)));
}

template <class T>
std::string typed(const std::string& opcode) {
  return opcode + (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(8 * sizeof(T));
}

template <class T>
class IntegerForms : public testing::Test {};
using AllTypes =
    testing::Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(IntegerForms, AllTypes);

TYPED_TEST(IntegerForms, SumsProductsAndExtrema) {
  using T = TypeParam;
  const std::vector<T> v = values<T>();
  const std::string two = " %d, %a, %b;", three = " %d, %a, %b, %c;";
  expect_form<T>(
      typed<T>("add") + two, [](T a, T b) { return wrapped<T>(Wide{a} + b); }, v, v);
  expect_form<T>(
      typed<T>("sub") + two, [](T a, T b) { return wrapped<T>(Wide{a} - b); }, v, v);
  expect_form<T>(
      typed<T>("mul.lo") + two, [](T a, T b) { return wrapped<T>(product(a, b)); }, v, v);
  expect_form<T>(
      typed<T>("mul.hi") + two, [](T a, T b) { return high_product(a, b); }, v, v);
  expect_form<T>(
      typed<T>("mad.lo") + three,
      [](T a, T b, T c) { return wrapped<T>(Wide{wrapped<T>(product(a, b))} + c); }, v, v, v);
  expect_form<T>(
      typed<T>("mad.hi") + three, [](T a, T b, T c) { return wrapped<T>(Wide{high_product(a, b)} + c); }, v,
      v, v);
  expect_form<T>(
      typed<T>("min") + two, [](T a, T b) { return std::min(a, b); }, v, v);
  expect_form<T>(
      typed<T>("max") + two, [](T a, T b) { return std::max(a, b); }, v, v);
  expect_form<T>(
      typed<T>("sad") + three,
      [](T a, T b, T c) { return wrapped<T>(Wide{c} + (a > b ? Wide{a} - b : Wide{b} - a)); }, v, v, v);
}

TYPED_TEST(IntegerForms, DividesByEverything) {
  using T = TypeParam;
  const std::vector<T> v = values<T>();
  expect_form<T>(
      typed<T>("div") + " %d, %a, %b;",
      [](T a, T b) { return b == 0 ? static_cast<T>(-1) : wrapped<T>(Wide{a} / b); }, v, v);
  expect_form<T>(
      typed<T>("rem") + " %d, %a, %b;", [](T a, T b) { return b == 0 ? a : wrapped<T>(Wide{a} % b); }, v, v);
}

template <class T, class W>
void expect_wide() {
  const std::vector<T> v = values<T>();
  const std::vector<W> w = values<W>();
  expect_form<W>(
      typed<T>("mul.wide") + " %d, %a, %b;", [](T a, T b) { return wrapped<W>(Wide{a} * b); }, v, v);
  expect_form<W>(
      typed<T>("mad.wide") + " %d, %a, %b, %c;", [](T a, T b, W c) { return wrapped<W>(Wide{a} * b + c); }, v,
      v, w);
}
TEST(IntegerInstruction, WideProducts) {
  expect_wide<std::uint16_t, std::uint32_t>();
  expect_wide<std::int16_t, std::int32_t>();
  expect_wide<std::uint32_t, std::uint64_t>();
  expect_wide<std::int32_t, std::int64_t>();
}

template <class T>
void expect_signs() {
  const std::vector<T> v = values<T>();
  expect_form<T>(
      typed<T>("neg") + " %d, %a;", [](T a) { return wrapped<T>(-Wide{a}); }, v);
  expect_form<T>(
      typed<T>("abs") + " %d, %a;", [](T a) { return wrapped<T>(a < 0 ? -Wide{a} : Wide{a}); }, v);
}
TEST(IntegerInstruction, NegatesAndTakesTheSize) {
  expect_signs<std::int16_t>();
  expect_signs<std::int32_t>();
  expect_signs<std::int64_t>();
}

std::int32_t clamped(Wide value) {
  using L = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<Wide>(value, L::min(), L::max()));
}
TEST(IntegerInstruction, Saturates) {
  using S = std::int32_t;
  const std::vector<S> v = values<S>();
  expect_form<S>(
      "add.sat.s32 %d, %a, %b;", [](S a, S b) { return clamped(Wide{a} + b); }, v, v);
  expect_form<S>(
      "sub.sat.s32 %d, %a, %b;", [](S a, S b) { return clamped(Wide{a} - b); }, v, v);
  expect_form<S>(
      "mad.hi.sat.s32 %d, %a, %b, %c;", [](S a, S b, S c) { return clamped((Wide{a} * b >> 32) + c); }, v, v,
      v);
  expect_form<S>(
      "min.relu.s32 %d, %a, %b;", [](S a, S b) { return std::max(std::min(a, b), 0); }, v, v);
  expect_form<S>(
      "max.relu.s32 %d, %a, %b;",
      [](S a, S b) {
        return std::max({a, b, 0});
      },
      v, v);
}

Wide low_24(std::int32_t a) {
  return (a & 0x7fffff) - (a & 0x800000);
}
TEST(IntegerInstruction, Multiplies24Bits) {
  using U = std::uint32_t;
  using S = std::int32_t;
  const std::vector<U> u = {0, 1, 3, 0x7fffff, 0x800000, 0xffffff, 0x1000000, 0xabcdef12, 0xffffffff};
  const std::vector<S> s = {0, 1, -1, 3, 0x7fffff, 0x800000, -0x800000, 0x12345678, -77};
  expect_form<U>(
      "mul24.lo.u32 %d, %a, %b;", [](U a, U b) { return wrapped<U>(Wide{a & 0xffffff} * (b & 0xffffff)); }, u,
      u);
  expect_form<U>(
      "mul24.hi.u32 %d, %a, %b;",
      [](U a, U b) { return wrapped<U>(Wide{a & 0xffffff} * (b & 0xffffff) >> 16); }, u, u);
  expect_form<S>(
      "mul24.lo.s32 %d, %a, %b;", [](S a, S b) { return wrapped<S>(low_24(a) * low_24(b)); }, s, s);
  expect_form<S>(
      "mul24.hi.s32 %d, %a, %b;", [](S a, S b) { return wrapped<S>(low_24(a) * low_24(b) >> 16); }, s, s);
  expect_form<S>(
      "mad24.lo.s32 %d, %a, %b, %c;", [](S a, S b, S c) { return wrapped<S>(low_24(a) * low_24(b) + c); }, s,
      s, values<S>());
  expect_form<S>(
      "mad24.hi.s32 %d, %a, %b, %c;",
      [](S a, S b, S c) { return wrapped<S>((low_24(a) * low_24(b) >> 16) + c); }, s, s, values<S>());
  expect_form<S>(
      "mad24.hi.sat.s32 %d, %a, %b, %c;",
      [](S a, S b, S c) { return clamped((low_24(a) * low_24(b) >> 16) + c); }, s, s, values<S>());
}

// A 128-bit sum in two steps, and a difference; each lane has its own flag.
TEST(IntegerInstruction, CarriesFromOneSumToTheNext) {
  using U = std::uint64_t;
  const std::vector<U> v = values<U>();
  const auto join = [](U high, U low) { return static_cast<unsigned __int128>(high) << 64 | low; };
  expect_form<U>(
      "add.cc.u64 %c, %a, %b; addc.u64 %d, %a, %b;",
      [=](U a, U b, U) { return static_cast<U>((join(a, a) + join(b, b)) >> 64); }, v, v, std::vector<U>{0});
  expect_form<U>(
      "sub.cc.u64 %c, %a, %b; subc.u64 %d, %a, %b;",
      [=](U a, U b, U) { return static_cast<U>((join(a, a) - join(b, b)) >> 64); }, v, v, std::vector<U>{0});
  using W = std::uint32_t;
  const std::vector<W> w = values<W>();
  // 32 x 32 + 64 bits, and three words of which the middle one propagates a carry.
  expect_form<W>(
      "mad.lo.cc.u32 %e, %a, %b, %c; madc.hi.u32 %d, %a, %b, %c;",
      [](W a, W b, W c, W) {
        return static_cast<W>((std::uint64_t{a} * b + (std::uint64_t{c} << 32 | c)) >> 32);
      },
      w, w, w, std::vector<W>{0});
  expect_form<W>(
      "add.cc.u32 %c, %a, %b; addc.cc.u32 %c, %a, %a; addc.u32 %d, 0, 0;",
      [](W a, W b, W) {
        const W carry = static_cast<W>((std::uint64_t{a} + b) >> 32);
        return static_cast<W>((std::uint64_t{a} + a + carry) >> 32);
      },
      w, w, std::vector<W>{0});
  expect_form<W>(
      "sub.cc.u32 %c, %a, %b; subc.cc.u32 %c, %b, %a; subc.u32 %d, 0, 0;",
      [](W a, W b, W) { return std::uint64_t{b} < std::uint64_t{a} + (a < b ? 1 : 0) ? ~W{0} : W{0}; }, w, w,
      std::vector<W>{0});
}

// One instruction of a chain: what it adds, with which flag, and which flag it sets. As ptxas compiles it: a difference
// is a sum with the complement, and the flag is the carry of the sum, 1 after a - b when nothing is borrowed.
template <class T>
struct Link {
  using U = std::make_unsigned_t<T>;
  using Twice = std::conditional_t<sizeof(T) == 4, std::uint64_t, unsigned __int128>;
  using Wider = std::conditional_t<std::is_unsigned_v<T>, Twice,
                                   std::conditional_t<sizeof(T) == 4, std::int64_t, __int128>>;
  static constexpr int bits = 8 * sizeof(T);

  std::string opcode;  // "sub", "madc.hi"
  bool reads() const { return opcode.find('c') != std::string::npos; }
  bool is_product() const { return opcode.starts_with("mad"); }
  std::string text(const std::string& type, const std::string& d, bool writes) const {
    return opcode + (writes ? ".cc." : ".") + type + " " + d + ", %a, %b" + (is_product() ? ", %c" : "") +
           ";";
  }
  // Returns the result and sets `flag`.
  U result(T a, T b, T c, bool& flag) const {
    U first = static_cast<U>(a), second = static_cast<U>(b);
    if (is_product()) {
      const auto whole = static_cast<Twice>(static_cast<Wider>(a) * static_cast<Wider>(b));
      first = static_cast<U>(opcode.ends_with("hi") ? whole >> bits : whole);
      second = static_cast<U>(c);
    }
    if (opcode.starts_with("sub")) {
      const bool borrows_one = reads() && !flag;
      flag = Twice{first} >= Twice{second} + (borrows_one ? 1 : 0);
      return static_cast<U>(first - second - (borrows_one ? 1 : 0));
    }
    const Twice sum = Twice{first} + second + (reads() && flag ? 1 : 0);
    flag = sum >> bits != 0;
    return static_cast<U>(sum);
  }
};

template <class T>
void expect_chains(const std::string& type) {
  using U = std::make_unsigned_t<T>;
  const std::vector<T> v = {T(0),
                            T(1),
                            T(2),
                            T(-1),
                            T(-2),
                            std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::max(),
                            T(0x1234567),
                            T(-0x1234567)};
  const std::vector<T> third = {T(0), T(-1), T(5)};
  for (const char* first : {"add", "sub", "mad.lo", "mad.hi"}) {
    for (const char* second : {"", "addc", "subc", "madc.lo", "madc.hi"}) {
      for (const char* last : {"addc", "subc", "madc.lo", "madc.hi"}) {
        const Link<T> links[] = {{first}, {second}, {last}};
        std::string form = links[0].text(type, "%e", true);
        if (*second != 0) form += links[1].text(type, "%e", true);
        form += links[2].text(type, "%d", false);
        expect_form<U>(
            form,
            [&](T a, T b, T c, T) {
              bool flag = false;
              links[0].result(a, b, c, flag);
              if (*second != 0) links[1].result(a, b, c, flag);
              return links[2].result(a, b, c, flag);
            },
            v, v, third, std::vector<T>{0});
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}
TEST(IntegerInstruction, CarryChainsOfSumsAndDifferencesMix) {
  expect_chains<std::uint32_t>("u32");
  expect_chains<std::int32_t>("s32");
  expect_chains<std::uint64_t>("u64");
  expect_chains<std::int64_t>("s64");
}
// Reads the flag with constants, as programs do: 0 - 0 - 1 after a sum without a carry, 0 + 0 + 1 after a difference
// without a borrow.
TEST(IntegerInstruction, CarryIsNotBorrow) {
  using W = std::uint32_t;
  const std::vector<W> w = {0, 1, 5, 0x80000000, 0xffffffff};
  expect_form<W>(
      "add.cc.u32 %c, %a, %b; subc.u32 %d, 0, 0;",
      [](W a, W b, W) { return std::uint64_t{a} + b > 0xffffffff ? W{0} : W{0xffffffff}; }, w, w,
      std::vector<W>{0});
  expect_form<W>(
      "sub.cc.u32 %c, %a, %b; addc.u32 %d, 0, 0;", [](W a, W b, W) { return a >= b ? W{1} : W{0}; }, w, w,
      std::vector<W>{0});
}

template <class A, class B>
std::int64_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::int64_t sum = c;
  for (int k = 0; k < 4; ++k) sum += std::int64_t{static_cast<A>(a >> 8 * k)} * static_cast<B>(b >> 8 * k);
  return sum;
}
TEST(IntegerInstruction, DotProductsOfBytes) {
  using U = std::uint32_t;
  using U8 = std::uint8_t;
  using S8 = std::int8_t;
  const std::vector<U> v = {0, 0x01020304, 0x80808080, 0xffffffff, 0x7f80ff01, 0xdeadbeef};
  expect_form<U>(
      "dp4a.u32.u32 %d, %a, %b, %c;", [](U a, U b, U c) { return static_cast<U>(dot4<U8, U8>(a, b, c)); }, v,
      v, v);
  expect_form<U>(
      "dp4a.s32.s32 %d, %a, %b, %c;", [](U a, U b, U c) { return static_cast<U>(dot4<S8, S8>(a, b, c)); }, v,
      v, v);
  expect_form<U>(
      "dp4a.u32.s32 %d, %a, %b, %c;", [](U a, U b, U c) { return static_cast<U>(dot4<U8, S8>(a, b, c)); }, v,
      v, v);
  expect_form<U>(
      "dp4a.s32.u32 %d, %a, %b, %c;", [](U a, U b, U c) { return static_cast<U>(dot4<S8, U8>(a, b, c)); }, v,
      v, v);
  expect_form<U>(
      "dp2a.lo.s32.s32 %d, %a, %b, %c;",
      [](U a, U b, U c) {
        return static_cast<U>(c + std::int64_t{static_cast<std::int16_t>(a)} * static_cast<S8>(b) +
                              std::int64_t{static_cast<std::int16_t>(a >> 16)} * static_cast<S8>(b >> 8));
      },
      v, v, v);
  expect_form<U>(
      "dp2a.hi.u32.u32 %d, %a, %b, %c;",
      [](U a, U b, U c) {
        return static_cast<U>(c + std::uint64_t{a & 0xffff} * (b >> 16 & 0xff) +
                              std::uint64_t{a >> 16} * (b >> 24));
      },
      v, v, v);
}

TEST(IntegerInstruction, TakesImmediates) {
  const std::vector<std::int32_t> v = values<std::int32_t>();
  expect_form<std::int32_t>(
      "add.s32 %d, %a, -5;", [](std::int32_t a) { return wrapped<std::int32_t>(Wide{a} - 5); }, v);
  expect_form<std::int32_t>(
      "mad.lo.s32 %d, 7, %a, 0x10;", [](std::int32_t a) { return wrapped<std::int32_t>(Wide{a} * 7 + 16); },
      v);
}

}  // namespace
}  // namespace tilescope::ptx
