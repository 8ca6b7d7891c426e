#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/service/requests/request.hpp"
#include "sessions/compare/paired_series.hpp"

namespace tilescope {

/// Two points, measured as Measure does it, with short series. Where a GPU timed both, it then runs them in turns, and
/// their results are checked again afterwards.
struct Compare {
  static constexpr const char* name = "compare";
  static constexpr std::chrono::seconds time_limit{240};
  struct Params {
    /// A and B, on one device.
    std::vector<Experiment> experiments;
    /// [s] For the turns.
    double budget_s = 0.5;
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// Both are present if the status is `ok`; each has a status of its own.
    Measurement a, b;
    /// Nothing where they did not run in turns; the points' notes say why, where they were timed.
    std::optional<PairedSeries> series;
  };
};

void to_json(Json& json, const Compare::Params& params);
void to_json(Json& json, const Compare::Answer& answer);
/// Reading throws DocumentError with the place.
void from_json(const Json& json, Compare::Params& params);
void from_json(const Json& json, Compare::Answer& answer);

}  // namespace tilescope
