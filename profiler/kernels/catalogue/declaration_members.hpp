#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/declaration_problems.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// A value as in the file, shortened if long: for messages.
std::string found_text(const Json& value);

/// "'rug' is not one of 'rung', 'exhibit', 'baseline', 'micro'"
std::string why_not_one_of(const std::string& name, const std::vector<std::string>& names);

/// One object of a declaration, read member by member. Errors are added to the problems and reading continues, so that
/// one message has all of them.
class DeclarationMembers {
 public:
  DeclarationMembers(const Json& json, std::string place, DeclarationProblems& problems);

  /// The readers return whether `value` was read. `expected` describes the member ("an expression in quotes") for the
  /// message when it is missing or of another type.
  template <class T>
  bool required(const char* key, T& value, const char* expected) {
    const Json* member = find(key);
    if (member == nullptr && json_.is_object()) problems_.add_missing(place_of(key), expected);
    return member != nullptr && read(*member, key, value, expected);
  }
  /// An absent member or null leaves `value` unchanged.
  template <class T>
  bool optional(const char* key, T& value, const char* expected) {
    const Json* member = find(key);
    return member != nullptr && !member->is_null() && read(*member, key, value, expected);
  }

  /// One of an enumeration by its name.
  template <class Enum>
  bool required(const char* key, Enum& value, std::initializer_list<Enum> all) {
    std::string name;
    return required(key, name, "a name in quotes") && choose(key, name, value, all);
  }
  template <class Enum>
  bool optional(const char* key, Enum& value, std::initializer_list<Enum> all) {
    std::string name;
    return optional(key, name, "a name in quotes") && choose(key, name, value, all);
  }

  /// Calls `read_item(item, place)` for each item of a list.
  template <class ReadItem>
  void required_list(const char* key, const char* expected, ReadItem read_item) {
    const Json* list = nullptr;
    if (required(key, list, expected)) for_each_item(key, *list, read_item);
  }
  template <class ReadItem>
  void optional_list(const char* key, const char* expected, ReadItem read_item) {
    const Json* list = nullptr;
    if (optional(key, list, expected)) for_each_item(key, *list, read_item);
  }

  /// For members with their own reader; nullptr when absent or null.
  const Json* find_object(const char* key) {
    const Json* member = find(key);
    return member == nullptr || member->is_null() ? nullptr : member;
  }

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  /// Reports a member that only other declarations may have.
  void refuse(const char* key, const std::string& why);
  /// Reports unknown members: those that were not read. Call it last.
  void refuse_unknown() const;

  std::string place_of(const std::string& key) const { return place_ + "/" + key; }

 private:
  void know(const std::string& key);
  const Json* find(const char* key);
  bool refuse_type(const Json& member, const char* key, const char* expected);
  bool read(const Json& member, const char* key, std::string& value, const char* expected);
  bool read(const Json& member, const char* key, int& value, const char* expected);
  bool read(const Json& member, const char* key, ParameterValue& value, const char* expected);
  bool read(const Json& member, const char* key, std::array<std::string, 3>& value, const char* expected);
  bool read(const Json& member, const char* key, const Json*& list, const char* expected);

  template <class Enum>
  bool choose(const char* key, const std::string& name, Enum& value, std::initializer_list<Enum> all) {
    std::vector<std::string> names;
    for (const Enum one : all) {
      names.push_back(to_string(one));
      if (names.back() != name) continue;
      value = one;
      return true;
    }
    refuse(key, why_not_one_of(name, names));
    return false;
  }

  template <class ReadItem>
  void for_each_item(const char* key, const Json& list, ReadItem read_item) {
    for (std::size_t i = 0; i < list.size(); ++i) read_item(list[i], place_of(key) + "/" + std::to_string(i));
  }

  const Json& json_;
  std::string place_;
  DeclarationProblems& problems_;
  std::vector<std::string> known_;
};

}  // namespace tilescope
