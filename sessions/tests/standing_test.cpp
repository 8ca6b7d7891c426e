#include "sessions/standing.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Measurement point_with(Status status, const std::string& source = "now", bool present = false) {
  Measurement point;
  point.kernel = "k";
  point.status = status;
  point.provenance.source_sha256 = source;
  point.device.present = present;
  return point;
}

const Circumstances laptop{{{"k", "now"}}, false};
const Circumstances with_gpu{{{"k", "now"}}, true};

TEST(Standing, WhatIsAboutTheKernelStands) {
  for (const Status status : {Status::ok, Status::wrong_result, Status::compile_failed, Status::launch_failed,
                              Status::invalid_configuration, Status::timed_out})
    EXPECT_EQ(standing_of(point_with(status), laptop), Standing::final) << to_string(status);
}

TEST(Standing, WhatIsAboutTheMachineIsAskedForAgain) {
  for (const Status status : {Status::worker_lost, Status::unsupported, Status::cancelled})
    EXPECT_EQ(standing_of(point_with(status), laptop), Standing::inconclusive) << to_string(status);
}

TEST(Standing, AnotherSourceIsOutOfDate) {
  EXPECT_EQ(standing_of(point_with(Status::ok, "before"), laptop), Standing::older_source);
  EXPECT_EQ(standing_of(point_with(Status::compile_failed, ""), laptop), Standing::older_source);
  EXPECT_EQ(standing_of(point_with(Status::ok, "before"), {}), Standing::final) << "the source is not known";
}

TEST(Standing, AnInterpretedPointIsTimedWhereItsGpuIsPresentNow) {
  EXPECT_EQ(standing_of(point_with(Status::ok), with_gpu), Standing::could_be_timed);
  EXPECT_EQ(standing_of(point_with(Status::wrong_result), with_gpu), Standing::final) << "wrong is wrong";
  EXPECT_EQ(standing_of(point_with(Status::ok, "now", true), with_gpu), Standing::final);
  EXPECT_EQ(standing_of(point_with(Status::ok, "now", true), laptop), Standing::final)
      << "a measured point says more than what could be made here";
}

}  // namespace
}  // namespace tilescope
