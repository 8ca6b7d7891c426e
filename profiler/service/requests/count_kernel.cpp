#include "profiler/service/requests/count_kernel.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto count_options_members = [](const auto& object, auto& options) {
  object.optional("check", options.check);
  object.optional("schedule_seed", options.schedule_seed);
  object.optional("machine_code", options.machine_code);
  object.optional("instruction_times", options.instruction_times);
};

void to_json(Json& json, const CountOptions& options) {
  count_options_members(ObjectWriter(json), options);
}

void from_json(const Json& json, CountOptions& options) {
  count_options_members(ObjectReader(json), options);
}

constexpr auto count_params_members = [](const auto& object, auto& params) {
  object.required("experiment", params.experiment);
  object.required("options", params.options);
  object.optional("neighbours", params.variants);
  object.optional("explain", params.explain);
};

void to_json(Json& json, const CountKernel::Params& params) {
  count_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, CountKernel::Params& params) {
  count_params_members(ObjectReader(json), params);
}

void to_json(Json& json, const CountedPoint& point) {
  to_json(json, static_cast<const Measurement&>(point));
  if (point.machine_code) json["machine_code"] = *point.machine_code;
  if (!point.instruction_times.empty()) json["instruction_times"] = point.instruction_times;
}

void from_json(const Json& json, CountedPoint& point) {
  from_json(json, static_cast<Measurement&>(point));
  const ObjectReader object(json);
  object.optional("machine_code", point.machine_code);
  object.omitted_if_empty("instruction_times", point.instruction_times, read_list<InstructionTime>);
}

}  // namespace tilescope
