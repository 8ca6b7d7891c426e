#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json_reader.hpp"

/// Reading and writing an object by one list of its members:
///   template <class Visit, class Value> void visit_members(Visit&& member, Value& stop) { member("slot", stop.slot); ... }
/// A member that is absent keeps its value. Reading throws DocumentError with the place.
namespace tilescope::members {

/// Infinities and NaN, which JSON does not have, are the texts "inf", "-inf" and "nan".
inline Json real_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}
inline double real_from_json(const Json& json) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (!json.is_number()) throw DocumentError("", "expected a number, \"inf\", \"-inf\" or \"nan\"");
  return json.get<double>();
}

template <class T>
Json written(const T& value) {
  if constexpr (std::same_as<T, double>) {
    return real_to_json(value);
  } else {
    return value;
  }
}
template <class T>
Json written(const std::optional<T>& value) {
  return value ? written(*value) : Json();
}
template <class T>
Json written(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(written(value));
  return list;
}

template <class T>
void read(const Json& json, T& value);
template <class T>
void read(const Json& json, std::vector<T>& values);
template <class T>
void read(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) read(json, value.emplace());
}
template <class T>
void read(const Json& json, std::vector<T>& values) {
  require_list(json);
  values.clear();
  values.reserve(json.size());
  for (const Json& element : json)
    at_place(std::to_string(values.size()), [&] { read(element, values.emplace_back()); });
}
template <class T, std::size_t size>
void read(const Json& json, std::array<T, size>& values) {
  require_list(json);
  if (json.size() != size) throw DocumentError("", "expected " + std::to_string(size) + " values");
  for (std::size_t i = 0; i < size; ++i) at_place(std::to_string(i), [&] { read(json[i], values[i]); });
}
template <class T>
void read(const Json& json, T& value) {
  if constexpr (std::same_as<T, double>) {
    value = real_from_json(json);
  } else if constexpr (std::same_as<T, std::uint32_t>) {
    std::uint64_t wide = 0;
    read_value(json, wide);
    if (wide > std::numeric_limits<std::uint32_t>::max()) throw DocumentError("", "the number is too large");
    value = static_cast<std::uint32_t>(wide);
  } else if constexpr (requires { read_value(json, value); }) {
    read_value(json, value);
  } else {
    from_json(json, value);
  }
}

/// Writes what it visits.
class Writer {
 public:
  explicit Writer(Json& json) : json_(json) { json_ = Json::object(); }
  template <class T>
  void operator()(const char* key, const T& value) {
    json_[key] = written(value);
  }

 private:
  Json& json_;
};

/// Reads what it visits.
class Reader {
 public:
  explicit Reader(const Json& json) : object_(json) {}
  template <class T>
  void operator()(const char* key, T& value) {
    if (const Json* member = object_.find(key)) at_place(key, [&] { read(*member, value); });
  }

 private:
  ObjectReader object_;
};

}  // namespace tilescope::members
