#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/lane_values.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using U = std::uint32_t;

constexpr int rounds = 30;

// R4, R5 and R6 are inputs, R2 is the result.
class LogicTest : public testing::Test {
 protected:
  template <class Model>
  void expect(const std::string& text, Model model) {
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t k = 0; k < 3; ++k) set(snippet, 4 + static_cast<int>(k), in[k] = lane_values(random));
      snippet.set(2, [](unsigned) { return 0xdeadu; });
      const simt::LaneMask exec = round % 2 == 0 ? simt::all_lanes : lane_mask(random) | 1u;
      snippet.run(text, 0, exec);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const U expected = is_set(exec, lane) ? model(in[0][lane], in[1][lane], in[2][lane]) : 0xdeadu;
        ASSERT_EQ(snippet.get(2, lane), expected) << text << " lane " << lane;
      }
    }
  }

  SassSnippet snippet{logic_opcodes()};
  std::mt19937_64 random{17};
  std::array<LaneValues, 3> in{};
};

U by_table(int table, U a, U b, U c) {
  U result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const U index = (a >> bit & 1u) << 2 | (b >> bit & 1u) << 1 | (c >> bit & 1u);
    result |= (static_cast<U>(table) >> index & 1u) << bit;
  }
  return result;
}

TEST_F(LogicTest, AppliesEveryTable) {
  for (int table = 0; table < 256; ++table) {
    const std::string text = "LOP3.LUT R2, R4, R5, R6, " + std::to_string(table) + ", !PT";
    expect(text, [=](U a, U b, U c) { return by_table(table, a, b, c); });
  }
  expect("LOP3.LUT R2, R4, 0xfffffff0, RZ, 0xc0, !PT", [](U a, U, U) { return a & ~15u; });
  expect("LOP3.LUT R2, RZ, R5, RZ, 0x33, !PT", [](U, U b, U) { return ~b; });
}

TEST_F(LogicTest, TestsTheResultOfATable) {
  for (int round = 0; round < rounds; ++round) {
    set(snippet, 4, in[0] = lane_values(random));
    set(snippet, 5, in[1] = lane_values(random));
    const simt::LaneMask q = lane_mask(random);
    snippet.set_predicate(2, q);
    snippet.run("LOP3.LUT P0, RZ, R4, 0x3, RZ, 0xc0, !PT");
    snippet.run("LOP3.LUT P1, R2, R4, R5, RZ, 0xc0, P2");
    snippet.run("LOP3.LUT.PAND P3, R3, R4, R5, RZ, 0xc0, !P2");
    for (unsigned lane = 0; lane < 32; ++lane) {
      const U both = in[0][lane] & in[1][lane];
      ASSERT_EQ(is_set(snippet.get_predicate(0), lane), (in[0][lane] & 3u) != 0);
      ASSERT_EQ(is_set(snippet.get_predicate(1), lane), both != 0 || is_set(q, lane));
      ASSERT_EQ(is_set(snippet.get_predicate(3), lane), both != 0 && !is_set(q, lane));
      ASSERT_EQ(snippet.get(2, lane), both);
      ASSERT_EQ(snippet.get(3, lane), both);
    }
  }
}

