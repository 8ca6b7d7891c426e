#include "sessions/views/points/complaints.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Measurement checked_point() {
  Measurement point;
  point.findings = {
      {"same_value_store", {7}, "thread 0 stores and thread 1 stores the same value", {}, {}, {}, 1},
      {"race",
       {12, 40},
       "thread 33 writes byte 128 of shared memory (S + 0) at line 12 and thread 70 reads it at line 40",
       {1, 2, 3},
       {33, 70},
       {128},
       1024}};
  point.memory.emplace();
  point.memory->blocks_run = 4;
  point.memory->blocks_total = 128;
  return point;
}

TEST(Complaints, FaultsComeFirstAsSentencesWithTheirPlace) {
  const auto complaints = complaints_of(checked_point().findings);
  ASSERT_EQ(complaints.size(), 2U);
  EXPECT_EQ(complaints[0].title, "Race");
  EXPECT_TRUE(complaints[0].is_fault);
  EXPECT_EQ(
      complaints[0].sentence,
      "Thread 33 writes byte 128 of shared memory (S + 0) at line 12 and thread 70 reads it at line 40.");
  EXPECT_EQ(complaints[0].occurrence, "First in block (1, 2, 3); 1,024 occurrences.");
  EXPECT_EQ(complaints[0].lines, (std::vector<std::int64_t>{12, 40}));
  EXPECT_EQ(complaints[1].title, "Same value store");
  EXPECT_FALSE(complaints[1].is_fault) << "the order does not change the result";
  EXPECT_EQ(complaints[1].occurrence, "1 occurrence.");
}

TEST(Complaints, TheSummarySaysHowManyBlocksWereChecked) {
  Measurement point = checked_point();
  EXPECT_EQ(check_summary(point), "2 findings in 4 of 128 blocks.");
  point.findings.pop_back();
  EXPECT_EQ(check_summary(point), "1 finding in 4 of 128 blocks.");
  point.findings.clear();
  point.memory->blocks_run = 128;
  EXPECT_EQ(check_summary(point), "No findings in all 128 blocks.");
  point.memory.reset();
  EXPECT_EQ(check_summary(point), "No findings.");
}

TEST(Complaints, TheSentenceOnWhatWasLookedForIsOneOfTheNotes) {
  Measurement point = checked_point();
  EXPECT_EQ(looked_for_words(point), "");
  const std::string words = "Looked for: races on shared memory. Not looked for: where a NaN begins.";
  point.notes = {"All blocks were interpreted.", words};
  EXPECT_EQ(looked_for_words(point), words);
  EXPECT_TRUE(is_looked_for(words));
  EXPECT_FALSE(is_looked_for(point.notes.front()));
}

}  // namespace
}  // namespace tilescope
