// How long a point's stages take.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/measure/bench/gpu_measuring.hpp"
#include "sessions/sample_statistics.hpp"

namespace tilescope::gpu_point {

inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return percentile_of_sorted(values, q);
}

inline Json summary(const std::vector<double>& values) {
  const double p50 = quantile(values, 0.5);
  return {{"p50", p50},
          {"p10", quantile(values, 0.1)},
          {"p90", quantile(values, 0.9)},
          {"relative_iqr", (quantile(values, 0.75) - quantile(values, 0.25)) / p50}};
}

/// [ms] from a request to each stage, and the latencies that came with them.
struct StageTimes {
  std::map<std::string, std::vector<double>> ms, p50_us;
  std::int64_t with_rising_clock = 0;

  Json summaries() const {
    Json entry;
    for (const auto& [name, values] : ms) entry["ms"][name] = summary(values);
    for (const auto& [name, values] : p50_us) entry["p50_us"][name] = summary(values);
    entry["with_rising_clock"] = with_rising_clock;
    return entry;
  }
};

/// Asks the service in this process: all but the pipe to a worker.
inline void ask(const Service& service, const Experiment& experiment, StageTimes& times) {
  const auto start = Clock::now();
  std::map<std::string, double> reached;
  MeasureControl control{[](RequestProgress) {}, [] { return false; }};
  control.send = [&](const Json& json) {
    const auto part = json.get<PartialPoint>();
    std::string name = to_string(part.stage);
    if (part.stage == PointStage::timed) {
      name = part.is_latency_provisional ? "provisional" : part.so_far.latency->l2_cold ? "final" : "warm";
      times.p50_us[name].push_back(part.so_far.latency->p50_us);
    }
    reached[name] = ms_since(start);
    if (part.is_clock_rising) ++times.with_rising_clock;
  };
  const auto point =
      (*service.find(Measure::name))(Json(Measure::Params{experiment, true}), control).get<Measurement>();
  if (point.status != Status::ok) throw std::runtime_error(experiment.kernel + ": " + point.reason);
  reached["answer"] = ms_since(start);
  for (const auto& [name, ms] : reached) times.ms[name].push_back(ms);
}

inline Experiment experiment_of(const Case& one, double budget_s) {
  Experiment experiment;
  experiment.kernel = one.kernel;
  experiment.parameters = one.parameters;
  experiment.shape = one.shape;
  experiment.timing_budget_s = budget_s;
  return experiment;
}

}  // namespace tilescope::gpu_point
