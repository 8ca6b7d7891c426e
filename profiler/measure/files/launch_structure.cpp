#include "profiler/measure/files/launch_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/json.hpp"

namespace tilescope {
namespace {

constexpr std::size_t address_bytes = 8;
// The most that the parameters of a kernel take, on any architecture.
constexpr std::uint64_t most_parameter_bytes = 32764;
// Types beside the elements' types.
constexpr const char* further_types = "buffer, address, struct, bytes";

std::size_t aligned(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

std::optional<Element> element_of(const Json& given, const std::string& place, LaunchProblems& problems) {
  const auto element = given.contains("element") && given["element"].is_string()
                           ? element_named(given["element"].get_ref<const std::string&>())
                           : std::nullopt;
  if (!element) problems.add(place, "\"element\" must be one of " + element_names());
  return element;
}

std::string unnamed_buffer(std::size_t argument) {
  return fmt::format("argument {}", argument);
}

LaunchBytes LaunchStructure::argument(const Json& given, const std::string& place, std::size_t index,
                                      std::uint64_t bytes) {
  index_ = index;
  return value(given, place, bytes).bytes;
}

LaunchStructure::Aligned LaunchStructure::value(const Json& given, const std::string& place,
                                                std::uint64_t bytes) {
  if (!given.is_object() || !given.contains("type") || !given["type"].is_string()) {
    problems_.add(place, fmt::format("must be an object with a \"type\": {}, or one of {}", further_types,
                                     element_names()));
    return {};
  }
  const auto& type = given["type"].get_ref<const std::string&>();
  Aligned read;
  if (type == "buffer") {
    if (const auto number = add_buffer(given, place, index_)) values_.append_buffer(read.bytes, *number);
    read.bytes.contents.resize(
        address_bytes);  // also of a wrong buffer, so that a parameter that is not an address is said
    read.alignment = address_bytes;
  } else if (type == "address") {
    values_.append_address(read.bytes, given, place);
    read.alignment = address_bytes;
  } else if (type == "struct") {
    read = structure(given, place, bytes);
  } else if (type == "bytes") {
    problems_.check_keys(given, place, {"type", "values", "offset"});
    read.bytes = values_.listed(given, *element_named("u8"), place);
  } else {
    read = number(given, place, type);
  }
  return read;
}

LaunchStructure::Aligned LaunchStructure::number(const Json& given, const std::string& place,
                                                 const std::string& type) {
  const auto element = element_named(type);
  if (!element) {
    problems_.add(place, fmt::format("the type \"{}\" is not known; known are {}, {}", type, further_types,
                                     element_names()));
    return {};
  }
  problems_.check_keys(given, place, {"type", "value", "values", "offset", "name"});
  Aligned read{{}, element->bytes};
  if (given.contains("values")) {
    read.bytes = values_.listed(given, *element, place);
  } else if (given.contains("value")) {
    values_.append(read.bytes, given["value"], *element, place);
    note_name(given, place, *element, read.bytes);
  } else {
    problems_.add(place, "\"value\" is missing");
  }
  return read;
}

// A number that has a name can be used in formulas.
void LaunchStructure::note_name(const Json& given, const std::string& place, const Element& element,
                                const LaunchBytes& bytes) {
  if (!given.contains("name") || bytes.contents.size() != element.bytes) return;
  const std::optional<std::string> name = problems_.text(given, place, "name");
  if (!name) return;
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.contents.data(), element.bytes);
  launch_.numbers[*name] = static_cast<double>(number_of(bits, element));
}

LaunchStructure::Aligned LaunchStructure::structure(const Json& given, const std::string& place,
                                                    std::uint64_t bytes) {
  problems_.check_keys(given, place, {"type", "members", "bytes", "offset"});
  if (!given.contains("members") || !given["members"].is_array() || given["members"].empty()) {
    problems_.add(place, "\"members\" must be a list that is not empty");
    return {};
  }
  Aligned whole;
  std::size_t index = 0;
  for (const Json& member : given["members"]) {
    add_member(whole, member, fmt::format("{}.members[{}]", place, index++));
    if (whole.bytes.contents.size() > most_parameter_bytes) {
      problems_.add(place, fmt::format("a structure has at most {} B, what a kernel's parameters may take",
                                       most_parameter_bytes));
      return {};
    }
  }
  const std::size_t end = whole.bytes.contents.size();
  const std::uint64_t size = problems_.natural(given, place, "bytes", 1, most_parameter_bytes)
                                 .value_or(bytes > 0 ? bytes : aligned(end, whole.alignment));
  if (size < end) {
    problems_.add(place, fmt::format("the members take {} B of a structure of {} B", end, size));
  } else {
    whole.bytes.contents.resize(size);
  }
  return whole;
}

void LaunchStructure::add_member(Aligned& whole, const Json& given, const std::string& place) {
  Aligned member = value(given, place, 0);
  if (member.bytes.contents.empty()) return;  // the error has been reported
  const std::size_t end = whole.bytes.contents.size();
  const auto offset = problems_.natural(given, place, "offset", 0, most_parameter_bytes);
  const std::size_t begin = offset.value_or(aligned(end, member.alignment));
  if (begin < end) {
    problems_.add(place, fmt::format("begins at {} B, where the members before it end at {} B", begin, end));
    return;
  }
  whole.alignment = std::max(whole.alignment, member.alignment);
  whole.bytes.contents.resize(begin);
  LaunchValues::append_part(whole.bytes, std::move(member.bytes));
}

// Whether each element has to be written by the kernel. A fill of "nan" says so, unless "output" is false.
bool LaunchStructure::is_output(const Json& given, const std::string& place) {
  const auto is_nan = [](const Json& value) { return value == "nan"; };
  if (!given.contains("output")) {
    if (given.contains("fill")) return is_nan(given["fill"]);
    return given.contains("values") && given["values"].is_array() &&
           std::ranges::all_of(given["values"], is_nan);
  }
  if (given["output"].is_boolean()) return given["output"].get<bool>();
  problems_.add(place, "\"output\" must be true or false");
  return false;
}

// Its elements before the launch, and its shape.
LaunchBytes LaunchStructure::contents(const Json& given, const std::string& place, LaunchBuffer& buffer) {
  std::vector<std::uint64_t> array_shape;
  if (!given.contains("shape")) {
    LaunchBytes bytes = values_.elements(given, buffer.element, place, array_shape);
    buffer.shape = std::move(array_shape);
    return bytes;
  }
  buffer.shape = problems_.sizes(given, place, "shape");
  if (buffer.shape.empty()) return {};
  std::uint64_t count = 1;
  for (const std::uint64_t size : buffer.shape) count *= size;
  Json counted = given;
  if (!given.contains("values") && !given.contains("count")) counted["count"] = count;
  LaunchBytes bytes = values_.elements(counted, buffer.element, place, array_shape);
  const std::uint64_t elements = bytes.size() / buffer.element.bytes;
  if (elements > 0 && elements != count)
    problems_.add(place, fmt::format("\"shape\" has {} elements, and the buffer has {}", count, elements));
  return bytes;
}

std::optional<std::size_t> LaunchStructure::add_buffer(const Json& given, const std::string& place,
                                                       std::optional<std::size_t> argument) {
  problems_.check_keys(
      given, place,
      {"type", "name", "element", "values", "count", "shape", "fill", "output", "expected", "offset"});
  LaunchBuffer buffer;
  buffer.argument = argument;
  if (argument) buffer.name = unnamed_buffer(*argument);
  if (auto name = problems_.text(given, place, "name")) buffer.name = std::move(*name);
  const auto element = element_of(given, place, problems_);
  if (!element) return std::nullopt;
  buffer.element = *element;
  buffer.bytes = contents(given, place, buffer);
  buffer.is_output = is_output(given, place);
  launch_.buffers.push_back(std::move(buffer));
  const std::size_t number = launch_.buffers.size() - 1;
  if (given.contains("expected")) expected_.add(number, given, place);
  return number;
}

}  // namespace tilescope
