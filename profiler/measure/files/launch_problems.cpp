#include "profiler/measure/files/launch_problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json.hpp"
#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_problems = 20;

}  // namespace

void LaunchProblems::add(const std::string& place, const std::string& what) {
  if (++count_ > most_problems) return;
  lines_ += (lines_.empty() ? "" : "\n") + (place.empty() ? "" : place + ": ") + what;
}

void LaunchProblems::check_keys(const Json& object, const std::string& place,
                                std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, std::string_view(key)) != known.end()) continue;
    add(place, fmt::format("\"{}\" is not known; known are {}", key, fmt::join(known, ", ")));
  }
}

std::optional<std::uint64_t> LaunchProblems::natural(const Json& object, const std::string& place,
                                                     const char* key, std::uint64_t least,
                                                     std::uint64_t most) {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  if (value.is_number_unsigned() && value.get<std::uint64_t>() >= least &&
      value.get<std::uint64_t>() <= most) {
    return value.get<std::uint64_t>();
  }
  add(place, fmt::format("\"{}\" is {:.100}; it must be a whole number from {} to {}", key, to_line(value),
                         least, most));
  return std::nullopt;
}

std::vector<std::uint64_t> LaunchProblems::sizes(const Json& object, const std::string& place,
                                                 const char* key) {
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;
  const Json& given = object[key];
  std::vector<std::uint64_t> sizes;
  std::uint64_t count = 1;
  if (given.is_array()) {
    for (const Json& size : given) {
      if (!size.is_number_unsigned() || size == 0 || size.get<std::uint64_t>() > most_elements / count) break;
      sizes.push_back(size.get<std::uint64_t>());
      count *= sizes.back();
    }
    if (!sizes.empty() && sizes.size() == given.size()) return sizes;
  }
  add(place,
      fmt::format("\"{}\" is {:.100}; it must be a list of whole numbers, such as [64, 128], of at most "
                  "{} elements together",
                  key, to_line(given), most_elements));
  return {};
}

std::optional<std::string> LaunchProblems::text(const Json& object, const std::string& place,
                                                const char* key) {
  if (!object.contains(key)) return std::nullopt;
  if (object[key].is_string()) return object[key].get<std::string>();
  add(place, fmt::format("\"{}\" must be a string", key));
  return std::nullopt;
}

void LaunchProblems::throw_if_any() const {
  if (lines_.empty()) return;
  const std::size_t more = count_ > most_problems ? count_ - most_problems : 0;
  throw LaunchFileError(lines_ + (more > 0 ? fmt::format("\n... and {} more errors", more) : ""));
}

}  // namespace tilescope
