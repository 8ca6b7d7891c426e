#include "profiler/measure/files/launch_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/files/fill_pattern.hpp"

namespace tilescope {
namespace {

constexpr std::size_t address_bytes = 8;
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 32;
// Memory of a pattern is committed only where the launch touches it.
constexpr std::uint64_t most_pattern_bytes = std::uint64_t{1} << 36;

void append_bits(std::vector<std::byte>& bytes, std::uint64_t bits, std::size_t count) {
  const std::size_t at = bytes.size();
  bytes.resize(at + count);
  std::memcpy(bytes.data() + at, &bits, count);
}

}  // namespace

LaunchBytes LaunchValues::elements(const Json& given, const Element& element, const std::string& place,
                                   std::vector<std::uint64_t>& shape) {
  if (given.contains("values") == given.contains("count")) {
    problems_.add(place,
                  "a buffer has either \"values\", or a \"count\" with the \"fill\" of all its elements");
    return {};
  }
  if (!given.contains("values")) return filled(given, element, place);
  const Json& values = given["values"];
  if (is_array_name(values)) return from_array({{"npy", values}}, element, place + ".values", shape);
  return values.is_object() ? from_array(values, element, place + ".values", shape)
                            : listed(given, element, place);
}

LaunchBytes LaunchValues::from_array(const Json& given, const Element& element, const std::string& place,
                                     std::vector<std::uint64_t>& shape) {
  problems_.check_keys(given, place, {"npy"});
  if (!given.contains("npy")) problems_.add(place, "\"npy\" is missing: the name of a .npy file");
  LaunchBytes bytes;
  if (!given.contains("npy")) return bytes;
  if (auto array = arrays_.read(given, element, place)) {
    bytes.contents = std::move(array->bytes);
    shape = std::move(array->shape);
  }
  return bytes;
}

LaunchBytes LaunchValues::listed(const Json& given, const Element& element, const std::string& place) {
  LaunchBytes bytes;
  if (!given.contains("values") || !given["values"].is_array() || given["values"].empty()) {
    problems_.add(place, "\"values\" must be a list that is not empty");
    return bytes;
  }
  std::size_t index = 0;
  for (const Json& value : given["values"])
    append(bytes, value, element, fmt::format("{}.values[{}]", place, index++));
  return bytes;
}

LaunchBytes LaunchValues::filled(const Json& given, const Element& element, const std::string& place) {
  LaunchBytes fill, bytes;
  const std::optional<FillPattern> pattern = fill_pattern(given);
  if (!pattern) append(fill, given["fill"], element, place);
  const std::uint64_t most = pattern ? most_pattern_bytes : most_buffer_bytes;
  const auto count = problems_.natural(given, place, "count", 1, most / element.bytes);
  if (!count || (!pattern && fill.contents.empty())) return bytes;
  if (pattern) {
    bytes.pattern = PatternFill{*pattern, element, *count, ++patterns_};
    return bytes;
  }
  filled_bytes_ += *count * element.bytes;
  if (filled_bytes_ > most_buffer_bytes) {
    problems_.add(place,
                  fmt::format("with this one the buffers have {} B; together they may have at most {} B",
                              filled_bytes_, most_buffer_bytes));
    return bytes;
  }
  bytes.contents.reserve(*count * element.bytes);
  for (std::uint64_t i = 0; i < *count; ++i) append_part(bytes, fill);
  return bytes;
}

void LaunchValues::append(LaunchBytes& bytes, const Json& value, const Element& element,
                          const std::string& place) {
  if (value.is_object()) {
    if (element.bytes == address_bytes && element.kind != Element::Kind::floating)
      return append_address(bytes, value, place);
    return problems_.add(
        place, fmt::format("an address has 8 B, and an element of {} has {}", element.name, element.bytes));
  }
  try {
    append_bits(bytes.contents, bits_of(value, element), element.bytes);
  } catch (const std::invalid_argument& error) {
    problems_.add(place, error.what());
  }
}

void LaunchValues::append_address(LaunchBytes& bytes, const Json& given, const std::string& place) {
  problems_.check_keys(given, place, {"type", "of", "plus_bytes", "offset"});
  const auto name = problems_.text(given, place, "of");
  if (!name) {
    if (!given.contains("of")) problems_.add(place, "\"of\" is missing: the name of a buffer");
    return;
  }
  const auto plus = problems_.natural(given, place, "plus_bytes", 0, most_buffer_bytes).value_or(0);
  bytes.addresses.push_back({bytes.contents.size(), named_.size(), plus});
  named_.push_back({*name, place, std::nullopt});
  append_bits(bytes.contents, 0, address_bytes);
}

void LaunchValues::append_buffer(LaunchBytes& bytes, std::size_t number) {
  bytes.addresses.push_back({bytes.contents.size(), named_.size(), 0});
  named_.push_back({"", "", number});
  append_bits(bytes.contents, 0, address_bytes);
}

void LaunchValues::append_part(LaunchBytes& bytes, LaunchBytes part) {
  for (BufferAddress address : part.addresses) {
    address.offset += bytes.contents.size();
    bytes.addresses.push_back(address);
  }
  bytes.contents.insert(bytes.contents.end(), part.contents.begin(), part.contents.end());
}

void LaunchValues::find_buffers(LaunchFile& launch) {
  std::vector<std::size_t> numbers;
  for (const NamedBuffer& named : named_) {
    if (named.number) {
      numbers.push_back(*named.number);
      continue;
    }
    const auto has_name = [&](const LaunchBuffer& buffer) { return buffer.name == named.name; };
    const auto found = std::ranges::find_if(launch.buffers, has_name);
    const auto count = std::ranges::count_if(launch.buffers, has_name);
    if (count == 0)
      problems_.add(named.place, fmt::format("there is no buffer with the name \"{}\"", named.name));
    if (count > 1)
      problems_.add(named.place, fmt::format("{} buffers have the name \"{}\"", count, named.name));
    numbers.push_back(static_cast<std::size_t>(found - launch.buffers.begin()));
  }
  const auto resolve = [&](LaunchBytes& bytes) {
    for (BufferAddress& address : bytes.addresses) address.buffer = numbers[address.buffer];
  };
  for (LaunchBuffer& buffer : launch.buffers) resolve(buffer.bytes);
  for (LaunchBytes& argument : launch.arguments) resolve(argument);
  for (LaunchVariable& variable : launch.variables) resolve(variable.bytes);
}

}  // namespace tilescope
