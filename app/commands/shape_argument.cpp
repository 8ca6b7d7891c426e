#include "app/commands/shape_argument.hpp"

#include <fmt/format.h>

#include <charconv>
#include <tuple>
#include <utility>
#include <vector>

#include "app/commands/command.hpp"

namespace tilescope {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw WrongUsage(
      fmt::format("--shape '{}': {}. Give B,H,S,D such as 1,8,512,64; grouped heads as Hq/Hkv and "
                  "unequal lengths as Sq/Sk: 1,32/8,512/4096,128",
                  text, why));
}

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find_first_of(separators, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

std::int64_t size_from(const std::string& whole, const char* name, const std::string& part) {
  std::int64_t size = 0;
  const char* end = part.data() + part.size();
  const auto [stopped, error] = std::from_chars(part.data(), end, size);
  if (error != std::errc() || stopped != end) {
    refuse(whole, fmt::format("{} is '{}', not a whole number", name, part));
  }
  return size;
}

/// "8" for both, "32/8" for one each.
std::pair<std::int64_t, std::int64_t> pair_from(const std::string& whole, const char* first,
                                                const char* second, const std::string& part) {
  const std::vector<std::string> sizes = split(part, "/x");
  if (sizes.size() > 2) refuse(whole, fmt::format("'{}' is more than {} and {}", part, first, second));
  const std::int64_t size = size_from(whole, first, sizes.front());
  return {size, sizes.size() == 2 ? size_from(whole, second, sizes.back()) : size};
}

}  // namespace

void read_shape_argument(const std::string& text, Shape& shape) {
  const std::vector<std::string> parts = split(text, ",");
  if (parts.size() != 4) refuse(text, fmt::format("it has {} sizes instead of 4", parts.size()));
  shape.B = size_from(text, "B", parts[0]);
  std::tie(shape.Hq, shape.Hkv) = pair_from(text, "Hq", "Hkv", parts[1]);
  std::tie(shape.Sq, shape.Sk) = pair_from(text, "Sq", "Sk", parts[2]);
  shape.D = size_from(text, "D", parts[3]);
  if (const std::string why = why_malformed(shape); !why.empty()) refuse(text, why);
}

}  // namespace tilescope
