#pragma once

#include "sessions/measurement.hpp"
#include "sessions/verdict/verdict.hpp"

/// Verdicts on two points without the reasons, for views of many points. A comparison of the two gives the same ones, so
/// that a sweep, a heat map and a ranking call the same points equal.
namespace tilescope {

/// Whether two points are one program with one launch: it does not differ from itself, however wrong its prediction is.
bool is_same_launch(const Measurement& a, const Measurement& b);

/// Verdict on two latencies that were timed apart. Undecided where one has no samples.
Verdict verdict_on(const Latency& a, const Latency& b);

/// Verdict on the latencies with a cleared L2. Both must have that series.
Verdict verdict_on_cold(const Latency& a, const Latency& b);

/// Verdict on two predictions. Both must have one.
Verdict verdict_on_predictions(const Measurement& a, const Measurement& b);

}  // namespace tilescope
