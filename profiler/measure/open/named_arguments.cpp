#include "profiler/measure/open/named_arguments.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/json.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {
namespace {

// Elements of a buffer, -1 where they are in a .npy file.
std::int64_t elements_of(const Json& buffer) {
  if (buffer.contains("count")) return buffer["count"].get<std::int64_t>();
  if (buffer.contains("values") && buffer["values"].is_array())
    return static_cast<std::int64_t>(buffer["values"].size());
  if (!buffer.contains("shape")) return -1;
  std::int64_t elements = 1;
  for (const Json& size : buffer["shape"]) elements *= size.get<std::int64_t>();
  return elements;
}

ParameterValue number_of(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number()) return value.dump();
  return fmt::format("{}", value.get<double>());
}

void add(const Json& argument, Configuration& named) {
  if (argument.contains("members")) {
    for (const Json& member : argument["members"]) add(member, named);
  }
  if (!argument.contains("name")) return;
  const std::string name = argument["name"].get<std::string>();
  if (argument.contains("value")) {
    named.emplace(name, number_of(argument["value"]));
  } else if (const std::int64_t elements = elements_of(argument); elements >= 0) {
    named.emplace(elements_argument(name), elements);
  }
}

}  // namespace

Configuration named_arguments(const std::string& document) {
  Configuration named;
  if (document.empty()) return named;
  const Json launch = Json::parse(document);
  for (const char* list : {"arguments", "buffers"}) {
    if (!launch.contains(list)) continue;
    for (const Json& argument : launch[list]) add(argument, named);
  }
  return named;
}

}  // namespace tilescope
