#include "profiler/process/memory_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace tilescope {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

void end_with_3(const std::string& reason) {
  std::fprintf(stderr, "%s\n", reason.c_str());
  std::_Exit(3);
}

void take_memory(std::uint64_t limit) {
  const MemoryWatch watch(limit, end_with_3);
  std::vector<std::vector<char>> taken;
  taken.reserve(24);
  for (int i = 0; i < 24; ++i) taken.emplace_back(std::size_t{16} << 20, 'x');
  for (int i = 0; i < 200 && limit > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::_Exit(7);
}

TEST(MemoryWatchDeathTest, EndsTheProcessWithASentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(take_memory(256 * mebibyte), testing::ExitedWithCode(3),
              "took more than its limit of 0.2 GiB of memory");
  EXPECT_EXIT(take_memory(0), testing::ExitedWithCode(7), "");
}

TEST(MemoryWatch, EndsWithItsOwner) {
  const auto start = std::chrono::steady_clock::now();
  { const MemoryWatch watch(std::uint64_t{1} << 50, end_with_3); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(MemoryWatch, TheDefaultIsLessThanTheMachineHas) {
  EXPECT_GT(default_memory_limit(), 16 * mebibyte);
  EXPECT_LT(default_memory_limit(), std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace tilescope
