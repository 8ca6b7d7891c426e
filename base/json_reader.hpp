#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_values.hpp"

namespace tilescope {

/// An object whose members are read one by one. Those that were never asked for are UnreadMembers.
class ObjectReader {
 public:
  explicit ObjectReader(const Json& json);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  template <typename T>
  void required(const char* key, T& value) const {
    const Json& member = find_required(key);
    read_at(key, member, value);
  }

  template <typename T>
  void required(const char* key, T& value, const Range& range) const {
    required(key, value);
    at_place(key, [&] { require_in(range, value); });
  }

  /// A name that `parse` turns into a value: an enumeration.
  template <typename T>
  void required(const char* key, T& value, T (*parse)(const std::string&)) const {
    std::string name;
    required(key, name);
    value = at_place(key, [&] { return parse(name); });
  }

  template <typename T>
  void required(const char* key, T& value, T (*read)(const Json&)) const {
    const Json& member = find_required(key);
    value = at_place(key, [&] { return read(member); });
  }

  template <typename T>
  void required(const char* key, T& value, const Form<T>& form) const {
    required(key, value, form.read);
  }

  /// Null or absent leaves `value` unchanged.
  template <typename T>
  void optional(const char* key, T& value) const {
    if (const Json* member = find(key)) read_at(key, *member, value);
  }

  /// Null or absent leaves `value` empty.
  template <typename T>
  void optional(const char* key, std::optional<T>& value) const {
    value.reset();
    if (const Json* member = find(key)) read_at(key, *member, value.emplace());
  }

  template <typename T>
  void optional(const char* key, T& value, const Range& range) const {
    if (find(key) == nullptr) return;
    optional(key, value);
    at_place(key, [&] { require_in(range, value); });
  }

  template <typename T>
  void optional(const char* key, T& value, T (*parse)(const std::string&)) const {
    if (find(key) != nullptr) required(key, value, parse);
  }

  template <typename T>
  void optional(const char* key, T& value, const Form<T>& form) const {
    if (const Json* member = find(key)) value = at_place(key, [&] { return form.read(*member); });
  }

  template <typename T>
  void optional(const char* key, std::optional<T>& value, const Form<T>& form) const {
    value.reset();
    if (const Json* member = find(key)) value = at_place(key, [&] { return form.read(*member); });
  }

  void optional(const char* key, std::string& value, EvenEmpty) const { optional(key, value); }
  void omitted_if_empty(const char* key, std::string& value) const { optional(key, value); }

  /// Absent where the value is empty.
  template <typename T>
  void omitted_if_empty(const char* key, std::optional<T>& value) const {
    optional(key, value);
  }

  template <typename T>
  void omitted_if_empty(const char* key, std::optional<T>& value, const Form<T>& form) const {
    value.reset();
    if (const Json* member = find(key)) value = at_place(key, [&] { return form.read(*member); });
  }

  /// Null where `is_null`, and required where not.
  template <typename T>
  void null_if(bool is_null, const char* key, T& value) const {
    if (!is_null) return required(key, value);
    if (find(key) != nullptr) at_place(key, [] { throw DocumentError("", "expected null"); });
  }

  template <typename T>
  void omitted_if_empty(const char* key, std::vector<T>& list, std::vector<T> (*read)(const Json&)) const {
    list.clear();
    if (find(key) != nullptr) required(key, list, read);
  }

  /// Absent where the value is `usual`.
  template <typename T>
  void omitted_if(const T& usual, const char* key, T& value, T (*parse)(const std::string&)) const {
    value = usual;
    optional(key, value, parse);
  }

  /// A list of one member of each element: many short elements are written as columns. The first column has as many
  /// values as the list gets elements.
  template <typename Element, typename Member>
  void first_column(const char* key, std::vector<Element>& elements, Member Element::*member) const {
    const Json& values = find_required(key);
    at_place(key, [&] { require_list(values); });
    elements.resize(values.size());
    column(key, elements, member);
  }
  template <typename Element, typename Member>
  void column(const char* key, std::vector<Element>& elements, Member Element::*member) const {
    at_place(key, [&] { read_column(find_required(key), elements, member); });
  }

  /// A list that is null where it is empty.
  template <typename T>
  void list_or_null(const char* key, std::vector<T>& list, const Range& range) const {
    optional(key, list, range);
  }

  /// Must be there, null for 0.
  void zero_as_null(const char* key, std::int64_t& value, const Range& range) const {
    std::optional<std::int64_t> read;
    nullable(key, read, range);
    value = read.value_or(0);
  }

  /// Must be there, null for "does not apply".
  template <typename T>
  void nullable(const char* key, std::optional<T>& value) const {
    const Json& member = find_required(key);
    if (member.is_null()) return;
    read_at(key, member, value.emplace());
  }

  template <typename T>
  void nullable(const char* key, std::optional<T>& value, const Range& range) const {
    nullable(key, value);
    at_place(key, [&] { require_in(range, value); });
  }

  template <typename T>
  void nullable(const char* key, std::optional<T>& value, T (*read)(const Json&)) const {
    if (!find_required(key).is_null()) required(key, value.emplace(), read);
  }

  template <typename T>
  void nullable(const char* key, std::optional<T>& value, const Form<T>& form) const {
    nullable(key, value, form.read);
  }

  template <typename T>
  void nullable(const char* key, std::optional<T>& value, T (*parse)(const std::string&)) const {
    if (!find_required(key).is_null()) required(key, value.emplace(), parse);
  }

  /// The member, nullptr when absent or null.
  const Json* find(const char* key) const;
  const Json& find_required(const char* key) const;

 private:
  template <typename T>
  static void read_at(const char* key, const Json& member, T& value) {
    at_place(key, [&] {
      if constexpr (requires { read_value(member, value); }) {
        read_value(member, value);
      } else {
        from_json(member, value);
      }
    });
  }

  template <typename Element, typename Member>
  static void read_column(const Json& values, std::vector<Element>& elements, Member Element::*member) {
    require_list(values);
    if (values.size() != elements.size())
      throw DocumentError("", "expected " + std::to_string(elements.size()) + " values");
    std::size_t i = 0;
    try {
      for (; i < elements.size(); ++i) read_value(values[i], elements[i].*member);
    } catch (const DocumentError& error) {
      throw error.inside(std::to_string(i));
    }
  }

  /// The member as it stands there, nullptr when absent.
  const Json* note_read(const char* key) const;

  const Json& json_;
  /// By the members' positions, up to 64.
  mutable std::uint64_t read_ = 0;
};

}  // namespace tilescope
