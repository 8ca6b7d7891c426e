// Writes sessions of every kind into a folder, for schema_test.py to validate with sessions/schema.json.
#include <cmath>
#include <filesystem>
#include <memory>

#include "sessions/tests/sample.hpp"

namespace {

using tilescope::Latency;
using tilescope::Prediction;

/// A point with every part of the contract, and in each nothing beyond the defaults.
tilescope::Measurement bare_measurement() {
  tilescope::Measurement point;
  point.kernel = "flash_scalar";
  point.resources.emplace();
  point.occupancy.emplace();
  point.error.emplace().checked_by = "interpreter";
  Latency& latency = point.latency.emplace();
  latency.p50_us = latency.p90_us = 1;
  Prediction& prediction = point.prediction.emplace();
  prediction.p50_us = prediction.high_us = 1;
  point.counters.emplace();
  point.memory.emplace().kind = tilescope::CountKind::measured;
  point.diagnoses.emplace();
  return point;
}

}  // namespace

int main(int argument_count, char** arguments) {
  using namespace tilescope;
  if (argument_count != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  SessionWriter(folder / "empty.json").write(sample::session_of(0));
  SessionWriter(folder / "full.json").write(sample::session_of(3));

  Session odd = sample::session_of(0);
  Measurement wrong = sample::full_measurement();
  wrong.status = Status::wrong_result;
  wrong.reason = "the largest error is not a number";
  wrong.error->max_abs = std::nan("");
  wrong.latency.reset();
  odd.points.push_back(std::make_shared<const Measurement>(wrong));
  for (int index = 1; index <= static_cast<int>(Status::cancelled); ++index) {
    odd.points.push_back(std::make_shared<const Measurement>(
        failed_measurement({"flash_scalar", {}, {}, "", 1, 0.5}, static_cast<Status>(index), "a reason")));
  }
  odd.points.push_back(std::make_shared<const Measurement>(sample::measurement_of_nan()));
  odd.points.push_back(std::make_shared<const Measurement>(bare_measurement()));
  SessionWriter(folder / "odd.json").write(odd);
}
