#include "profiler/views/block_text.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(BlockText, SaysWhereABlockLiesInTheGrid) {
  EXPECT_EQ(block_place_words(0, {16, 8, 1}), "of 128: x 0, y 0, z 0");
  EXPECT_EQ(block_place_words(16 * 8 * 2 + 16 * 3 + 5, {16, 8, 300}), "of 38,400: x 5, y 3, z 2");
}

TEST(BlockText, SaysWhatAWindowLacks) {
  RecordedWindow window;
  EXPECT_TRUE(window_notes(window).empty());
  window.accesses.resize(1200);
  window.matching = 5000;
  window.truncated = true;
  window.findings.push_back({"out_of_bounds", {12}, "Thread 3 reads past Q.", {}, {}, {}, 1});
  EXPECT_EQ(
      window_notes(window),
      (std::vector<std::string>{
          "Only the first 1,200 of 5,000 accesses of this block are shown. A smaller shape makes fewer.",
          "The block ended early: Thread 3 reads past Q."}));
}

}  // namespace
}  // namespace tilescope
