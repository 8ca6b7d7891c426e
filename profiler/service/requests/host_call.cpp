#include "profiler/service/requests/host_call.hpp"

#include <functional>
#include <numeric>

#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "profiler/service/requests/members.hpp"

namespace tilescope {

std::int64_t HostTensor::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

template <class Visit, class Value>
static void visit_tensor(Visit&& member, Value& value) {
  member("element", value.element);
  member("shape", value.shape);
  member("strides", value.strides);
  member("array", value.array);
}

template <class Visit, class Value>
static void visit_argument(Visit&& member, Value& value) {
  member("tensor", value.tensor);
  member("number", value.number);
}

template <class Visit, class Value>
static void visit_call(Visit&& member, Value& value) {
  member("function", value.function);
  member("arguments", value.arguments);
  member("results", value.results);
  member("caller", value.caller);
}

void to_json(Json& json, const HostTensor& tensor) {
  visit_tensor(members::Writer(json), tensor);
}
void from_json(const Json& json, HostTensor& tensor) {
  visit_tensor(members::Reader(json), tensor);
}

void to_json(Json& json, const HostArgument& argument) {
  visit_argument(members::Writer(json), argument);
}
void from_json(const Json& json, HostArgument& argument) {
  visit_argument(members::Reader(json), argument);
}

void to_json(Json& json, const HostCall& call) {
  visit_call(members::Writer(json), call);
}
void from_json(const Json& json, HostCall& call) {
  visit_call(members::Reader(json), call);
}

}  // namespace tilescope
