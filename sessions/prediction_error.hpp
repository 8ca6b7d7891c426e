#pragma once

#include <optional>
#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// Whether a point has a predicted latency that can be drawn and compared: finite and positive.
bool has_prediction(const Measurement& point);

/// (predicted - measured) / measured, below 0 where the prediction is too fast. Nothing for a point that does not have
/// both.
std::optional<double> prediction_error(const Measurement& point);

/// (roofline - measured) / measured. Nothing for a point that does not have both.
std::optional<double> roofline_error(const Measurement& point);

/// Whether the measured p50 lies between the prediction's bounds. Asked only of points that have both.
bool is_within_band(const Measurement& point);

/// Limiter of the predicted latency: its largest part besides "launch" and "tail", which no kernel can avoid;
/// "" if no part takes any time.
std::string limiting_part(const Prediction& prediction);

}  // namespace tilescope
