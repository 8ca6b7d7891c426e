#include "profiler/service/requests/count_kernel.hpp"

#include "base/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const CountOptions& counting) {
  json = Json{{"check", counting.check},
              {"schedule_seed", counting.schedule_seed},
              {"machine_code", counting.machine_code}};
}

void from_json(const Json& json, CountOptions& counting) {
  const ObjectReader object(json);
  object.optional("check", counting.check);
  object.optional("schedule_seed", counting.schedule_seed);
  object.optional("machine_code", counting.machine_code);
}

void to_json(Json& json, const CountKernel::Params& params) {
  json =
      Json{{"experiment", params.experiment}, {"options", params.options}, {"neighbours", params.neighbours}};
}

void from_json(const Json& json, CountKernel::Params& params) {
  const ObjectReader object(json);
  object.required("experiment", params.experiment);
  object.required("options", params.options);
  object.optional("neighbours", params.neighbours);
}

void to_json(Json& json, const CountedPoint& point) {
  to_json(json, static_cast<const Measurement&>(point));
  if (point.machine_code) json["machine_code"] = *point.machine_code;
}

void from_json(const Json& json, CountedPoint& point) {
  from_json(json, static_cast<Measurement&>(point));
  ObjectReader(json).optional("machine_code", point.machine_code);
}

}  // namespace tilescope
