#include "sessions/views/points/point_index.hpp"

#include <gtest/gtest.h>

#include "sessions/views/points/point_rows.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_timed;
using test_support::share;

TEST(PointIndex, TakesWhatIsNewAndNothingTwice) {
  PointIndex index;
  PointList session{share(make_point(8, "row"))};
  EXPECT_TRUE(index.update("k", test_support::sample_parameters(), session, {}));
  EXPECT_FALSE(index.update("k", test_support::sample_parameters(), session, {}));
  session.push_back(share(make_point(16, "padded")));
  EXPECT_TRUE(index.update("k", test_support::sample_parameters(), session, {}));
  ASSERT_EQ(index.entries().size(), 2u);
  EXPECT_EQ(index.codes(1)[0], 1);
  EXPECT_EQ(index.codes(1)[1], 1);
}

TEST(PointIndex, StartsOverWhenAnotherSessionIsOpened) {
  PointIndex index;
  index.update("k", test_support::sample_parameters(),
               {share(make_point(8, "row")), share(make_point(16, "row"))}, {});
  EXPECT_TRUE(index.update("k", test_support::sample_parameters(), {share(make_point(32, "row"))}, {}));
  ASSERT_EQ(index.entries().size(), 1u);
  EXPECT_EQ(index.codes(0)[0], 2);
}

TEST(PointIndex, ForgetsWhatWasClosed) {
  PointIndex index;
  const PointList session{share(make_point(8, "row"))};
  index.update("k", test_support::sample_parameters(), session, {share(make_point(16, "row"))});
  EXPECT_TRUE(index.update("k", test_support::sample_parameters(), session, {}));
  EXPECT_EQ(index.entries().size(), 1u);
}

TEST(PointIndex, LeavesOtherKernelsOut) {
  Measurement other = make_point(8, "row");
  other.kernel = "other";
  EXPECT_TRUE(test_support::index_of({share(other)}).entries().empty());
}

TEST(PointIndex, SaysWhenAValueIsNotDeclared) {
  const PointIndex index = test_support::index_of({share(make_point(12, "row"))});
  EXPECT_EQ(index.codes(0)[0], PointIndex::not_declared);
  EXPECT_TRUE(select(index, test_support::slice_of(8, "row", {"M"})).empty());
}

TEST(PointIndex, APointFromBeforeAParameterHasItsDefault) {
  std::vector<ParameterChoices> parameters = test_support::sample_parameters();
  parameters.push_back({"REDUCE", {std::string("shared"), std::string("shuffle")}, std::string("shuffle")});
  Measurement other = make_point(8, "row");
  other.parameters["REDUCE"] = std::string("shared");
  PointIndex index;
  index.update("k", parameters, {share(other)}, {share(make_timed(8, "row", 1))});
  EXPECT_EQ(index.codes(0)[2], 1);
  EXPECT_EQ(index.codes(1)[2], 0);

  Slice slice = test_support::slice_of(8, "row", {"M"});
  slice.configuration["REDUCE"] = std::string("shuffle");
  EXPECT_EQ(select(index, slice), (std::vector<std::size_t>{0}));
  slice.free = {"REDUCE"};
  EXPECT_EQ(select(index, slice), (std::vector<std::size_t>{0, 1}));
}

TEST(PointIndex, PointsOfARecordedSessionAreRecordedWhateverTheySay) {
  const PointIndex index = test_support::index_of({share(test_support::make_predicted(8, "row", 1))},
                                                  {share(make_timed(8, "row", 1))});
  EXPECT_EQ(index.entries()[0].kind, LatencyKind::recorded);
  EXPECT_EQ(index.entries()[1].kind, LatencyKind::measured);
}

TEST(Select, FixesTheOthersAsUnderTheSliders) {
  const PointIndex index = test_support::index_of(
      {share(make_point(8, "row")), share(make_point(16, "padded")), share(make_point(32, "row"))});
  EXPECT_EQ(select(index, test_support::slice_of(8, "row", {"M"})), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(select(index, test_support::slice_of(16, "row", {"LAYOUT"})), (std::vector<std::size_t>{1}));
}

TEST(Select, TakesOneShapeAlone) {
  Measurement causal = make_point(8, "row");
  causal.shape.causal = true;
  const PointIndex index = test_support::index_of({share(causal), share(make_point(8, "row"))});
  Slice slice = test_support::slice_of(8, "row", {"M"});
  slice.all_configurations = true;
  EXPECT_EQ(select(index, slice), (std::vector<std::size_t>{1}));
}

TEST(PointIndex, ALargeSessionIsTakenInPiecesAndInItsOrder) {
  PointList session;
  for (std::size_t i = 0; i < 2 * points_at_a_time + 1; ++i) session.push_back(share(make_point(8, "row")));
  PointIndex index;
  PointRows rows;
  for (const std::size_t taken : {points_at_a_time, 2 * points_at_a_time, 2 * points_at_a_time + 1}) {
    EXPECT_TRUE(index.update("k", test_support::sample_parameters(), session, {}));
    EXPECT_TRUE(rows.update(session, {}));
    EXPECT_EQ(index.entries().size(), taken);
    EXPECT_EQ(rows.rows().size(), taken);
    EXPECT_EQ(index.is_complete(), taken == session.size());
    EXPECT_EQ(rows.is_complete(), taken == session.size());
  }
  EXPECT_FALSE(index.update("k", test_support::sample_parameters(), session, {}));
  EXPECT_FALSE(rows.update(session, {}));
  EXPECT_EQ(index.entries().back().point, session.back());
  EXPECT_EQ(rows.rows().back().point, session.back());
}

}  // namespace
}  // namespace tilescope
