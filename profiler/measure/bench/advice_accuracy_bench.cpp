// Promised savings against those that an H200 measured (sessions/examples/advice_h200.json): exhibits with their fault and without
// it, configurations that differ in the layout of shared memory alone, and grids whose last blocks find the SMs busy. Every
// point with a cause is compiled for the H200, interpreted and explained here. Needs no GPU.
//
//   advice_accuracy [--write FILE.json]
//
// --write writes the recorded exhibits (sessions/examples/exhibits_h200.json) with their predictions and diagnoses made again.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/explanation/diagnose/saving.hpp"
#include "profiler/measure/measure_point.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

constexpr const char* exhibits = "sessions/examples/exhibits_h200.json";
constexpr const char* measured_pairs = "sessions/examples/advice_h200.json";

/// A measured point with a cause, and what was measured to be saved without it.
struct Pair {
  const Measurement* with = nullptr;
  /// Change that takes the cause away: "FAULT", "row_major, not padded", "tail".
  std::string change;
  /// [us]
  double measured_us = 0;
  /// The counterfactual that promises it; "" for the first advice.
  std::string cause;
};

/// Saving that is promised for the point with the cause.
struct Promise {
  std::string kind;
  Saving saving;
};

bool is_timed(const Measurement& point) {
  return point.status == Status::ok && point.latency;
}

std::string text_of(const Configuration& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += name + "=" + to_string(value) + " ";
  return text;
}

// Timed points with the same kernel, shape and parameters but for one.
std::string key_without(const Measurement& point, const std::string& parameter) {
  Configuration others = point.parameters;
  others.erase(parameter);
  return point.kernel + " " + to_string(point.shape) + " " + text_of(others);
}

double p50(const Measurement& point) {
  return point.latency->p50_us;
}

std::string value_of(const Measurement& point, const char* parameter) {
  const auto found = point.parameters.find(parameter);
  return found == point.parameters.end() ? "" : to_string(found->second);
}

// Points that differ in one parameter, of which one value has the cause.
std::vector<Pair> pairs_by(const std::vector<SharedMeasurement>& points, const char* parameter,
                           const std::string& bad, const std::string& cause) {
  std::map<std::string, std::vector<const Measurement*>> groups;
  for (const SharedMeasurement& point : points) {
    if (is_timed(*point) && point->parameters.contains(parameter))
      groups[key_without(*point, parameter)].push_back(point.get());
  }
  std::vector<Pair> pairs;
  for (const auto& [key, group] : groups) {
    for (const Measurement* with : group) {
      for (const Measurement* without : group) {
        if (value_of(*with, parameter) != bad || value_of(*without, parameter) == bad) continue;
        pairs.push_back(
            {with, bad + ", not " + value_of(*without, parameter), p50(*with) - p50(*without), cause});
      }
    }
  }
  return pairs;
}

/// A point by the blocks of an SM: 3.25 where some SMs get three and others four.
struct Load {
  const Measurement* point = nullptr;
  double blocks = 0;
};

// Grids of one configuration over more and more heads: what a started block costs every SM is measured between the grid
// that gives an SM as many blocks as that one, and the one that gives it one less.
std::vector<Pair> tail_pairs(const std::vector<SharedMeasurement>& points, double sms) {
  std::map<std::string, std::vector<Load>> groups;
  for (const SharedMeasurement& point : points) {
    if (!is_timed(*point) || !point->occupancy || !point->occupancy->grid_blocks) continue;
    Measurement alike = *point;
    alike.shape.Hq = alike.shape.Hkv = 1;
    groups[key_without(alike, "")].push_back(
        {point.get(), static_cast<double>(*point->occupancy->grid_blocks) / sms});
  }
  std::vector<Pair> pairs;
  for (const auto& [key, group] : groups) {
    for (const Load& load : group) {
      const double begun = std::ceil(load.blocks), part = load.blocks - (begun - 1);
      const auto less = std::ranges::find_if(
          group, [&](const Load& other) { return std::ceil(other.blocks) == begun - 1; });
      if (less == group.end() || part > 0.9) continue;
      pairs.push_back({load.point, "tail", (1 - part) * (p50(*load.point) - p50(*less->point)), "tail"});
    }
  }
  return pairs;
}

Measurement explained(Workbench& bench, const Measurement& point) {
  const MeasureControl control{[](RequestProgress) {}, [] { return false; }};
  return measure_point(bench, {.experiment = experiment_of(point), .variants = true, .explain = true},
                       control)
      .point;
}

