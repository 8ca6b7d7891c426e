// setp, set, selp and slct: each comparison by its definition, with NaN and both zeros.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

template <class T>
std::vector<T> values() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return {T(0),     T(-0.0),  T(1),          T(-1),          L::denorm_min(), -L::denorm_min(),
            L::min(), L::max(), L::infinity(), -L::infinity(), L::quiet_NaN(),  -L::quiet_NaN()};
  } else {
    return {T(0), T(1), T(-1), L::min(), L::max(), T(L::max() - 1), T(77), T(-77)};
  }
}

enum class Order { less, equal, greater, unordered };
template <class T>
Order order_of(T a, T b) {
  return a < b ? Order::less : a > b ? Order::greater : a == b ? Order::equal : Order::unordered;
}

struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;
  bool holds(Order order) const {
    return order == Order::less      ? less
           : order == Order::equal   ? equal
           : order == Order::greater ? greater
                                     : unordered;
  }
};
constexpr Comparison of_all[] = {{"eq", false, true, false, false}, {"ne", true, false, true, false},
                                 {"lt", true, false, false, false}, {"le", true, true, false, false},
                                 {"gt", false, false, true, false}, {"ge", false, true, true, false}};
constexpr Comparison of_unsigned[] = {{"lo", true, false, false, false},
                                      {"ls", true, true, false, false},
                                      {"hi", false, false, true, false},
                                      {"hs", false, true, true, false}};
constexpr Comparison of_floats[] = {{"equ", false, true, false, true}, {"neu", true, false, true, true},
                                    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
                                    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
                                    {"num", true, true, true, false},  {"nan", false, false, false, true}};

template <class T>
std::string type_name() {
  const std::string bits = std::to_string(8 * sizeof(T));
  return std::is_floating_point_v<T> ? ".f" + bits : (std::is_signed_v<T> ? ".s" : ".u") + bits;
}

template <class T>
void expect_comparison(const Comparison& comparison) {
  const std::vector<T> v = values<T>();
  const std::string name = std::string(".") + comparison.name, type = type_name<T>() + " ";
  expect_form<bool>(
      "setp" + name + type + "%d, %a, %b;", [&](T a, T b) { return comparison.holds(order_of(a, b)); }, v, v);
  // A predicate is combined with the comparison, and with its opposite for the second of a pair.
  const std::string pair =
      "setp.ne.u32 %p, %c, 0; setp" + name + ".xor" + type +
      "%p|%q, %a, %b, !%p; selp.b32 %x, 1, 0, %p; selp.b32 %y, 2, 0, %q; or.b32 %d, %x, %y;";
  expect_form<std::uint32_t>(
      pair,
      [&](T a, T b, std::uint32_t c) {
        const bool holds = comparison.holds(order_of(a, b));
        return (holds != (c == 0) ? 1u : 0u) | (!holds != (c == 0) ? 2u : 0u);
      },
      v, v, std::vector<std::uint32_t>{0, 1});
  if (sizeof(T) == 2) return;
  expect_form<std::uint32_t>(
      "set" + name + ".u32" + type + "%d, %a, %b;",
      [&](T a, T b) { return comparison.holds(order_of(a, b)) ? ~0u : 0u; }, v, v);
  expect_form<float>(
      "set" + name + ".f32" + type + "%d, %a, %b;",
      [&](T a, T b) { return comparison.holds(order_of(a, b)) ? 1.0f : 0.0f; }, v, v);
}

template <class T>
class Comparisons : public testing::Test {};
using AllTypes = testing::Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                                std::int64_t, float, double>;
TYPED_TEST_SUITE(Comparisons, AllTypes);

TYPED_TEST(Comparisons, HoldForWhatTheySay) {
  using T = TypeParam;
  for (const Comparison& comparison : of_all) expect_comparison<T>(comparison);
  if constexpr (std::is_floating_point_v<T>) {
    for (const Comparison& comparison : of_floats) expect_comparison<T>(comparison);
  } else if constexpr (std::is_unsigned_v<T>) {
    for (const Comparison& comparison : of_unsigned) expect_comparison<T>(comparison);
  }
}

