#pragma once

#include <memory>
#include <string>

#include "sessions/shared_measurement.hpp"
#include "sessions/views/points/point_index.hpp"

namespace tilescope::test_support {

/// A point of a kernel "k" with parameters M {8,16,32} and LAYOUT {row, padded}, correct and without a latency.
inline Measurement make_point(std::int64_t m, const std::string& layout) {
  Measurement point;
  point.kernel = "k";
  point.parameters = {{"M", m}, {"LAYOUT", layout}};
  point.device = {"L4", "sm_89", false};
  return point;
}

/// Its samples lie within 0.9 to 1.2 times `p50_us`, from the minimum to the upper quartile.
inline Measurement make_timed(std::int64_t m, const std::string& layout, double p50_us) {
  Measurement point = make_point(m, layout);
  Latency latency;
  latency.p10_us = p50_us * 0.9;
  latency.p50_us = p50_us;
  latency.p90_us = p50_us * 1.2;
  latency.samples = 100;
  latency.tflops = 1;
  SampleStatistics series;
  series.count = 100;
  series.min_us = p50_us * 0.9;
  series.q1_us = p50_us * 0.95;
  series.p50_us = p50_us;
  series.q3_us = p50_us * 1.2;
  series.sm_clock_mhz = 1000;
  series.launches_per_sample = 100;
  latency.l2_warm = series;
  point.latency = latency;
  return point;
}

/// A point that was not timed, with a prediction of `p50_us`.
inline Measurement make_predicted(std::int64_t m, const std::string& layout, double p50_us) {
  Measurement point = make_point(m, layout);
  point.prediction = Prediction{p50_us, p50_us * 0.75, p50_us * 1.5, std::nullopt, "", "", {}};
  return point;
}

inline SharedMeasurement share(Measurement point) {
  return std::make_shared<const Measurement>(std::move(point));
}

inline std::vector<ParameterChoices> sample_parameters() {
  return {{"M", {std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}},
          {"LAYOUT", {std::string("row"), std::string("padded")}}};
}

inline PointIndex index_of(const PointList& session, const PointList& recorded = {}) {
  PointIndex index;
  index.update("k", sample_parameters(), session, recorded);
  return index;
}

/// The slice with one parameter free and the other as given.
inline Slice slice_of(std::int64_t m, const std::string& layout, std::vector<std::string> free) {
  Slice slice;
  slice.configuration = {{"M", m}, {"LAYOUT", layout}};
  slice.free = std::move(free);
  return slice;
}

}  // namespace tilescope::test_support
