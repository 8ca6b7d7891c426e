#include "profiler/service/requests/trace.hpp"

#include "base/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const Tracing& tracing) {
  json = Json{{"check", tracing.check},
              {"schedule_seed", tracing.schedule_seed},
              {"machine_code", tracing.machine_code}};
}

void from_json(const Json& json, Tracing& tracing) {
  const ObjectReader object(json);
  object.optional("check", tracing.check);
  object.optional("schedule_seed", tracing.schedule_seed);
  object.optional("machine_code", tracing.machine_code);
}

void to_json(Json& json, const Trace::Params& params) {
  json =
      Json{{"experiment", params.experiment}, {"options", params.options}, {"neighbours", params.neighbours}};
}

void from_json(const Json& json, Trace::Params& params) {
  const ObjectReader object(json);
  object.required("experiment", params.experiment);
  object.required("options", params.options);
  object.optional("neighbours", params.neighbours);
}

void to_json(Json& json, const TracedPoint& point) {
  to_json(json, static_cast<const Measurement&>(point));
  if (point.machine_code) json["machine_code"] = *point.machine_code;
}

void from_json(const Json& json, TracedPoint& point) {
  from_json(json, static_cast<Measurement&>(point));
  ObjectReader(json).optional("machine_code", point.machine_code);
}

}  // namespace tilescope