TEST_F(LogicTest, AppliesTablesToPredicates) {
  for (int table = 0; table < 256; table += 3) {
    const simt::LaneMask a = lane_mask(random), b = lane_mask(random), c = lane_mask(random);
    snippet.set_predicate(0, a);
    snippet.set_predicate(1, b);
    snippet.set_predicate(2, c);
    snippet.set_predicate(3, 0);
    const std::string other = std::to_string(255 - table / 2);
    snippet.run("PLOP3.LUT P3, P4, P0, !P1, P2, " + std::to_string(table) + ", " + other);
    EXPECT_EQ(snippet.get_predicate(3), by_table(table, a, ~b, c));
    EXPECT_EQ(snippet.get_predicate(4), by_table(255 - table / 2, a, ~b, c));
    snippet.run("PLOP3.LUT P5, PT, P0, PT, !PT, " + std::to_string(table) + ", 0x0", 0, 0xffff);
    EXPECT_EQ(snippet.get_predicate(5) & 0xffffu, by_table(table, a, ~0u, 0) & 0xffffu);
  }
  // The sign of a register is a predicate too.
  snippet.set(4, [](unsigned lane) { return lane << 31; });
  snippet.run("PLOP3.LUT P3, PT, R4.SIGN, PT, PT, 0x80, 0x0");
  EXPECT_EQ(snippet.get_predicate(3), 0xaaaa'aaaau);
  EXPECT_THROW(snippet.run("PLOP3.LUT P3, PT, R4, PT, PT, 0x80, 0x0"), Unsupported);
}

U byte_of(U a, U c, U choice) {
  const U word = (choice & 4u) != 0 ? c : a;
  const U byte = word >> (8 * (choice & 3u)) & 0xffu;
  if ((choice & 8u) == 0) return byte;
  return (byte & 0x80u) != 0 ? 0xffu : 0u;
}
U permuted(U a, U c, const std::array<U, 4>& choices) {
  U result = 0;
  for (unsigned k = 0; k < 4; ++k) result |= byte_of(a, c, choices[k]) << (8 * k);
  return result;
}

TEST_F(LogicTest, PermutesBytes) {
  const auto any = [](U a, U selector, U c) {
    const auto choice = [=](int k) { return selector >> (4 * k) & 15u; };
    return permuted(a, c, {choice(0), choice(1), choice(2), choice(3)});
  };
  expect("PRMT R2, R4, R5, R6", any);
  expect("PRMT R2, R4, 0x7610, R6", [=](U a, U, U c) { return (c & 0xffff0000u) | (a & 0xffffu); });
  expect("PRMT R2, R4, 0x9910, RZ", [](U a, U, U) { return static_cast<U>(static_cast<std::int16_t>(a)); });
  expect("PRMT.F4E R2, R4, R5, R6", [](U a, U s, U c) {
    const U n = s & 3u;
    return permuted(a, c, {n, n + 1, n + 2, n + 3});
  });
  expect("PRMT.B4E R2, R4, R5, R6", [](U a, U s, U c) {
    const U n = s & 3u;
    return permuted(a, c, {n, (n + 7) % 8, (n + 6) % 8, (n + 5) % 8});
  });
  expect("PRMT.RC8 R2, R4, R5, R6", [](U a, U s, U) { return (a >> (8 * (s & 3u)) & 0xffu) * 0x01010101u; });
  expect("PRMT.RC16 R2, R4, R5, R6",
         [](U a, U s, U) { return (a >> (16 * (s & 1u)) & 0xffffu) * 0x00010001u; });
  expect("PRMT.ECL R2, R4, R5, R6", [](U a, U s, U c) {
    const U n = s & 3u;
    return permuted(a, c, {std::max(0u, n), std::max(1u, n), std::max(2u, n), 3});
  });
  expect("PRMT.ECR R2, R4, R5, R6", [](U a, U s, U c) {
    const U n = s & 3u;
    return permuted(a, c, {0, std::min(1u, n), std::min(2u, n), n});
  });
  EXPECT_THROW(snippet.run("PRMT.XYZ R2, R4, R5, R6"), Unsupported);
}

TEST_F(LogicTest, ExtendsAndMasks) {
  const auto extended = [](U a, U bits) {
    if (bits == 0) return 0u;
    return bits >= 32 ? a : static_cast<U>(static_cast<std::int32_t>(a << (32 - bits)) >> (32 - bits));
  };
  const auto truncated = [](U a, U bits) { return bits >= 32 ? a : a & ((1u << bits) - 1); };
  expect("SGXT R2, R4, R5", [=](U a, U b, U) { return extended(a, b); });
  expect("SGXT R2, R4, 0x18", [=](U a, U, U) { return extended(a, 24); });
  expect("SGXT.U32 R2, R4, R5", [=](U a, U b, U) { return truncated(a, b); });
  expect("SGXT.W R2, R4, R5", [=](U a, U b, U) { return extended(a, b % 32); });
  expect("SGXT.W.U32 R2, R4, R5", [=](U a, U b, U) { return truncated(a, b % 32); });
  const auto ones = [](U position, U length) {
    U mask = 0;
    for (U bit = 0; bit < 32; ++bit) mask |= (bit >= position && bit - position < length ? 1u : 0u) << bit;
    return mask;
  };
  expect("BMSK R2, R4, R5", [=](U a, U b, U) { return ones(a, b); });
  expect("BMSK R2, R4, 0x5", [=](U a, U, U) { return ones(a, 5); });
  expect("BMSK.W R2, R4, R5", [=](U a, U b, U) { return ones(a % 32, b % 32); });
}

TEST_F(LogicTest, CountsAndFindsBits) {
  const auto top = [](U a) { return a == 0 ? ~0u : 31u - static_cast<U>(std::countl_zero(a)); };
  const auto sign_free = [](U a) { return a >> 31 != 0 ? ~a : a; };
  const auto from_top = [](U a) { return a == 0 ? ~0u : static_cast<U>(std::countl_zero(a)); };
  expect("POPC R2, R4", [](U a, U, U) { return static_cast<U>(std::popcount(a)); });
  expect("POPC R2, ~R4", [](U a, U, U) { return static_cast<U>(std::popcount(~a)); });
  expect("FLO.U32 R2, R4", [=](U a, U, U) { return top(a); });
  expect("FLO.U32 R2, ~R4", [=](U a, U, U) { return top(~a); });
  expect("FLO.U32.SH R2, R4", [=](U a, U, U) { return from_top(a); });
  expect("FLO R2, R4", [=](U a, U, U) { return top(sign_free(a)); });
  expect("FLO.SH R2, R4", [=](U a, U, U) { return from_top(sign_free(a)); });
  expect("BREV R2, R4", [](U a, U, U) {
    U reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (a >> bit & 1u) << (31 - bit);
    return reversed;
  });
}

TEST_F(LogicTest, ActsOnUniformRegisters) {
  snippet.set_uniform(4, 0xf0f0'1234);
  snippet.set_uniform(5, 0x0ff0'0000);
  // Whatever lanes are active: a warp has its uniform registers once.
  snippet.run("ULOP3.LUT UR6, UR4, UR5, URZ, 0x3c, !UPT", 0, 0x10);
  EXPECT_EQ(snippet.decoded().flow, simt::Flow::uniform);
  EXPECT_EQ(snippet.get_uniform(6), 0xff00'1234);
  snippet.run("UPOPC UR6, UR4");
  EXPECT_EQ(snippet.get_uniform(6), 13u);
  snippet.run("UFLO.U32 UR6, UR5");
  EXPECT_EQ(snippet.get_uniform(6), 27u);
  snippet.run("ULOP3.LUT UP1, URZ, UR4, 0x4, URZ, 0xc0, !UPT");
  EXPECT_EQ(snippet.get_uniform_predicate(1), simt::all_lanes);
  snippet.run("UPLOP3.LUT UP2, UPT, UP1, UPT, UPT, 0x7f, 0x0");
  EXPECT_EQ(snippet.get_uniform_predicate(2), 0u);
  snippet.run("PLOP3.LUT P0, PT, PT, PT, UP1, 0x80, 0x0");
  EXPECT_EQ(snippet.get_predicate(0), simt::all_lanes);
  snippet.run("LOP3.LUT R2, RZ, UR5, RZ, 0x33, !PT");
  EXPECT_EQ(snippet.get(2, 31), 0xf00f'ffff);
}

}  // namespace
}  // namespace tilescope::sass
