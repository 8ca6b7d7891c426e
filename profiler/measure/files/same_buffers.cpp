#include "profiler/measure/files/same_buffers.hpp"

#include <cstddef>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/files/launch_structure.hpp"

namespace tilescope {
namespace {

// A buffer as one of a launch's "buffers".
Json as_named_buffer(Json buffer) {
  for (const char* key : {"type", "offset", "expected", "output"}) buffer.erase(key);
  return buffer;
}

// The launch's buffers in the order in which they are filled.
void collect_buffers(const Json& argument, std::size_t index, Json& buffers) {
  if (argument.contains("members")) {
    for (const Json& member : argument["members"]) collect_buffers(member, index, buffers);
  } else if (argument.value("type", "") == "buffer") {
    buffers.push_back(as_named_buffer(argument));
    if (!argument.contains("name")) buffers.back()["name"] = unnamed_buffer(index);
  }
}

Json buffers_of(const Json& launch) {
  Json buffers = Json::array();
  if (launch.contains("arguments")) {
    std::size_t index = 0;
    for (const Json& argument : launch["arguments"]) collect_buffers(argument, index++, buffers);
  }
  if (launch.contains("buffers")) {
    for (const Json& buffer : launch["buffers"]) buffers.push_back(as_named_buffer(buffer));
  }
  return buffers;
}

}  // namespace

std::string launch_on_same_buffers(const Json& launch, const Json& other) {
  Json document = {{"buffers", buffers_of(launch)}};
  for (const char* key : {"grid", "block", "dynamic_shared_bytes", "arguments"})
    if (other.contains(key)) document[key] = other[key];
  if (launch.contains("variables")) document["variables"] = launch["variables"];
  return document.dump();
}

}  // namespace tilescope
