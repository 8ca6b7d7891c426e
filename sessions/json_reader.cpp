#include "sessions/json_reader.hpp"

#include <cmath>
#include <limits>

namespace tilescope {
namespace {

[[noreturn]] void refuse(const Json& json, const char* expected) {
  throw DocumentError("", std::string("expected ") + expected + ", found " + json.type_name());
}

template <class T>
void read_list(const Json& json, std::vector<T>& value, const char* expected) {
  if (!json.is_array()) refuse(json, expected);
  value.clear();
  for (const Json& element : json) {
    at_place(std::to_string(value.size()), [&] { read_value(element, value.emplace_back()); });
  }
}

template <class T>
void read_map(const Json& json, std::map<std::string, T>& value, const char* expected) {
  if (!json.is_object()) refuse(json, expected);
  value.clear();
  for (const auto& [key, element] : json.items()) {
    at_place(key, [&, &name = key, &member = element] { read_value(member, value[name]); });
  }
}

}  // namespace

void read_value(const Json& json, bool& value) {
  if (!json.is_boolean()) refuse(json, "true or false");
  value = json.get<bool>();
}

void read_value(const Json& json, std::int64_t& value) {
  if (!json.is_number_integer()) refuse(json, "a whole number");
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    throw DocumentError("", "the number " + json.dump() + " is too large");
  }
  value = json.get<std::int64_t>();
}

void read_value(const Json& json, std::uint64_t& value) {
  const bool fits = json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0);
  if (!fits) refuse(json, "a whole number, 0 or more");
  value = json.get<std::uint64_t>();
}

void read_value(const Json& json, double& value) {
  if (json.is_null()) {
    value = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!json.is_number()) refuse(json, "a number");
  value = json.get<double>();
}

void read_value(const Json& json, std::string& value) {
  if (!json.is_string()) refuse(json, "a text");
  value = json.get<std::string>();
}

void read_value(const Json& json, std::vector<std::string>& value) {
  read_list(json, value, "a list of texts");
}

void read_value(const Json& json, std::vector<std::int64_t>& value) {
  read_list(json, value, "a list of whole numbers");
}

void read_value(const Json& json, std::map<std::string, std::string>& value) {
  read_map(json, value, "an object of texts");
}

void read_value(const Json& json, std::map<std::string, std::int64_t>& value) {
  read_map(json, value, "an object of whole numbers");
}

ObjectReader::ObjectReader(const Json& json) : json_(json) {
  if (!json.is_object()) refuse(json, "an object");
}

const Json* ObjectReader::find(const char* key) const {
  const auto member = json_.find(key);
  return member == json_.end() || member->is_null() ? nullptr : &*member;
}

const Json& ObjectReader::find_required(const char* key) const {
  const auto member = json_.find(key);
  if (member == json_.end()) throw DocumentError(std::string("/") + key, "is missing");
  return *member;
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json nonzero_or_null(double value) {
  return value != 0 ? number_or_null(value) : Json();
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace tilescope
