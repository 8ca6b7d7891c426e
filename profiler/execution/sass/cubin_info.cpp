#include "profiler/execution/sass/cubin_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "profiler/execution/sass/cubin_error.hpp"

namespace tilescope::sass {
namespace {

constexpr std::size_t head_bytes = 4;
constexpr std::uint8_t no_value = 1;
constexpr std::uint8_t one_byte = 2;
constexpr std::uint8_t two_bytes = 3;
constexpr std::uint8_t sized = 4;

}  // namespace

std::vector<std::uint32_t> InfoAttribute::words() const {
  const std::size_t whole = value.size() / sizeof(std::uint32_t);
  std::vector<std::uint32_t> all(format == sized ? whole : std::size_t{value.empty() ? 0u : 1u});
  if (!all.empty())
    std::memcpy(all.data(), value.data(), std::min(value.size(), all.size() * sizeof(std::uint32_t)));
  return all;
}

std::vector<InfoAttribute> read_info(std::span<const char> section, const std::string& name) {
  std::vector<InfoAttribute> attributes;
  std::size_t at = 0;
  while (at < section.size()) {
    const auto fail = [&](const std::string& problem) {
      throw CubinError(fmt::format("section {} cannot be read at byte {}: {}", name, at, problem));
    };
    if (section.size() - at < head_bytes) fail("a record without an end");
    InfoAttribute attribute;
    attribute.format = static_cast<std::uint8_t>(section[at]);
    attribute.number = static_cast<std::uint8_t>(section[at + 1]);
    // Two bytes: the value itself, or its size.
    std::uint16_t half = 0;
    std::memcpy(&half, &section[at + 2], sizeof(half));
    std::size_t begin = at + 2, bytes = 0, end = at + head_bytes;
    if (attribute.format == one_byte) bytes = 1;
    if (attribute.format == two_bytes) bytes = 2;
    if (attribute.format == sized) {
      begin = at + head_bytes;
      bytes = half;
      end = begin + bytes;
    }
    if (attribute.format < no_value || attribute.format > sized)
      fail(fmt::format("{} has the unknown format {}", attribute_name(attribute.number), attribute.format));
    if (end > section.size())
      fail(fmt::format("{} goes beyond the end of the section", attribute_name(attribute.number)));
    const std::span<const char> value = section.subspan(begin, bytes);
    attribute.value.assign(value.begin(), value.end());
    attributes.push_back(std::move(attribute));
    at = end;
  }
  return attributes;
}

}  // namespace tilescope::sass
