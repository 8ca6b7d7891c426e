#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_reader.hpp"

/// Reading and writing an object by one list of its members, a function of an ObjectReader or an ObjectWriter:
///   constexpr auto members = [](const auto& object, auto& site) { object.required("passes", site.passes, any_count); };
namespace tilescope {

/// Writes the members that an ObjectReader reads by the same calls, in their order. The reader's further arguments are
/// ignored, but for forms and for a range without 0: an optional 0 is then null.
class ObjectWriter {
 public:
  explicit ObjectWriter(Json& json) : json_(json) { json_ = Json::object(); }

  template <typename T, typename... How>
  void required(const char* key, const T& value, const How&...) const {
    json_[key] = document(value);
  }

  template <typename T>
  void required(const char* key, const T& value, const Form<T>& form) const {
    json_[key] = form.write(value);
  }

  template <typename T, typename... How>
  void nullable(const char* key, const std::optional<T>& value, const How&...) const {
    json_[key] = value ? document(*value) : Json();
  }

  template <typename T>
  void nullable(const char* key, const std::optional<T>& value, const Form<T>& form) const {
    json_[key] = value ? form.write(*value) : Json();
  }

  template <typename T>
  void optional(const char* key, const T& value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      json_[key] = text_or_null(value);
    } else {
      json_[key] = document(value);
    }
  }
  template <typename T>
  void optional(const char* key, const std::optional<T>& value) const {
    nullable(key, value);
  }
  template <typename T>
  void optional(const char* key, const T& value, const Range& range) const {
    if constexpr (std::is_arithmetic_v<T>) {
      const bool has_zero = range.least < 0 || (range.least == 0 && range.has_least);
      json_[key] = value == 0 && !has_zero ? Json() : document(value);
    } else {
      optional(key, value);
    }
  }
  template <typename T>
  void optional(const char* key, const T& value, T (*)(const std::string&)) const {
    json_[key] = to_string(value);
  }
  template <typename T>
  void optional(const char* key, const T& value, const Form<T>& form) const {
    json_[key] = form.write(value);
  }
  template <typename T>
  void optional(const char* key, const std::optional<T>& value, const Form<T>& form) const {
    nullable(key, value, form);
  }
  void optional(const char* key, const std::string& value, EvenEmpty) const { json_[key] = value; }
  void omitted_if_empty(const char* key, const std::string& value) const {
    if (!value.empty()) json_[key] = value;
  }

  template <typename T>
  void omitted_if_empty(const char* key, const std::optional<T>& value) const {
    if (value) json_[key] = document(*value);
  }
  template <typename T>
  void omitted_if_empty(const char* key, const std::optional<T>& value, const Form<T>& form) const {
    if (value) json_[key] = form.write(*value);
  }
  template <typename T>
  void null_if(bool is_null, const char* key, const T& value) const {
    json_[key] = is_null ? Json() : document(value);
  }
  template <typename T>
  void omitted_if_empty(const char* key, const std::vector<T>& list, std::vector<T> (*)(const Json&)) const {
    if (!list.empty()) json_[key] = list;
  }
  template <typename T>
  void omitted_if(const T& usual, const char* key, const T& value, T (*)(const std::string&)) const {
    if (value != usual) json_[key] = to_string(value);
  }

  template <typename List, typename Element, typename Member>
  void first_column(const char* key, const List& elements, Member Element::*member) const {
    column(key, elements, member);
  }
  template <typename List, typename Element, typename Member>
  void column(const char* key, const List& elements, Member Element::*member) const {
    Json values = Json::array();
    for (const Element& element : elements) values.push_back(element.*member);
    json_[key] = std::move(values);
  }

  template <typename T>
  void list_or_null(const char* key, const std::vector<T>& list, const Range&) const {
    json_[key] = list.empty() ? Json() : Json(list);
  }
  void zero_as_null(const char* key, std::int64_t value, const Range&) const {
    json_[key] = value == 0 ? Json() : Json(value);
  }

 private:
  template <typename T>
  static Json document(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return to_string(value);
    } else if constexpr (std::is_same_v<T, double>) {
      return number_or_null(value);
    } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
      Json object = Json::object();
      for (const auto& [name, figure] : value) object[name] = number_or_null(figure);
      return object;
    } else {
      return value;
    }
  }

  Json& json_;
};

/// The form of a struct whose members are the list `members`.
template <auto members, typename T>
Json write_members(const T& value) {
  Json json;
  members(ObjectWriter(json), value);
  return json;
}
template <auto members, typename T>
T read_members(const Json& json) {
  T value;
  members(ObjectReader(json), value);
  return value;
}
template <auto members, typename T>
constexpr Form<T> form_of{write_members<members, T>, read_members<members, T>};

}  // namespace tilescope
