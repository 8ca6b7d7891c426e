#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// Collects everything that is wrong with a launch, and reads what may be wrong in each part of it.
class LaunchProblems {
 public:
  void add(const std::string& place, const std::string& what);
  void check_keys(const Json& object, const std::string& place,
                  std::initializer_list<std::string_view> known);
  /// A whole number in a range; none when the key is missing or the value wrong, which is then a problem.
  std::optional<std::uint64_t> natural(const Json& object, const std::string& place, const char* key,
                                       std::uint64_t least, std::uint64_t most);
  /// Sizes of an array's dimensions, whose product is at most 2^32; none as above.
  std::vector<std::uint64_t> sizes(const Json& object, const std::string& place, const char* key);
  /// A text; none as above.
  std::optional<std::string> text(const Json& object, const std::string& place, const char* key);
  /// Throws LaunchFileError where there is any.
  void throw_if_any() const;

 private:
  std::string lines_;
  std::size_t count_ = 0;
};

}  // namespace tilescope