bool has_same_code(const Measurement& a, const Measurement& b) {
  return a.resources && b.resources && a.resources->sass_sha256 == b.resources->sass_sha256;
}

std::optional<Promise> promise_of(const Measurement& point, const std::string& cause) {
  if (!cause.empty() && point.prediction) {
    for (const Counterfactual& one : point.prediction->without) {
      if (one.cause == cause && one.lines.empty())
        return Promise{cause, saving_range(point, point.prediction->p50_us - one.p50_us)};
    }
    return std::nullopt;
  }
  if (!point.diagnoses) return std::nullopt;
  for (const Diagnosis& diagnosis : *point.diagnoses) {
    if (diagnosis.saving) return Promise{diagnosis.kind, *diagnosis.saving};
  }
  return std::nullopt;
}

/// Prints the pairs as they come, and counts those that hold.
class Table {
 public:
  Table() {
    fmt::print("{:<20} {:<30} {:<26} {:<18} {:>9} {:>9} {:>9} {:>9}{:>17}\n", "kernel", "shape", "change",
               "first advice", "of [us]", "promised", "measured", "error [%]", "range [us]");
  }

  void add(const Pair& pair, const Measurement& made) {
    if (!has_same_code(made, *pair.with)) return skip(pair, "other machine code than was measured");
    const double measured = pair.measured_us, latency = p50(*pair.with);
    const std::optional<Promise> promise = promise_of(made, pair.cause);
    const Saving saving = promise ? promise->saving : Saving{};
    const double promised = saving.us;
    const double difference = std::abs(promised - measured);
    const bool holds = difference <= 0.25 * std::abs(measured) || difference <= 0.05 * latency;
    ++(holds ? held_ : missed_);
    if (saving.low_us <= measured && measured <= saving.high_us) ++inside_;
    fmt::print("{:<20} {:<30} {:<26} {:<18} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.0f}{:>17}{}\n", pair.with->kernel,
               to_string(pair.with->shape), pair.change, promise ? promise->kind : "none", latency, promised,
               measured, measured != 0 ? 100 * (promised - measured) / measured : 0,
               fmt::format("{:.1f} to {:.1f}", saving.low_us, saving.high_us), holds ? "" : "  *");
    std::fflush(stdout);
  }
  void close() const {
    fmt::print("within 25 % of the measured saving or 5 % of the latency: {} of {} (* are not)\n", held_,
               held_ + missed_);
    fmt::print("inside the promised range: {} of {}\n", inside_, held_ + missed_);
  }

 private:
  void skip(const Pair& pair, const char* why) const {
    fmt::print("{:<20} {:<30} left out: {}\n", pair.with->kernel, to_string(pair.with->shape), why);
  }

  int held_ = 0, missed_ = 0, inside_ = 0;
};

void derive_all_again(Workbench& bench, Session& session) {
  for (SharedMeasurement& point : session.points) {
    const Measurement made = explained(bench, *point);
    if (!has_same_code(made, *point)) continue;
    Measurement again = *point;
    again.prediction = made.prediction;
    again.diagnoses = diagnoses_again(bench, again);
    const auto unknown = session.unknown_of_points.extract(point);
    point = std::make_shared<const Measurement>(std::move(again));
    if (!unknown.empty()) session.unknown_of_points[point] = unknown.mapped();
  }
}

void run(const std::filesystem::path& to) {
  const Installation installation = find_installation();
  Workbench bench(installation);
  const Session recorded = load_session(installation.root / measured_pairs);
  const DeviceModel* device = match_device(bench.tables(), recorded.points.front()->device.name);
  std::vector<Pair> pairs = pairs_by(recorded.points, "FAULT", "on", "");
  std::ranges::move(pairs_by(recorded.points, "SMEM_LAYOUT", "row_major", "bank_conflicts"),
                    std::back_inserter(pairs));
  std::ranges::move(tail_pairs(recorded.points, static_cast<double>(device->sm_count)),
                    std::back_inserter(pairs));
  Table table;
  for (const Pair& pair : pairs) table.add(pair, explained(bench, *pair.with));
  table.close();
  if (to.empty()) return;
  Session session = load_session(installation.root / exhibits);
  derive_all_again(bench, session);
  SessionWriter(to).write(session);
}

}  // namespace
}  // namespace tilescope

int main(int count, char** values) try {
  std::filesystem::path to;
  for (int i = 1; i + 1 < count; ++i) {
    if (std::string(values[i]) == "--write") to = values[i + 1];
  }
  tilescope::run(to);
} catch (const std::exception& error) {
  fmt::print(stderr, "advice_accuracy: {}\n", error.what());
  return 1;
}
