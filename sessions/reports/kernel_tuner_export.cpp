#include "sessions/reports/kernel_tuner_export.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/json_reader.hpp"
#include "base/text/format.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

std::string group_words(const Measurement& point) {
  return point.kernel + " on " + device_words(point.device) + ", " + problem_words(point);
}

void check_one_group(const Session& session) {
  if (session.points.empty()) throw std::invalid_argument("there is no point to write");
  std::set<std::string> groups;
  for (const auto& point : session.points) groups.insert(group_words(*point));
  if (groups.size() == 1) return;
  std::string words;
  std::size_t named = 0;
  for (const std::string& group : groups) {
    if (named++ == 4) break;
    words += (words.empty() ? "" : "; ") + group;
  }
  if (groups.size() > named) words += "; ...";
  throw std::invalid_argument("a Kernel Tuner cache holds one kernel, device and shape, and there are " +
                              std::to_string(groups.size()) + " (" + words +
                              "): choose with --kernel, --device and --shape");
}

/// Kernel Tuner's name of a failure; none for what says nothing of the kernel.
std::optional<std::string> failure_name(Status status) {
  switch (status) {
    case Status::invalid_configuration:
      return "InvalidConfig";
    case Status::compile_failed:
      return "CompilationFailedConfig";
    case Status::launch_failed:
    case Status::wrong_result:
    case Status::timed_out:
      return "RuntimeFailedConfig";
    case Status::ok:
    case Status::unchecked:
    case Status::unsupported:
    case Status::worker_lost:
    case Status::cancelled:
      break;
  }
  return std::nullopt;
}

/// "" where the point can stand in a cache file.
std::string why_left_out(const Measurement& point) {
  if (failure_name(point.status)) return "";
  if (point.status != Status::ok) return status_words(point);
  if (point.latency && point.latency->p50_us > 0) return "";
  return point.prediction ? "its latency is predicted, not timed" : "it has no latency";
}

Json value_json(const ParameterValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

/// Every entry has these, in ms. Unknown times of another program's run are 0, as for a configuration from a
/// cache.
Json entry_json(const Measurement& point, const std::vector<std::string>& names) {
  Json entry = Json::object();
  for (const std::string& name : names) entry[name] = value_json(point.parameters.at(name));
  if (const std::optional<std::string> failure = failure_name(point.status)) {
    entry["time"] = *failure;
  } else {
    const Latency& latency = *point.latency;
    entry["time"] = latency.p50_us * 1e-3;
    entry["GFLOP/s"] = number_or_null(latency.tflops * 1e3);
    if (entry["GFLOP/s"].is_null()) entry.erase("GFLOP/s");
  }
  entry["compile_time"] = std::max(point.provenance.compile_ms, 0.0);
  for (const char* name : {"verification_time", "benchmark_time", "strategy_time", "framework_time"})
    entry[name] = 0;
  std::string time = point.provenance.time_utc;
  std::replace(time.begin(), time.end(), 'T', ' ');
  if (time.ends_with('Z')) time.replace(time.size() - 1, 1, "+00:00");
  entry["timestamp"] = time;
  if (point.latency && point.status == Status::ok) {
    entry["tilescope"] = {
        {"kind", to_string(point.latency->kind)}, {"p10_us", number_or_null(point.latency->p10_us)},
        {"p50_us", point.latency->p50_us},        {"p90_us", number_or_null(point.latency->p90_us)},
        {"samples", point.latency->samples},      {"series", point.latency->series}};
  }
  return entry;
}

using Points = std::vector<SharedMeasurement>;

/// The parameters that all points have: Kernel Tuner knows no configuration that lacks one.
std::vector<std::string> names_of(const Points& points) {
  std::vector<std::string> names;
  for (const auto& [name, value] : points.front()->parameters) {
    const bool in_all = std::all_of(points.begin(), points.end(), [&, &key = name](const auto& point) {
      return point->parameters.contains(key);
    });
    if (in_all) names.push_back(name);
  }
  return names;
}

Json tune_params(const Points& points, const std::vector<std::string>& names) {
  Json params = Json::object();
  for (const std::string& name : names) {
    std::set<ParameterValue> values;
    for (const auto& point : points) values.insert(point->parameters.at(name));
    Json& list = params[name] = Json::array();
    for (const ParameterValue& value : values) list.push_back(value_json(value));
  }
  return params;
}

std::string key_of(const Measurement& point, const std::vector<std::string>& names) {
  std::string key;
  for (const std::string& name : names)
    key += (key.empty() ? "" : ",") + to_string(point.parameters.at(name));
  return key;
}

/// Kernel Tuner finds the end of a file by its last three characters, and an entry by its line.
std::string cache_text(const Json& head, const std::map<std::string, Json>& entries,
                       const std::vector<std::string>& order) {
  std::string text = head.dump(0, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind("\n}"));  // The entries come before the closing brace.
  text += ",\n\"cache\": {";
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string entry = to_line(Json{{order[i], entries.at(order[i])}});
    text += (i == 0 ? "\n" : ",\n") + entry.substr(1, entry.size() - 2);
  }
  return text + "}\n}";
}

Json shape_json(const Shape& shape) {
  Json json;
  to_json(json, shape);
  return json;
}

}  // namespace

KernelTunerCache kernel_tuner_cache(const Session& session) {
  check_one_group(session);
  KernelTunerCache cache;
  std::map<std::string, std::size_t> reasons;
  Points points;
  for (const auto& point : session.points) {
    if (const std::string why = why_left_out(*point); !why.empty()) {
      ++reasons[why];
    } else {
      points.push_back(point);
    }
  }
  for (const auto& [why, count] : reasons) cache.left_out.push_back(format_points(count) + ": " + why);
  if (points.empty())
    throw std::invalid_argument("no point has a latency that was timed, or a failure of the kernel");

  const std::vector<std::string> names = names_of(points);
  const Measurement& first = *points.front();
  const Shape& shape = first.shape;
  const Json head{{"schema_version", "1.1.0"},
                  {"device_name", first.device.name},
                  {"kernel_name", first.kernel},
                  {"problem_size", {shape.B, shape.Hq, shape.Sq, shape.Sk, shape.D}},
                  {"shape", shape_json(shape)},
                  {"tune_params_keys", names},
                  {"tune_params", tune_params(points, names)},
                  {"objective", "time"}};
  std::map<std::string, Json> entries;
  std::vector<std::string> order;
  for (const auto& point : points) {
    const std::string key = key_of(*point, names);
    if (!entries.contains(key)) order.push_back(key);
    entries[key] = entry_json(*point, names);
  }
  if (order.size() < points.size())
    cache.left_out.push_back(format_points(points.size() - order.size()) +
                             ": an older point of a configuration that is in the file");
  cache.configurations = order.size();
  cache.text = cache_text(head, entries, order);
  return cache;
}

}  // namespace tilescope
