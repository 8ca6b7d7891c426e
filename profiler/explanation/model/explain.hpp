#pragma once

#include <cstdint>
#include <vector>

#include "profiler/explanation/model/predict.hpp"
#include "profiler/explanation/model/removal.hpp"

namespace tilescope::model {

/// The causes that a launch has and that take a notable part of its time: each everywhere, conflicts and excess sectors
/// also at the source lines with most of them.
std::vector<Removal> causes_of(const ExecutedLaunch& launch, const LaunchTime& time);

/// A cause at the lines of the kernel's file where the caller found it.
struct CauseAtLines {
  Cause cause = Cause::nothing;
  std::vector<std::int64_t> lines;
};

/// Predicts the launch again without each of its causes, and adds up its time by source line: Prediction::without and
/// Prediction::lines, and by instruction. Takes as long as a prediction for each cause. `further`: causes besides those
/// that it finds.
void explain(const ExecutedLaunch& launch, const DeviceModel& device,
             const std::vector<CauseAtLines>& further, PredictedPoint& point, TableUse use = TableUse::all);

}  // namespace tilescope::model
