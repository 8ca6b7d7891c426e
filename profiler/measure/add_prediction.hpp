#pragma once

#include <optional>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/explain.hpp"
#include "profiler/explanation/model/predict.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// For model::explain(): the barriers that the watched block of a counted point did not need, and those that order the lanes
/// of one warp alone.
std::vector<model::CauseAtLines> needless_barriers(const Measurement& point);

/// Adds the predicted latency to a point that is `ok`, or a note that starts with "No prediction:" and says why there is
/// none. `launch`: see Counted. `explain`: with what it would take without each of its causes, which takes as long again
/// for each; returns the times of its instructions.
std::vector<InstructionTime> add_prediction(const Prepared& kernel,
                                            const std::optional<model::ExecutedLaunch>& launch, bool explain,
                                            Measurement& point);

/// Adds a prediction with its notes.
void add_predicted(model::PredictedPoint predicted, Measurement& point);

}  // namespace tilescope
