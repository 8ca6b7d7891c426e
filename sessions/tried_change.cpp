#include "sessions/tried_change.hpp"

#include "base/object_writer.hpp"

namespace tilescope {
namespace {

Json write_value(const ParameterValue& value) {
  return value;
}
ParameterValue read_parameter_value(const Json& json) {
  return json.get<ParameterValue>();
}

constexpr Form<ParameterValue> value_form{write_value, read_parameter_value};

}  // namespace

constexpr auto tried_change_members = [](const auto& object, auto& tried) {
  object.required("parameter", tried.parameter);
  object.required("value", tried.value, value_form);
  object.nullable("p50_us", tried.p50_us, above_zero);
  object.nullable("status", tried.status, status_from);
  object.required("same_code", tried.same_code);
};

void to_json(Json& json, const TriedChange& tried) {
  tried_change_members(ObjectWriter(json), tried);
}

void from_json(const Json& json, TriedChange& tried) {
  tried_change_members(ObjectReader(json), tried);
}

}  // namespace tilescope
