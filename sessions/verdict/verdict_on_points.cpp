#include "sessions/verdict/verdict_on_points.hpp"

#include "sessions/verdict/ratio_of_points.hpp"

namespace tilescope {
namespace {

// The series with a cleared L2 in the place of the other one.
Latency cold(const Latency& latency) {
  Latency made;
  made.p50_us = latency.l2_cold->p50_us;
  made.l2_warm = latency.l2_cold;
  return made;
}

}  // namespace

bool is_same_launch(const Measurement& a, const Measurement& b) {
  return a.resources && b.resources && !a.resources->sass_sha256.empty() && *a.resources == *b.resources &&
         a.occupancy == b.occupancy && a.shape == b.shape && a.device == b.device;
}

Verdict verdict_on(const Latency& a, const Latency& b) {
  const auto series_a = judged_series(a), series_b = judged_series(b);
  if (!series_a || !series_b) return Verdict::undecided;
  return verdict_of(*series_a, *series_b, a.p50_us / b.p50_us, noise_of(a, b));
}

Verdict verdict_on_cold(const Latency& a, const Latency& b) {
  return verdict_on(cold(a), cold(b));
}

Verdict verdict_on_predictions(const Measurement& a, const Measurement& b) {
  return verdict_of(ratio_of(*a.prediction, *b.prediction, a.kernel == b.kernel), is_same_launch(a, b));
}

}  // namespace tilescope
