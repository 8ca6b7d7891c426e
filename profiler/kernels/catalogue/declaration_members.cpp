#include "profiler/kernels/catalogue/declaration_members.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"

namespace tilescope {

std::string found_text(const Json& value) {
  constexpr std::size_t max_length = 40;
  std::string text = to_line(value);
  if (text.size() > max_length) text = text.substr(0, max_length) + "...";
  return text;
}

std::string why_not_one_of(const std::string& name, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& one : names) list += (list.empty() ? "'" : ", '") + one + "'";
  return "'" + name + "' is not one of " + list;
}

DeclarationMembers::DeclarationMembers(const Json& json, std::string place, DeclarationProblems& problems)
    : json_(json), place_(std::move(place)), problems_(problems) {
  if (!json_.is_object()) problems_.add(place_, "expected an object in braces, found " + found_text(json_));
}

void DeclarationMembers::refuse(const char* key, const std::string& why) {
  know(key);
  problems_.add(place_of(key), why);
}

void DeclarationMembers::refuse_unknown() const {
  if (!json_.is_object()) return;
  for (const auto& [key, value] : json_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    problems_.add(place_of(key), suggest_names("there is no such key", key, known_));
  }
}

void DeclarationMembers::know(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
}

const Json* DeclarationMembers::find(const char* key) {
  know(key);
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(key);
  return found == json_.end() ? nullptr : &*found;
}

bool DeclarationMembers::refuse_type(const Json& member, const char* key, const char* expected) {
  problems_.add(place_of(key), std::string("expected ") + expected + ", found " + found_text(member));
  return false;
}

bool DeclarationMembers::read(const Json& member, const char* key, std::string& value, const char* expected) {
  if (!member.is_string()) return refuse_type(member, key, expected);
  value = member.get<std::string>();
  return true;
}

bool DeclarationMembers::read(const Json& member, const char* key, int& value, const char* expected) {
  const bool fits = member.is_number_integer() && member.get<double>() >= std::numeric_limits<int>::min() &&
                    member.get<double>() <= std::numeric_limits<int>::max();
  if (!fits) return refuse_type(member, key, expected);
  value = member.get<int>();
  return true;
}

bool DeclarationMembers::read(const Json& member, const char* key, ParameterValue& value,
                              const char* expected) {
  const bool is_too_large =
      member.is_number_unsigned() &&
      member.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  const bool fits = member.is_string() || (member.is_number_integer() && !is_too_large);
  if (!fits) return refuse_type(member, key, expected);
  value = member.get<ParameterValue>();
  return true;
}

bool DeclarationMembers::read(const Json& member, const char* key, std::array<std::string, 3>& value,
                              const char* expected) {
  const bool fits =
      member.is_array() && member.size() == 3 &&
      std::all_of(member.begin(), member.end(), [](const Json& one) { return one.is_string(); });
  if (!fits) return refuse_type(member, key, expected);
  value = member.get<std::array<std::string, 3>>();
  return true;
}

bool DeclarationMembers::read(const Json& member, const char* key, const Json*& list, const char* expected) {
  if (!member.is_array()) return refuse_type(member, key, expected);
  list = &member;
  return true;
}

}  // namespace tilescope
