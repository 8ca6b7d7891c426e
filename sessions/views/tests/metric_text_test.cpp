#include "sessions/views/points/metric_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

TEST(MetricText, ValuesAreWrittenByTheirUnit) {
  EXPECT_EQ(format_value(57376, Unit::count), "57,376");
  EXPECT_EQ(format_value(57376, Unit::bytes), "57,376");
  EXPECT_EQ(format_value(1.255, Unit::ratio), "1.25");
  EXPECT_EQ(format_value(33.333, Unit::percent), "33.3");
  EXPECT_EQ(format_value(9.2414, Unit::microseconds), "9.241");
  EXPECT_EQ(format_value(1099.777, Unit::tflops), "1,099.78");
  EXPECT_EQ(format_value(0.000488, Unit::magnitude), "4.88e-04");
}

TEST(MetricText, InASentenceTheUnitIsThere) {
  EXPECT_EQ(format_with_unit(72, Unit::count), "72");
  EXPECT_EQ(format_with_unit(57376, Unit::bytes), "56.0 KiB (57,376 B)");
  EXPECT_EQ(format_with_unit(33.333, Unit::percent), "33.3 %");
  EXPECT_EQ(format_with_unit(1099.78, Unit::microseconds), "1.100 ms");
  EXPECT_EQ(format_with_unit(17.25, Unit::tflops), "17.25 TFLOP/s");
}

TEST(MetricText, AValueThatIsNotFiniteIsNoNumber) {
  for (const Unit unit :
       {Unit::count, Unit::ratio, Unit::percent, Unit::microseconds, Unit::bytes, Unit::tflops}) {
    EXPECT_EQ(format_value(std::nan(""), unit), "-");
    EXPECT_EQ(format_with_unit(INFINITY, unit), "-");
  }
  EXPECT_EQ(format_with_unit(std::nan(""), Unit::magnitude), "NaN");
}

TEST(MetricText, HeadersAndQuantitiesHaveTheUnit) {
  EXPECT_EQ(column_header(metric_of("p50")), "p50 [µs]");
  EXPECT_EQ(column_header(metric_of("tflops")), "TFLOP/s");
  EXPECT_EQ(column_header(metric_of("registers")), "regs");
  EXPECT_EQ(quantity_words(metric_of("p50")), "latency p50 [µs]");
  EXPECT_EQ(quantity_words(metric_of("occupancy")), "occupancy [%]");
  EXPECT_EQ(quantity_words(metric_of("bank_conflicts")), "bank conflicts [%]");
  EXPECT_EQ(quantity_words(metric_of("registers")), "registers per thread");
  EXPECT_EQ(quantity_words(metric_of("shared_memory")), "shared memory per block [B]");
}

TEST(MetricText, APointsValueIsATextWithAndWithoutUnit) {
  const Measurement point = sample::full_measurement();
  EXPECT_EQ(cell_text(metric_of("shared_memory"), point), "57,392");
  EXPECT_EQ(value_words(metric_of("shared_memory"), point), "56.0 KiB (57,392 B) per block");
  EXPECT_EQ(cell_text(metric_of("limiter"), point), "shared memory and registers");
  EXPECT_EQ(value_words(metric_of("limiter"), point), "shared memory and registers");
  for (const Metric& metric : all_metrics()) {
    EXPECT_EQ(cell_text(metric, Measurement{}), "") << metric.tag;
    EXPECT_EQ(value_words(metric, Measurement{}), "") << metric.tag;
  }
}

}  // namespace
}  // namespace tilescope
