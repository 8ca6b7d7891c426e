#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

Measurement predicted(double p50_us) {
  Measurement point = sample::full_measurement();
  point.prediction = Prediction{p50_us, p50_us * 0.9, p50_us * 1.2, {}, "", "", {}};
  return point;
}

TEST(PredictionMetrics, AreThoseOfTheModelAlsoBesideALatency) {
  Measurement point = predicted(20);
  EXPECT_EQ(metric_of("predicted_p50").value(point), 20);
  EXPECT_EQ(metric_of("predicted_p50").interval(point), std::pair(18.0, 24.0));
  EXPECT_EQ(metric_of("p50").value(point), 30.4) << "never in the place of what was timed";
  point.latency.reset();
  EXPECT_EQ(metric_of("predicted_p50").value(point), 20);
  point.prediction.reset();
  EXPECT_FALSE(metric_of("predicted_p50").value(point));
}

TEST(PredictionMetrics, ATimeThatIsNoneIsNotShown) {
  for (const double p50_us : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_FALSE(metric_of("predicted_p50").value(predicted(p50_us))) << p50_us;
}

TEST(PredictionMetrics, AnErrorNeedsBothTimesAndHasASign) {
  Measurement point = predicted(15.2);
  EXPECT_NEAR(metric_of("prediction_error").value(point).value(), -50, 1e-9);
  point.prediction->p50_us = 45.6;
  EXPECT_NEAR(metric_of("prediction_error").value(point).value(), 50, 1e-9);
  EXPECT_FALSE(metric_of("prediction_error").ranks);
  point.latency->p50_us = 0;
  EXPECT_FALSE(metric_of("prediction_error").value(point));
  point.latency.reset();
  EXPECT_FALSE(metric_of("prediction_error").value(point));
}

}  // namespace
}  // namespace tilescope
