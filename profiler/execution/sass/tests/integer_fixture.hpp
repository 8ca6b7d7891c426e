#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/lane_values.hpp"

/// Fixture shared by tests of integer instructions.
namespace tilescope::sass::integer_tests {
using U = std::uint32_t;
using S = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

inline constexpr int rounds = 40;

inline S s(U value) {
  return static_cast<S>(value);
}
inline U u(S64 value) {
  return static_cast<U>(value);
}
inline U64 pair(U low, U high) {
  return U64{high} << 32 | low;
}

// The registers R4 to R9 and the predicates P0 to P3 of one lane, before the instruction.
struct Lane {
  U r[10];
  bool p[4];
};

// A snippet with random inputs, and what they are.
class IntegerTest : public ::testing::Test {
 protected:
  void fill() {
    for (std::size_t r = 4; r < 10; ++r) set(snippet, static_cast<int>(r), inputs_[r] = lane_values(random_));
    for (std::size_t p = 0; p < 4; ++p) {
      snippet.set_predicate(static_cast<int>(p), predicates_[p] = lane_mask(random_));
    }
    snippet.set(2, [](unsigned) { return 0xdeadu; });
    snippet.set(3, [](unsigned) { return 0xbeefu; });
    snippet.set_predicate(4, 0);
    snippet.set_predicate(5, simt::all_lanes);
  }
  Lane lane_of(unsigned lane) const {
    Lane one{};
    for (std::size_t r = 4; r < 10; ++r) one.r[r] = inputs_[r][lane];
    for (std::size_t p = 0; p < 4; ++p) one.p[p] = is_set(predicates_[p], lane);
    return one;
  }
  // R2 is the result, in the active lanes alone, with all lanes active and with some.
  void expect(const std::string& text, const std::function<U(const Lane&)>& model) {
    for (int round = 0; round < rounds; ++round) {
      fill();
      const simt::LaneMask exec = round % 2 == 0 ? simt::all_lanes : lane_mask(random_) | 1u;
      snippet.run(text, 0, exec);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const U expected = is_set(exec, lane) ? model(lane_of(lane)) : 0xdeadu;
        ASSERT_EQ(snippet.get(2, lane), expected) << text << " lane " << lane;
      }
    }
  }
  // R2 and R3.
  void expect_pair(const std::string& text, const std::function<U64(const Lane&)>& model) {
    for (int round = 0; round < rounds; ++round) {
      fill();
      const simt::LaneMask exec = round % 2 == 0 ? simt::all_lanes : lane_mask(random_) | 1u;
      snippet.run(text, 0, exec);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const U64 expected = is_set(exec, lane) ? model(lane_of(lane)) : 0xbeef'0000'deadu;
        ASSERT_EQ(snippet.get64(2, lane), expected) << text << " lane " << lane;
      }
    }
  }
  // P4, which is false before.
  void expect_predicate(const std::string& text, const std::function<bool(const Lane&)>& model,
                        int predicate = 4) {
    for (int round = 0; round < rounds; ++round) {
      fill();
      const simt::LaneMask exec = round % 2 == 0 ? simt::all_lanes : lane_mask(random_) | 1u;
      snippet.run(text, 0, exec);
      const simt::LaneMask result = snippet.get_predicate(predicate);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const bool before = predicate == 5;
        const bool expected = is_set(exec, lane) ? model(lane_of(lane)) : before;
        ASSERT_EQ(is_set(result, lane), expected) << text << " lane " << lane;
      }
    }
  }

  SassSnippet snippet{integer_opcodes()};

 private:
  std::mt19937_64 random_{16};
  std::array<LaneValues, 10> inputs_{};
  std::array<simt::LaneMask, 4> predicates_{};
};

}  // namespace tilescope::sass::integer_tests
