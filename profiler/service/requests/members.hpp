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
  if (json.is_null()) return;
  T present{};
  read(json, present);
  value = std::move(present);
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
  /// A name that `parse` turns into a value.
  template <class T>
  void required(const char* key, const T& value, T (*)(const std::string&)) {
    json_[key] = to_string(value);
  }
  template <class T>
  void required(const char* key, const T& value, const Form<T>& form) {
    json_[key] = form.write(value);
  }
  template <class T>
  void optional(const char* key, const T& value, T (*)(const std::string&)) {
    json_[key] = to_string(value);
  }
  /// Absent where the value is `usual`.
  template <class T>
  void omitted_if(const T& usual, const char* key, const T& value, T (*)(const std::string&)) {
    if (value != usual) json_[key] = to_string(value);
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
  template <class T>
  void required(const char* key, T& value, T (*parse)(const std::string&)) {
    object_.required(key, value, parse);
  }
  template <class T>
  void required(const char* key, T& value, const Form<T>& form) {
    object_.required(key, value, form);
  }
  template <class T>
  void optional(const char* key, T& value, T (*parse)(const std::string&)) {
    object_.optional(key, value, parse);
  }
  template <class T>
  void omitted_if(const T& usual, const char* key, T& value, T (*parse)(const std::string&)) {
    object_.omitted_if(usual, key, value, parse);
  }

 private:
  ObjectReader object_;
};

}  // namespace tilescope::members