TEST(CompareInstruction, CombinesWithAPredicate) {
  const std::vector<std::int32_t> v = {-1, 0, 1};
  const std::vector<std::uint32_t> c = {0, 1};
  const std::string third = "setp.ne.u32 %p, %c, 0; ";
  using S = std::int32_t;
  using U = std::uint32_t;
  expect_form<bool>(
      third + "setp.lt.and.s32 %d, %a, %b, %p;", [](S a, S b, U p) { return a < b && p != 0; }, v, v, c);
  expect_form<bool>(
      third + "setp.lt.or.s32 %d, %a, %b, !%p;", [](S a, S b, U p) { return a < b || p == 0; }, v, v, c);
  expect_form<bool>(
      third + "setp.ge.xor.s32 %d, %a, %b, %p;", [](S a, S b, U p) { return (a >= b) != (p != 0); }, v, v, c);
  expect_form<U>(
      third + "set.ge.and.s32.s32 %d, %a, %b, %p;", [](S a, S b, U p) { return a >= b && p != 0 ? ~0u : 0u; },
      v, v, c);
  expect_form<bool>(
      "setp.eq.b32 %d, %a, -1;", [](S a) { return a == -1; }, v);
}

TEST(CompareInstruction, FlushesDenormals) {
  const std::vector<float> v = values<float>();
  const auto flushed = [](float a) { return std::fpclassify(a) == FP_SUBNORMAL ? 0.0f : a; };
  expect_form<bool>(
      "setp.eq.ftz.f32 %d, %a, %b;", [=](float a, float b) { return flushed(a) == flushed(b); }, v, v);
  expect_form<bool>(
      "setp.ltu.ftz.f32 %d, %a, %b;", [=](float a, float b) { return !(flushed(a) >= flushed(b)); }, v, v);
  expect_form<std::uint32_t>(
      "set.gt.ftz.u32.f32 %d, %a, %b;", [=](float a, float b) { return flushed(a) > flushed(b) ? ~0u : 0u; },
      v, v);
}

template <class T>
void expect_selection() {
  const std::vector<T> v = {T(1), T(0x1234567890abcdef), T(-1)};
  const std::string type = ".b" + std::to_string(8 * sizeof(T)),
                    unsigned_type = ".u" + std::to_string(8 * sizeof(T));
  expect_form<T>(
      "selp" + type + " %d, %a, %b, %c;", [](T a, T b, bool c) { return c ? a : b; }, v, v,
      std::vector<bool>{false, true});
  expect_form<T>(
      "slct" + unsigned_type + ".s32 %d, %a, %b, %c;",
      [](T a, T b, std::int32_t c) { return c >= 0 ? a : b; }, v, v, values<std::int32_t>());
  expect_form<T>(
      "slct" + type + ".f32 %d, %a, %b, %c;", [](T a, T b, float c) { return c >= 0 ? a : b; }, v, v,
      values<float>());
  expect_form<T>(
      "slct.ftz" + type + ".f32 %d, %a, %b, %c;",
      [](T a, T b, float c) { return c >= 0 || std::fpclassify(c) == FP_SUBNORMAL ? a : b; }, v, v,
      values<float>());
}
TEST(CompareInstruction, Selects) {
  expect_selection<std::uint16_t>();
  expect_selection<std::uint32_t>();
  expect_selection<std::uint64_t>();
  expect_form<float>(
      "selp.f32 %d, 0f3F800000, %a, %b;", [](float a, bool b) { return b ? 1.0f : a; },
      std::vector<float>{2.0f, -3.0f}, std::vector<bool>{false, true});
}

}  // namespace
}  // namespace tilescope::ptx
