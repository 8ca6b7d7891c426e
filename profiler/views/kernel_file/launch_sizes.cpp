#include "profiler/views/kernel_file/launch_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>

namespace tilescope {
namespace {

constexpr std::int64_t most_threads = 1024, largest_proposed = std::numeric_limits<std::int32_t>::max();

using Plane = std::array<std::int64_t, 2>;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The 16 and 8 of "[16, 8, 1]", "16,8" or "16x8".
std::optional<Plane> plane_in(std::string text) {
  std::erase_if(text, [](char letter) { return letter == '[' || letter == ']' || letter == ' '; });
  std::ranges::replace(text, 'x', ',');
  if (std::ranges::count(text, ',') == 2 && text.ends_with(",1")) text.resize(text.size() - 2);
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  const std::string_view whole = text;
  const auto x = number_in(whole.substr(0, comma)), y = number_in(whole.substr(comma + 1));
  if (!x || !y || *x < 1 || *y < 2) return std::nullopt;
  return Plane{*x, *y};
}

std::string text_of(const Plane& plane) {
  return fmt::format("{}x{}", plane[0], plane[1]);
}

std::vector<std::string> sizes_around(std::int64_t number) {
  std::vector<std::string> sizes;
  for (const std::int64_t divisor : {4, 2})
    if (number % divisor == 0) sizes.push_back(std::to_string(number / divisor));
  sizes.push_back(std::to_string(number));
  for (const std::int64_t factor : {2, 4})
    if (number <= largest_proposed / factor) sizes.push_back(std::to_string(number * factor));
  return sizes;
}

// Halves or doubles along one axis, and along both.
std::vector<std::string> planes_around(const Plane& plane) {
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> by_threads;
  for (const auto& [x, y] : {Plane{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 2}, {2, 4}, {4, 4}}) {
    const Plane other{plane[0] * x / 2, plane[1] * y / 2};
    const bool is_whole = plane[0] * x % 2 == 0 && plane[1] * y % 2 == 0;
    const bool is_usual = other[1] > 1 && other[0] * other[1] <= most_threads;
    if (is_whole && (is_usual || other == plane))
      by_threads.insert({other[0] * other[1], other[0], other[1]});
  }
  std::vector<std::string> planes;
  planes.reserve(by_threads.size());
  for (const auto& [threads, x, y] : by_threads) planes.push_back(text_of({x, y}));
  return planes;
}

bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

}  // namespace

std::set<std::string> names_with_values(const std::string& reason) {
  constexpr std::string_view equals = " = ";
  std::set<std::string> names;
  for (std::size_t at = reason.find(equals); at != std::string::npos; at = reason.find(equals, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_in_name(reason[begin - 1])) --begin;
    names.insert(reason.substr(begin, at - begin));
  }
  return names;
}

bool is_spelled_as_macro(const std::string& name) {
  constexpr std::size_t shortest = 4;  // M, N and BLK may be variables
  return name.size() >= shortest && std::ranges::none_of(name, [](unsigned char letter) {
           return std::islower(letter) != 0 || letter == '.';
         });
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::string_view number = text;
  constexpr std::string_view end = ", 1, 1]";
  if (number.starts_with('[') && number.ends_with(end))
    number = number.substr(1, number.size() - 1 - end.size());
  return number_in(number);
}

std::vector<std::string> proposed_sizes(const std::string& what, const std::string& value) {
  if (what.find(':') != std::string::npos || what == "shared") return {};
  if (const auto plane = plane_in(value)) {
    if (what != "block" || (*plane)[0] > most_threads || (*plane)[1] > most_threads) return {};
    return planes_around(*plane);
  }
  const auto number = whole_number(value);
  if (!number || *number < 1 || *number > (std::int64_t{1} << 40)) return {};
  std::vector<std::string> sizes = sizes_around(*number);
  if (what == "block")
    std::erase_if(sizes, [](const std::string& size) { return *whole_number(size) > most_threads; });
  return sizes;
}

std::string short_size(const std::string& value) {
  if (const auto number = whole_number(value)) return std::to_string(*number);
  const auto plane = plane_in(value);
  return plane ? text_of(*plane) : value;
}

}  // namespace tilescope
