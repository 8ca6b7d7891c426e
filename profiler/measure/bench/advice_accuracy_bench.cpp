// What advice promises against what an H200 measured: the exhibits with their fault and without it
// (sessions/examples/exhibits_h200.json), and configurations of attention that differ in the layout of shared memory alone
// (sessions/examples/model_h200.json). Every point is compiled for the H200, interpreted and explained here. Needs no GPU.
//
//   advice_accuracy [--write FILE.json]
//
// --write writes the recorded exhibits with their predictions and diagnoses made again.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/measure/measure_point.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

constexpr const char* exhibits = "sessions/examples/exhibits_h200.json";
constexpr const char* attention = "sessions/examples/model_h200.json";
// Pairs of attention, spread over the session.
constexpr std::size_t most_layout_pairs = 24;

/// Two measured points of one kernel: with a cause, and without it.
struct Pair {
  const Measurement* with = nullptr;
  const Measurement* without = nullptr;
  /// What tells the two apart: "FAULT=on", "SMEM_LAYOUT=row_major, not padded".
  std::string change;

  double measured_us() const { return with->latency->p50_us - without->latency->p50_us; }
};

/// What was promised for the point with the cause.
struct Promise {
  std::string kind;
  double us = 0;
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

std::vector<Pair> exhibit_pairs(const std::vector<SharedMeasurement>& points) {
  std::map<std::string, Pair> pairs;
  for (const SharedMeasurement& shared : points) {
    const Measurement& point = *shared;
    const auto fault = point.parameters.find("FAULT");
    if (!is_timed(point) || fault == point.parameters.end()) continue;
    Pair& pair = pairs[key_without(point, "FAULT")];
    pair.change = "FAULT";
    (to_string(fault->second) == "on" ? pair.with : pair.without) = &point;
  }
  std::vector<Pair> whole;
  for (auto& [key, pair] : pairs) {
    if (pair.with != nullptr && pair.without != nullptr) whole.push_back(std::move(pair));
  }
  return whole;
}

// Configurations with rows of shared memory one behind the other, against those that pad or swizzle them.
std::vector<Pair> layout_pairs(const std::vector<SharedMeasurement>& points) {
  std::map<std::string, std::vector<const Measurement*>> groups;
  for (const SharedMeasurement& point : points) {
    if (is_timed(*point) && point->parameters.contains("SMEM_LAYOUT"))
      groups[key_without(*point, "SMEM_LAYOUT")].push_back(point.get());
  }
  const auto layout = [](const Measurement* point) { return to_string(point->parameters.at("SMEM_LAYOUT")); };
  std::vector<Pair> pairs;
  for (const auto& [key, group] : groups) {
    for (const Measurement* with : group) {
      for (const Measurement* without : group) {
        if (layout(with) == "row_major" && layout(without) != "row_major")
          pairs.push_back({with, without, "row_major, not " + layout(without)});
      }
    }
  }
  const std::size_t step = std::max<std::size_t>(1, pairs.size() / most_layout_pairs);
  std::vector<Pair> spread;
  for (std::size_t i = 0; i < pairs.size(); i += step) spread.push_back(std::move(pairs[i]));
  return spread;
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

std::optional<Promise> first_promise(const Measurement& point) {
  if (!point.diagnoses) return std::nullopt;
  for (const Diagnosis& diagnosis : *point.diagnoses) {
    if (diagnosis.saving) return Promise{diagnosis.kind, diagnosis.saving->us};
  }
  return std::nullopt;
}

/// Prints the pairs as they come, and counts those that hold.
class Table {
 public:
  Table() {
    fmt::print("{:<20} {:<30} {:<26} {:<18} {:>9} {:>9} {:>9} {:>9}\n", "kernel", "shape", "change",
               "first advice", "of [us]", "promised", "measured", "error [%]");
  }

  void add(const Pair& pair, const Measurement& made) {
    if (!has_same_code(made, *pair.with)) return skip(pair, "other machine code than was measured");
    const double measured = pair.measured_us(), latency = pair.with->latency->p50_us;
    const std::optional<Promise> promise = first_promise(made);
    const double promised = promise ? promise->us : 0;
    const double difference = std::abs(promised - measured);
    const bool holds = difference <= 0.25 * std::abs(measured) || difference <= 0.05 * latency;
    ++(holds ? held_ : missed_);
    fmt::print("{:<20} {:<30} {:<26} {:<18} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.0f}{}\n", pair.with->kernel,
               to_string(pair.with->shape), pair.change, promise ? promise->kind : "none", latency, promised,
               measured, measured != 0 ? 100 * (promised - measured) / measured : 0, holds ? "" : "  *");
    std::fflush(stdout);
  }
  void close() const {
    fmt::print("within 25 % of the measured saving or 5 % of the latency: {} of {} (* are not)\n", held_,
               held_ + missed_);
  }

 private:
  void skip(const Pair& pair, const char* why) const {
    fmt::print("{:<20} {:<30} left out: {}\n", pair.with->kernel, to_string(pair.with->shape), why);
  }

  int held_ = 0, missed_ = 0;
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
  Session session = load_session(installation.root / exhibits);
  const Session recorded = load_session(installation.root / attention);
  Table table;
  for (const Pair& pair : exhibit_pairs(session.points)) table.add(pair, explained(bench, *pair.with));
  for (const Pair& pair : layout_pairs(recorded.points)) table.add(pair, explained(bench, *pair.with));
  table.close();
  if (to.empty()) return;
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
