#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sessions/json.hpp"

namespace tilescope {

/// An error in a document: the place as a JSON pointer ("/points/3/status") and the reason.
class DocumentError : public std::invalid_argument {
 public:
  DocumentError(const std::string& place, const std::string& reason)
      : std::invalid_argument((place.empty() ? "the document" : place) + ": " + reason),
        place_(place),
        reason_(reason) {}

  const std::string& place() const { return place_; }
  const std::string& reason() const { return reason_; }
  /// The same error, with its place seen from one level further out.
  DocumentError inside(const std::string& step) const { return {"/" + step + place_, reason_}; }

 private:
  std::string place_;
  std::string reason_;
};

/// Runs `read` and adds `step` to the place of errors that it throws. Places are only composed when there is an error.
template <typename Read>
decltype(auto) at_place(const std::string& step, Read&& read) {
  try {
    return std::forward<Read>(read)();
  } catch (const DocumentError& error) {
    throw error.inside(step);
  } catch (const std::exception& error) {
    throw DocumentError("/" + step, error.what());
  }
}

/// Whether a value is a whole number that 64 bits with a sign hold. As in JSON Schema, 64.0 is one.
bool is_whole_number(const Json& json);

/// The readers below throw DocumentError when the value has another type.
void read_value(const Json& json, bool& value);
void read_value(const Json& json, std::int64_t& value);
void read_value(const Json& json, std::uint64_t& value);
/// JSON has no NaN and no infinity: they are written as null, and null reads as NaN.
void read_value(const Json& json, double& value);
void read_value(const Json& json, std::string& value);
void read_value(const Json& json, std::vector<std::string>& value);
void read_value(const Json& json, std::vector<std::int64_t>& value);
void read_value(const Json& json, std::map<std::string, std::string>& value);
void read_value(const Json& json, std::map<std::string, std::int64_t>& value);
void read_value(const Json& json, std::map<std::string, double>& value);

/// Throws DocumentError when the value is not a list.
void require_list(const Json& json);

/// A list of objects, each read by its from_json.
template <typename T>
std::vector<T> read_list(const Json& json) {
  require_list(json);
  std::vector<T> list;
  list.reserve(json.size());
  for (const Json& element : json) {
    at_place(std::to_string(list.size()), [&] { from_json(element, list.emplace_back()); });
  }
  return list;
}

/// An object whose members are read one by one.
class ObjectReader {
 public:
  explicit ObjectReader(const Json& json);

  template <typename T>
  void required(const char* key, T& value) const {
    const Json& member = find_required(key);
    read_at(key, member, value);
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

  /// Must be there, null for "does not apply".
  template <typename T>
  void nullable(const char* key, std::optional<T>& value) const {
    const Json& member = find_required(key);
    if (member.is_null()) return;
    read_at(key, member, value.emplace());
  }

  template <typename T>
  void nullable(const char* key, std::optional<T>& value, T (*read)(const Json&)) const {
    if (!find_required(key).is_null()) required(key, value.emplace(), read);
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

  const Json& json_;
};

/// Null in the contract: a number that JSON cannot represent, or a text or a figure that does not apply.
Json number_or_null(double value);
Json number_or_null(const std::optional<double>& value);
Json nonzero_or_null(double value);
Json text_or_null(const std::string& text);
template <typename T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace tilescope
