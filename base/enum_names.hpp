#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tilescope {

/// The values of an enumeration with their names in documents.
template <typename Enum, std::size_t count>
using EnumNames = std::array<std::pair<Enum, std::string_view>, count>;

/// Throws std::logic_error for a value that the table lacks.
template <typename Enum, std::size_t count>
std::string name_of(Enum value, const EnumNames<Enum, count>& names) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return std::string(name);
  }
  throw std::logic_error("an enumeration holds a value that has no name");
}

/// Throws std::invalid_argument with the names that there are; `what` says what the text should be: "status".
template <typename Enum, std::size_t count>
Enum value_of(const std::string& text, const EnumNames<Enum, count>& names, const char* what) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    known += (known.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  throw std::invalid_argument("'" + text + "' is not a " + what + ": there are " + known);
}

}  // namespace tilescope
