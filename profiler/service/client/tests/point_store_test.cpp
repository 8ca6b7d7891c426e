#include "profiler/service/client/point_store.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

const Circumstances now{{{"k", "new"}}, false};

Experiment experiment() {
  Experiment made;
  made.kernel = "k";
  made.device = "L4";
  made.parameters["BLOCK_M"] = std::int64_t{64};
  return made;
}

SharedMeasurement make_point(const std::string& source, bool present = false, Status status = Status::ok) {
  Measurement point = failed_measurement(experiment(), status, "");
  point.provenance.source_sha256 = source;
  point.device.present = present;
  return std::make_shared<const Measurement>(std::move(point));
}

TEST(PointStore, FindsThePointOfAnExperimentAlone) {
  PointStore store;
  EXPECT_FALSE(store.find(experiment(), now));
  const SharedMeasurement point = make_point("new");
  store.add(point);
  ASSERT_TRUE(store.find(experiment(), now));
  EXPECT_EQ(store.find(experiment(), now)->point, point);
  EXPECT_EQ(store.find(experiment(), now)->standing, Standing::final);
  Experiment other = experiment();
  other.parameters["BLOCK_M"] = std::int64_t{32};
  EXPECT_FALSE(store.find(other, now));
}

TEST(PointStore, KeepsThePointsOfBothSourcesAndFindsTheCurrentOne) {
  PointStore store;
  const SharedMeasurement current = make_point("new"), edited = make_point("edited");
  store.add(current);
  store.add(edited);
  EXPECT_EQ(store.find(experiment(), now)->point, current) << "the edit was taken back";
  const Circumstances while_edited{{{"k", "edited"}}, false};
  EXPECT_EQ(store.find(experiment(), while_edited)->point, edited);
  const Circumstances edited_again{{{"k", "third"}}, false};
  EXPECT_EQ(store.find(experiment(), edited_again)->point, edited) << "the newest, to be shown meanwhile";
  EXPECT_EQ(store.find(experiment(), edited_again)->standing, Standing::older_source);
}

TEST(PointStore, KeepsAMeasuredPointBesideAnInterpretedOne) {
  PointStore store;
  const SharedMeasurement measured = make_point("new", true), interpreted = make_point("new", false);
  store.add(measured);
  store.add(interpreted);
  EXPECT_EQ(store.find(experiment(), {{{"k", "new"}}, true})->point, measured);
}

TEST(PointStore, ANewerPointTakesThePlaceOfItsPredecessor) {
  PointStore store;
  store.add(make_point("new"));
  const SharedMeasurement again = make_point("new", false, Status::wrong_result);
  store.add(again);
  EXPECT_EQ(store.find(experiment(), now)->point, again);
}

TEST(PointStore, IsAlsoFoundUnderTheWordsThatItWasAskedForIn) {
  PointStore store;
  Experiment asked = experiment();
  asked.device = "gpu:0";
  const SharedMeasurement point = make_point("new");
  store.add(asked, point);
  EXPECT_EQ(store.find(asked, now)->point, point);
  EXPECT_EQ(store.find(experiment(), now)->point, point);
}

}  // namespace
}  // namespace tilescope
