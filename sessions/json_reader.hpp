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

  /// Must be present, null for "does not apply".
  template <typename T>
  void nullable(const char* key, std::optional<T>& value) const {
    const Json& member = find_required(key);
    if (member.is_null()) return;
    read_at(key, member, value.emplace());
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
Json nonzero_or_null(double value);
Json text_or_null(const std::string& text);

}  // namespace tilescope
