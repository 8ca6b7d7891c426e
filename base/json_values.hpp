#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.hpp"

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
  /// The error with its place seen from one level further out.
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

/// Which numbers a member may have. NaN, which JSON has as null, always means that it is not known.
struct Range {
  double least;
  /// Whether `least` itself is possible.
  bool has_least;
  double most;
};
/// Beyond it a figure is damage: as microseconds, 30,000 years.
inline constexpr double largest_figure = 1e18;
inline constexpr Range any_count{0, true, 0x1p63};
inline constexpr Range one_or_more{1, true, 0x1p63};
inline constexpr Range any_figure{0, true, largest_figure};
/// For the error of an incorrect result: a float holds more than any time.
inline constexpr Range any_magnitude{0, true, std::numeric_limits<double>::infinity()};
inline constexpr Range above_zero{0, false, largest_figure};
inline constexpr Range any_share{0, true, 1};

/// Throws DocumentError where the number is outside of the range.
void require_in(const Range& range, double value);
inline void require_in(const Range& range, std::int64_t value) {
  require_in(range, static_cast<double>(value));
}
template <typename T>
void require_in(const Range& range, const std::optional<T>& value) {
  if (value) require_in(range, *value);
}
template <typename T>
void require_in(const Range& range, const std::vector<T>& values);
template <typename T>
void require_in(const Range& range, const std::map<std::string, T>& values);

/// A figure and the name of its member.
using NamedFigure = std::pair<const char*, double>;
/// Throws DocumentError where a figure is smaller than one before it; those that are not known are passed over.
void require_ascending(std::initializer_list<NamedFigure> figures);

/// Whether a value is a whole number that 64 bits with a sign hold. As in JSON Schema, 64.0 is one.
bool is_whole_number(const Json& json);

/// Throws DocumentError when the value is not a list.
void require_list(const Json& json);

/// The readers below throw DocumentError when the value has another type.
void read_value(const Json& json, bool& value);
void read_value(const Json& json, std::int64_t& value);
void read_value(const Json& json, std::uint64_t& value);
/// JSON has no NaN and no infinity: they are written as null, and null reads as NaN.
void read_value(const Json& json, double& value);
void read_value(const Json& json, std::string& value);
void read_value(const Json& json, std::vector<std::string>& value);
void read_value(const Json& json, std::vector<std::int64_t>& value);
void read_value(const Json& json, std::vector<double>& value);
void read_value(const Json& json, std::map<std::string, std::string>& value);
void read_value(const Json& json, std::map<std::string, std::int64_t>& value);
void read_value(const Json& json, std::map<std::string, double>& value);
/// A copy, to be read later.
inline void read_value(const Json& json, Json& value) {
  value = json;
}
template <std::integral T>
requires(sizeof(T) < sizeof(std::int64_t) && !std::same_as<T, bool>) void read_value(const Json& json,
                                                                                     T& value) {
  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t> wide = 0;
  read_value(json, wide);
  if (!std::in_range<T>(wide))
    throw DocumentError("", "the number " + std::to_string(wide) + " is out of range");
  value = static_cast<T>(wide);
}
template <class T, std::size_t size>
void read_value(const Json& json, std::array<T, size>& value) {
  require_list(json);
  if (json.size() != size) throw DocumentError("", "expected " + std::to_string(size) + " values");
  for (std::size_t i = 0; i < size; ++i) at_place(std::to_string(i), [&] { read_value(json[i], value[i]); });
}

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

template <typename T>
void require_in(const Range& range, const std::vector<T>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    at_place(std::to_string(i), [&] { require_in(range, values[i]); });
  }
}

template <typename T>
void require_in(const Range& range, const std::map<std::string, T>& values) {
  for (const auto& entry : values) {
    at_place(entry.first, [&] { require_in(range, entry.second); });
  }
}

/// Functions that write and read a member in another form than its type has.
template <typename T>
struct Form {
  Json (*write)(const T&);
  T (*read)(const Json&);
};
/// For an optional text that is written as it is where it is empty, too, and not as null.
struct EvenEmpty {};
inline constexpr EvenEmpty even_empty;

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
