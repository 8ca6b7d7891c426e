#pragma once

#include <optional>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/predict.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Adds the predicted latency to a point that is `ok`, or a note that starts with "No prediction:" and says why there is
/// none. `launch`: see Counted.
void add_prediction(const Prepared& kernel, const std::optional<model::ExecutedLaunch>& launch,
                    Measurement& point);

/// Adds a prediction with its notes.
void add_predicted(model::PredictedPoint predicted, Measurement& point);

}  // namespace tilescope
