#include "profiler/service/requests/measure.hpp"

#include "base/enum_names.hpp"
#include "base/json_reader.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<PointStage, 4> stage_names{{{PointStage::judged, "judged"},
                                                {PointStage::compiled, "compiled"},
                                                {PointStage::checked, "checked"},
                                                {PointStage::timed, "timed"}}};

}  // namespace

std::string to_string(PointStage stage) {
  return name_of(stage, stage_names);
}

PointStage point_stage_from(const std::string& text) {
  return value_of(text, stage_names, "stage of a point");
}

void to_json(Json& json, const PartialPoint& point) {
  json = Json{{"stage", to_string(point.stage)},
              {"so_far", point.so_far},
              {"is_occupancy_estimated", point.is_occupancy_estimated},
              {"is_latency_provisional", point.is_latency_provisional},
              {"is_clock_rising", point.is_clock_rising}};
}

void from_json(const Json& json, PartialPoint& point) {
  const ObjectReader object(json);
  object.required("stage", point.stage, point_stage_from);
  object.required("so_far", point.so_far);
  object.required("is_occupancy_estimated", point.is_occupancy_estimated);
  object.required("is_latency_provisional", point.is_latency_provisional);
  object.required("is_clock_rising", point.is_clock_rising);
}

void to_json(Json& json, const Measure::Params& params) {
  json = Json{{"experiment", params.experiment}, {"stages", params.stages}, {"neighbours", params.variants}};
}

void from_json(const Json& json, Measure::Params& params) {
  const ObjectReader object(json);
  object.required("experiment", params.experiment);
  object.optional("stages", params.stages);
  object.optional("neighbours", params.variants);
}

}  // namespace tilescope
