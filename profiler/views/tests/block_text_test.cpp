#include "profiler/views/memory/block_text.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(BlockText, SaysWhereABlockLiesInTheGrid) {
  EXPECT_EQ(beyond_words("grid", "block", 127, 128), "");
  EXPECT_EQ(beyond_words("grid", "block", 5000, 128),
            "The grid has no block 5,000: the last one is 127, which is shown.");
  EXPECT_EQ(block_place_words(0, {16, 8, 1}), "of 128: x 0, y 0, z 0");
  EXPECT_EQ(block_place_words(16 * 8 * 2 + 16 * 3 + 5, {16, 8, 300}), "of 38,400: x 5, y 3, z 2");
}

TEST(BlockText, SaysWhatAWindowLacks) {
  BlockRecording recording;
  EXPECT_TRUE(recording_notes(recording).empty());
  recording.accesses.resize(1200);
  recording.matching = 5000;
  recording.truncated = true;
  recording.findings.push_back({"out_of_bounds", {12}, "Thread 3 reads past Q.", {}, {}, {}, 1});
  EXPECT_EQ(
      recording_notes(recording),
      (std::vector<std::string>{
          "Only the first 1,200 of 5,000 accesses of this block are shown. A smaller shape makes fewer.",
          "The block ended early: Thread 3 reads past Q."}));
}

TEST(BlockText, SaysWhyAChosenAccessIsNotThere) {
  RecordedSite store;
  store.operation = "st.global";
  store.tile = "O";
  store.line = 210;
  store.ptx_line = 800;
  BlockRecording recording;
  EXPECT_EQ(missing_access(recording, 3, store, 210).heading, "No memory access");
  recording.sites.resize(1);
  EXPECT_EQ(missing_access(recording, 3, store, 210).heading, "Not executed: st.global of O, line 210");
  EXPECT_NE(missing_access(recording, 3, store, 210).text.find("Block 3 does not make this access"),
            std::string::npos);
  EXPECT_EQ(missing_access(recording, 3, std::nullopt, 12).heading, "No access on line 12");
  store.line = 0;
  store.tile = "";
  EXPECT_EQ(missing_access(recording, 3, store, 0).heading, "Not executed: st.global, PTX line 800");

  recording.accesses.resize(1200);
  recording.matching = 5000;
  recording.truncated = true;
  const MissingAccess cut = missing_access(recording, 3, store, 0);
  EXPECT_EQ(cut.heading, "Not in the traced part: st.global, PTX line 800");
  EXPECT_EQ(cut.text,
            "Block 3 may make it later: only the first 1,200 of its 5,000 accesses were traced. A smaller "
            "shape makes fewer.");
  EXPECT_EQ(missing_access(recording, 3, std::nullopt, 12).heading,
            "No access on line 12 in the traced part");
  recording.truncated = false;
  recording.findings.push_back({"out_of_bounds", {12}, "Thread 3 reads past Q.", {}, {}, {}, 1});
  EXPECT_EQ(missing_access(recording, 3, store, 0).text, "Block 3 ended early: Thread 3 reads past Q.");
}

}  // namespace
}  // namespace tilescope
