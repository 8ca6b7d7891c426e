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
  EXPECT_EQ(metric_of("p50").value(point), 30.4) << "never in the place of what was timed";
  point.latency.reset();
  EXPECT_EQ(metric_of("predicted_p50").value(point), 20);
  point.prediction.reset();
  EXPECT_FALSE(metric_of("predicted_p50").value(point));
}

TEST(PredictionMetrics, AreOpenWhereTheIntervalOfTheRatioContainsOne) {
  Measurement a = predicted(20), b = predicted(26), c = predicted(27);
  b.resources->sass_sha256 = c.resources->sass_sha256 = std::string(64, 'f');
  const auto is_open = metric_of("predicted_p50").is_open;
  EXPECT_TRUE(is_open(a, b)) << "bands of 18 to 24 and 23.4 to 31.2";
  EXPECT_FALSE(is_open(a, c)) << "bands of 18 to 24 and 24.3 to 32.4";
  for (Measurement* point : {&a, &b, &c}) point->prediction->ratio_error = RatioError{0.2, 0.29};
  EXPECT_FALSE(is_open(a, b)) << "ln(26 / 20) is 0.262";
  b.kernel = "other";
  EXPECT_TRUE(is_open(a, b)) << "between kernels the error is larger";
  c.resources = a.resources;
  EXPECT_TRUE(is_open(a, c)) << "one program";
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
