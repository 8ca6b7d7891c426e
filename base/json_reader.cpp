#include "base/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/unread_members.hpp"

namespace tilescope {
namespace {

[[noreturn]] void refuse(const Json& json, const char* expected) {
  throw DocumentError("", std::string("expected ") + expected + ", found " + json.type_name());
}

template <class T>
void read_values(const Json& json, std::vector<T>& value, const char* expected) {
  if (!json.is_array()) refuse(json, expected);
  value.clear();
  for (const Json& element : json) {
    at_place(std::to_string(value.size()), [&] { read_value(element, value.emplace_back()); });
  }
}

/// "-8", "0.25", "1e+18"
std::string number_text(double value) {
  std::string text = Json(value).dump();
  if (text.ends_with(".0")) text.erase(text.size() - 2);
  return text;
}

constexpr double two_to_63 = 9223372036854775808.0;

bool is_whole(double value, double first, double beyond) {
  return value >= first && value < beyond && std::trunc(value) == value;
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

bool is_whole_number(const Json& json) {
  if (json.is_number_float()) return is_whole(json.get<double>(), -two_to_63, two_to_63);
  if (json.is_number_unsigned()) {
    return json.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
  }
  return json.is_number_integer();
}

void read_value(const Json& json, std::int64_t& value) {
  if (!is_whole_number(json)) {
    if (json.is_number_unsigned()) throw DocumentError("", "the number " + json.dump() + " is too large");
    refuse(json, "a whole number");
  }
  value = json.get<std::int64_t>();
}

void read_value(const Json& json, std::uint64_t& value) {
  bool fits = json.is_number_unsigned();
  if (json.is_number_float()) fits = is_whole(json.get<double>(), 0, 2 * two_to_63);
  if (json.is_number_integer() && !fits) fits = json.get<std::int64_t>() >= 0;
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
  read_values(json, value, "a list of texts");
}

void read_value(const Json& json, std::vector<std::int64_t>& value) {
  read_values(json, value, "a list of whole numbers");
}

void read_value(const Json& json, std::vector<double>& value) {
  read_values(json, value, "a list of numbers");
}

void read_value(const Json& json, std::map<std::string, std::string>& value) {
  read_map(json, value, "an object of texts");
}

void read_value(const Json& json, std::map<std::string, std::int64_t>& value) {
  read_map(json, value, "an object of whole numbers");
}

void read_value(const Json& json, std::map<std::string, double>& value) {
  read_map(json, value, "an object of numbers");
}

void require_list(const Json& json) {
  if (!json.is_array()) refuse(json, "a list");
}

void require_in(const Range& range, double value) {
  if (std::isnan(value)) return;
  const bool is_possible = range.has_least ? value >= range.least : value > range.least;
  if (is_possible && value <= range.most) return;
  const bool is_too_small = !is_possible;
  const char* limit = !is_too_small ? "at most " : range.has_least ? "at least " : "above ";
  throw DocumentError("", number_text(value) + " is out of range: it must be " + limit +
                              number_text(is_too_small ? range.least : range.most));
}

void require_ascending(std::initializer_list<NamedFigure> figures) {
  constexpr double rounding = 1e-9;
  const NamedFigure* before = nullptr;
  for (const NamedFigure& figure : figures) {
    if (std::isnan(figure.second)) continue;
    if (before != nullptr && figure.second < before->second - rounding * std::abs(before->second)) {
      throw DocumentError(std::string("/") + before->first, number_text(before->second) + " is above " +
                                                                figure.first + ", which is " +
                                                                number_text(figure.second));
    }
    before = &figure;
  }
}

ObjectReader::ObjectReader(const Json& json) : json_(json) {
  if (!json.is_object()) refuse(json, "an object");
}

ObjectReader::~ObjectReader() {
  UnreadMembers* const unread = UnreadMembers::of_this_thread();
  if (unread == nullptr) return;
  const std::size_t members = json_.size();
  const std::uint64_t all = members < 64 ? (std::uint64_t{1} << members) - 1 : ~std::uint64_t{0};
  if (read_ != all || members > 64) unread->note(json_, read_);
}

const Json* ObjectReader::note_read(const char* key) const {
  const auto& members = json_.get_ref<const Json::object_t&>();
  const auto member =
      std::ranges::find_if(members, [key](const auto& one) { return one.first.compare(key) == 0; });
  if (member == members.end()) return nullptr;
  const auto position = member - members.begin();
  if (position < 64) read_ |= std::uint64_t{1} << position;
  return &member->second;
}

const Json* ObjectReader::find(const char* key) const {
  const Json* const member = note_read(key);
  return member == nullptr || member->is_null() ? nullptr : member;
}

const Json& ObjectReader::find_required(const char* key) const {
  const Json* const member = note_read(key);
  if (member == nullptr) throw DocumentError(std::string("/") + key, "is missing");
  return *member;
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json number_or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : Json();
}

Json nonzero_or_null(double value) {
  return value != 0 ? number_or_null(value) : Json();
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace tilescope
