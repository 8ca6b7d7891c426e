#include "sessions/views/points/timed_point.hpp"

#include <gtest/gtest.h>

#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_predicted;
using test_support::make_timed;
using test_support::share;

TEST(TimedPoint, IsOfTheSameExperimentAndDevice) {
  const auto timed = share(make_timed(8, "row", 50));
  Measurement elsewhere = make_timed(8, "row", 60);
  elsewhere.device.name = "H200";
  Measurement of_nvcc = make_timed(8, "row", 70);
  of_nvcc.provenance.compiler = KernelCompiler::nvcc;
  Measurement incorrect = make_timed(8, "row", 80);
  incorrect.status = Status::wrong_result;
  const PointList recorded{timed,
                           share(make_timed(16, "row", 40)),
                           share(elsewhere),
                           share(of_nvcc),
                           share(incorrect),
                           share(make_predicted(8, "row", 45))};
  EXPECT_EQ(find_timed(make_predicted(8, "row", 45), {}, recorded), timed);
  EXPECT_EQ(find_timed(make_predicted(32, "row", 45), {}, recorded), nullptr);
}

TEST(TimedPoint, TheNewestOfTheSessionComesBeforeRecordedOnes) {
  const auto older = share(make_timed(8, "row", 50));
  const auto newest = share(make_timed(8, "row", 51));
  const auto recorded = share(make_timed(8, "row", 52));
  const Measurement point = make_predicted(8, "row", 45);
  EXPECT_EQ(find_timed(point, {older, newest}, {recorded}), newest);
  EXPECT_EQ(find_timed(point, {}, {recorded}), recorded);
  EXPECT_EQ(find_timed(make_timed(8, "row", 45), {older}, {recorded}), nullptr)
      << "it has a latency of its own";
}

}  // namespace
}  // namespace tilescope
