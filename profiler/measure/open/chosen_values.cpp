#include "profiler/measure/open/chosen_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>

namespace tilescope {

std::string number_text(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

double chosen_number(const std::string& what, const std::string& text) {
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != text.size() || !std::isfinite(value))
    throw std::invalid_argument(fmt::format("'{}' for {} is not a number", text, what));
  return value;
}

std::array<std::uint32_t, 3> chosen_sizes(const std::string& what, const std::string& text) {
  std::array<std::uint32_t, 3> sizes{1, 1, 1};
  std::string plain = text;
  std::erase_if(plain, [](char letter) { return letter == '[' || letter == ']' || letter == ' '; });
  std::ranges::replace(plain, 'x', ',');
  std::size_t begin = 0;
  for (std::size_t axis = 0;; ++axis) {
    const std::size_t end = std::min(plain.find(',', begin), plain.size());
    const double size = chosen_number(what, plain.substr(begin, end - begin));
    if (axis > 2 || size < 1 || size > 2147483647.0 || size != std::floor(size))
      throw std::invalid_argument(
          fmt::format("'{}' for {} must be up to three sizes, such as 64,2,1", text, what));
    sizes[axis] = static_cast<std::uint32_t>(size);
    if (end == plain.size()) return sizes;
    begin = end + 1;
  }
}

std::string sizes_text(const simt::Dimensions& sizes) {
  return fmt::format("[{}, {}, {}]", sizes.x, sizes.y, sizes.z);
}

}  // namespace tilescope
