#include "sessions/session_merge.hpp"

#include <gtest/gtest.h>

#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

PointList points(std::size_t count) {
  return sample::session_of(count).points;
}

SharedMeasurement point(std::int64_t block) {
  Measurement point = sample::full_measurement();
  point.parameters["BLOCK_M"] = block;
  return std::make_shared<const Measurement>(point);
}

TEST(ApplyChanges, AddsAndRemovesAndLeavesOthersAlone) {
  const PointList own = points(3);
  const PointList theirs = points(2);
  PointList list{own[0], theirs[0], own[1], own[2], theirs[1]};
  const auto added = point(100);
  apply_changes(own, {own[0], own[2], added}, list);
  EXPECT_EQ(list, (PointList{own[0], theirs[0], own[2], theirs[1], added}));
}

TEST(ApplyChanges, KeepsTheOrderWhereNobodyElseWrote) {
  const PointList own = points(3);
  const PointList after{own[2], point(100), own[0]};
  PointList list = own;
  apply_changes(own, after, list);
  EXPECT_EQ(list, after);
}

TEST(WithKnownPoints, KnowsCopiesAgain) {
  const PointList known = points(5);
  const PointList copies = points(5);
  EXPECT_EQ(with_known_points(copies, known), known);
  PointList changed{copies[0], point(100), copies[3], copies[4], point(101)};
  const PointList found = with_known_points(changed, known);
  EXPECT_EQ(found, (PointList{known[0], changed[1], known[3], known[4], changed[4]}));
}

TEST(MergeSession, PutsTheirsBeforeWhatIsNewInOurs) {
  const PointList before = points(2);
  Session ours = sample::session_of(0);
  ours.points = before;
  ours.points.push_back(point(100));
  ours.sources["ours"] = {"a.cu", "", {}};
  Session theirs = sample::session_of(2);
  theirs.title = "theirs";
  theirs.points.push_back(point(200));
  theirs.sources["theirs"] = {"b.cu", "", {}};
  const auto their_point = theirs.points.back();
  const PointList in_file = merge_session(std::move(theirs), before, ours);
  EXPECT_EQ(in_file, (PointList{before[0], before[1], their_point}));
  ASSERT_EQ(ours.points.size(), 4U);
  EXPECT_EQ(ours.points[2], their_point);
  EXPECT_EQ(*ours.points[3], *point(100));
  EXPECT_EQ(ours.title, "theirs");
  EXPECT_EQ(ours.sources.size(), 3U);
}

TEST(MergeSession, ForgetsWhatAnotherProgramRemoved) {
  const PointList before = points(3);
  Session ours = sample::session_of(0);
  ours.points = before;
  Session theirs = sample::session_of(1);
  merge_session(std::move(theirs), before, ours);
  EXPECT_EQ(ours.points, (PointList{before[0]}));
}

}  // namespace
}  // namespace tilescope
