#pragma once

#include <memory>
#include <string>

#include "sessions/session.hpp"

namespace tilescope::test_support {

/// A correct point of `kernel` with BLOCK_M, that took `p50_us`.
inline Measurement report_point(const std::string& kernel, std::int64_t block_m, double p50_us) {
  Measurement point;
  point.kernel = kernel;
  point.parameters = {{"BLOCK_M", block_m}, {"LAYOUT", "rows"}};
  point.device = {"L4", "sm_89", true};
  point.error = Error{1.5e-4, 0, 1e-3, "gpu", 4, 4};
  Latency latency;
  latency.p10_us = p50_us * 0.98;
  latency.p50_us = p50_us;
  latency.p90_us = p50_us * 1.03;
  latency.samples = 100;
  latency.tflops = attention_flops(point.shape) / p50_us * 1e-6;
  latency.tflops_formula = "4*B*Hq*Sq*Sk*D / p50";
  point.latency = latency;
  point.provenance.driver_version = "580.65";
  point.provenance.nvrtc_version = "13.0";
  point.provenance.source_sha256 = std::string(64, 'a');
  point.provenance.sm_clock_mhz = 1980;
  point.provenance.time_utc = "2025-11-02T14:03:59Z";
  return point;
}

inline Measurement predicted_report_point(const std::string& kernel, std::int64_t block_m, double p50_us) {
  Measurement point = report_point(kernel, block_m, p50_us);
  point.latency.reset();
  point.prediction = Prediction{p50_us, p50_us * 0.8, p50_us * 1.3, std::nullopt, "tiles 1", "", {}};
  return point;
}

inline void add(Session& session, Measurement point) {
  session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
}

/// Two kernels, one of them predicted only.
inline Session report_session() {
  Session session;
  session.title = "a session";
  session.created_utc = "2025-11-02T14:00:00Z";
  session.sources[std::string(64, 'a')] = {"flash.cu", "", {}};
  add(session, report_point("flash", 64, 40));
  add(session, report_point("flash", 128, 50));
  add(session, predicted_report_point("tiled", 64, 90));
  return session;
}

}  // namespace tilescope::test_support
