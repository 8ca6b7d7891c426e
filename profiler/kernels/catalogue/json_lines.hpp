#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace tilescope {

/// A JSON document with the line on which each of its members begins.
struct LocatedJson {
  Json document;
  /// From 1, by JSON pointer: "/parameters/0/name".
  std::map<std::string, int> lines;
  /// JSON pointers of keys that an object holds more than once.
  std::vector<std::string> repeated_keys;

  /// The line of a member, or of its parent if the member is missing; 0 when no line is known.
  int line_of(std::string pointer) const;
};

/// Throws JsonError.
LocatedJson parse_with_lines(const std::string& text);

}  // namespace tilescope
