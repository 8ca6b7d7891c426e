#include "sessions/migration.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

/// The parts of a predicted latency as a list of {name, microseconds}. Version 1 also allowed an object, times by name.
Json list_of_parts(const Json& latency) {
  Json list = Json::array();
  const auto parts = latency.find("parts");
  if (parts == latency.end()) return list;
  for (const auto& [key, part] : parts->items()) {
    if (part.is_number()) list.push_back({{"name", key}, {"microseconds", part}});
    if (!part.is_object() || !part.value("name", Json()).is_string()) continue;
    const Json time = part.value("microseconds", Json());
    list.push_back({{"name", part["name"]}, {"microseconds", time.is_number() ? time : Json()}});
  }
  return list;
}

/// Adds the members of a latency of version 1 that no program wrote: another tool's.
void keep_unknown_members(const Json& latency, Json& prediction) {
  constexpr std::array<std::string_view, 13> known{"kind",    "p10_us",  "p50_us", "p90_us", "low_us",
                                                   "high_us", "samples", "tflops", "parts",  "tflops_formula",
                                                   "series",  "l2_warm", "l2_cold"};
  for (const auto& [key, value] : latency.items()) {
    if (std::ranges::find(known, key) == known.end() && !prediction.contains(key)) prediction[key] = value;
  }
}

/// Programs that wrote version 1 had p10 and p90 where its schema has low and high.
Json prediction_of(const Json& latency) {
  const auto either = [&](const char* name, const char* other) {
    return latency.contains(name) ? latency[name] : latency.value(other, Json());
  };
  return {{"p50_us", latency.value("p50_us", Json())},
          {"low_us", either("low_us", "p10_us")},
          {"high_us", either("high_us", "p90_us")},
          {"roofline_us", nullptr},
          {"model", nullptr},
          {"table_sha256", nullptr},
          {"parts", list_of_parts(latency)}};
}

/// Adds the members of version 2 beside the latency: in version 1 a predicted latency stood in the place of a
/// measured one, and all counts came from PTX. A point that is not an object is left to the reader, which
/// reports its place.
void extend_point(Json& point) {
  if (!point.is_object()) return;
  point["prediction"] = nullptr;
  point["counters"] = nullptr;
  point["diagnoses"] = nullptr;
  if (const auto latency = point.find("latency"); latency != point.end() && latency->is_object()) {
    if (latency->value("kind", Json()) == "predicted") {
      point["prediction"] = prediction_of(*latency);
      keep_unknown_members(*latency, point["prediction"]);
      point["latency"] = nullptr;
    }
  }
  if (const auto memory = point.find("memory"); memory != point.end() && memory->is_object()) {
    const bool counted = memory->value("kind", Json()) == "counted";
    (*memory)["counted_from"] = counted ? Json("ptx") : Json();
  }
}

Json version_2_from_1(Json document) {
  const auto points = document.find("points");
  if (points == document.end() || !points->is_array()) return document;
  for (Json& point : *points) extend_point(point);
  return document;
}

/// In version 2 every file that a kernel included was carried with its text.
Json version_3_from_2(Json document) {
  const auto sources = document.find("sources");
  if (sources == document.end() || !sources->is_object()) return document;
  for (Json& source : *sources) {
    if (source.is_object()) source["hashed_headers"] = Json::object();
  }
  return document;
}

// A new version of the format adds its step here and a file of the version before it to tests/fixtures.
constexpr std::array<Migration, session_format_version - 1> steps_to_now{version_2_from_1, version_3_from_2};

}  // namespace

Json migrated(Json document, int version, std::span<const Migration> steps) {
  for (std::size_t index = static_cast<std::size_t>(version - 1); index < steps.size(); ++index) {
    try {
      document = steps[index](std::move(document));
    } catch (const std::exception& error) {
      throw std::runtime_error("migrating from format " + std::to_string(index + 1) + ": " + error.what());
    }
  }
  return document;
}

std::span<const Migration> session_migrations() {
  return steps_to_now;
}

}  // namespace tilescope
