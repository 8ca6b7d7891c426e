#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sessions/shared_measurement.hpp"

namespace tilescope {

/// An unchecked point of the kernel row_sum in sum.cu, with a constant TILE and a number n that was chosen: larger tiles are
/// faster.
inline Measurement sample_file_point(std::int64_t tile, std::int64_t n) {
  Measurement point;
  point.status = Status::unchecked;
  point.reason = "Nothing says what the result should be.";
  point.kernel = "sum.cu:row_sum";
  point.parameters = {{"TILE", tile}, {"n", n}};
  point.arguments = Configuration{{"n", n}, {"x: elements", n}};
  point.device = {"L4", "sm_89", false};
  point.provenance.source_sha256 = "source";
  const double us = static_cast<double>(n) / static_cast<double>(tile);
  point.prediction = Prediction{us, us * 0.9, us * 1.1, {}, "model", "", {{"tensor", us}}};
  return point;
}

inline SharedMeasurement shared_file_point(std::int64_t tile, std::int64_t n) {
  return std::make_shared<const Measurement>(sample_file_point(tile, n));
}

}  // namespace tilescope
