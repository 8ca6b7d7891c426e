// SIMD video instructions against the test's own arithmetic, which follows what ptxas makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

using Word = std::uint32_t;
using Operation = std::function<int(int, int)>;

const std::vector<Word>& words() {
  static const std::vector<Word> all = {0,          0x01020304, 0x80808080, 0x7f7f7f7f, 0xffffffff,
                                        0x7f80ff01, 0xdeadbeef, 0x80007fff, 0x7fff8000, 0x00ff00ff};
  return all;
}

template <class Part>
std::vector<int> parts_of(Word word) {
  std::vector<Part> parts(sizeof(Word) / sizeof(Part));
  std::memcpy(parts.data(), &word, sizeof word);
  return {parts.begin(), parts.end()};
}

template <class Part>
Word joined(const std::vector<int>& values) {
  std::vector<Part> parts;
  parts.reserve(values.size());
  for (const int value : values) parts.push_back(static_cast<Part>(value));
  Word word = 0;
  std::memcpy(&word, parts.data(), sizeof word);
  return word;
}

template <class Result, class A, class B>
std::vector<int> results(Word a, Word b, const Operation& operation, bool saturates) {
  const std::vector<int> left = parts_of<A>(a), right = parts_of<B>(b);
  std::vector<int> values;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const int value = operation(left[i], right[i]);
    using Limits = std::numeric_limits<Result>;
    values.push_back(saturates ? std::clamp(value, int{Limits::min()}, int{Limits::max()}) : value);
  }
  return values;
}

// One instruction in its four forms: plain, .sat, .add and .sat.add.
template <class Result, class A, class B>
void expect_video(const std::string& name, const Operation& operation) {
  for (const bool saturates : {false, true}) {
    const std::string text = name + (saturates ? ".sat" : "");
    expect_form<Word>(
        text + " %d, %a, %b, %c;",
        [&](Word a, Word b, Word) {
          return joined<Result>(results<Result, A, B>(a, b, operation, saturates));
        },
        words(), words(), std::vector<Word>{0});
    expect_form<Word>(
        text + ".add %d, %a, %b, %c;",
        [&](Word a, Word b, Word c) {
          for (const int value : results<Result, A, B>(a, b, operation, saturates))
            c += static_cast<Word>(value);
          return c;
        },
        words(), words(), std::vector<Word>{0, 77, 0xfffffff0});
  }
}

using U8 = std::uint8_t;
using S8 = std::int8_t;
using U16 = std::uint16_t;
using S16 = std::int16_t;

int distance(int a, int b) {
  return a > b ? a - b : b - a;
}
int average(int a, int b) {
  const int sum = a + b;
  return sum >= 0 ? (sum + 1) / 2 : sum / 2 - (sum % 2 != 0 ? 1 : 0);
}

TEST(VideoInstruction, AbsoluteDifferences) {
  expect_video<U8, U8, U8>("vabsdiff4.u32.u32.u32", distance);
  expect_video<U16, U16, U16>("vabsdiff2.u32.u32.u32", distance);
  expect_video<S8, S8, S8>("vabsdiff4.s32.s32.s32", distance);
  expect_video<U16, S16, U16>("vabsdiff2.u32.s32.u32", distance);
}

TEST(VideoInstruction, SumsAndDifferences) {
  expect_video<U8, U8, U8>("vadd4.u32.u32.u32", std::plus<int>());
  expect_video<S8, S8, U8>("vadd4.s32.s32.u32", std::plus<int>());
  expect_video<S16, S16, S16>("vadd2.s32.s32.s32", std::plus<int>());
  expect_video<U8, U8, U8>("vsub4.u32.u32.u32", std::minus<int>());
  expect_video<S16, U16, U16>("vsub2.s32.u32.u32", std::minus<int>());
}

TEST(VideoInstruction, Averages) {
  expect_video<U8, U8, U8>("vavrg4.u32.u32.u32", average);
  expect_video<S8, S8, S8>("vavrg4.s32.s32.s32", average);
  expect_video<S16, S16, S16>("vavrg2.s32.s32.s32", average);
}

TEST(VideoInstruction, MinimaAndMaxima) {
  const Operation least = [](int a, int b) { return a < b ? a : b; };
  const Operation most = [](int a, int b) { return a < b ? b : a; };
  expect_video<U8, U8, U8>("vmin4.u32.u32.u32", least);
  expect_video<S16, S16, U16>("vmin2.s32.s32.u32", least);
  expect_video<S8, S8, S8>("vmax4.s32.s32.s32", most);
  expect_video<U16, U16, U16>("vmax2.u32.u32.u32", most);
}

}  // namespace
}  // namespace tilescope::ptx
