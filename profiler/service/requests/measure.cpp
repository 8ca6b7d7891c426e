#include "profiler/service/requests/measure.hpp"

#include "base/enum_names.hpp"
#include "base/object_writer.hpp"

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

constexpr auto partial_point_members = [](const auto& object, auto& point) {
  object.required("stage", point.stage, point_stage_from);
  object.required("so_far", point.so_far);
  object.required("is_occupancy_estimated", point.is_occupancy_estimated);
  object.required("is_latency_provisional", point.is_latency_provisional);
  object.required("is_clock_rising", point.is_clock_rising);
};

void to_json(Json& json, const PartialPoint& point) {
  partial_point_members(ObjectWriter(json), point);
}

void from_json(const Json& json, PartialPoint& point) {
  partial_point_members(ObjectReader(json), point);
}

constexpr auto measure_members = [](const auto& object, auto& params) {
  object.required("experiment", params.experiment);
  object.optional("stages", params.stages);
  object.optional("neighbours", params.variants);
  object.optional("explain", params.explain);
};

void to_json(Json& json, const Measure::Params& params) {
  measure_members(ObjectWriter(json), params);
}

void from_json(const Json& json, Measure::Params& params) {
  measure_members(ObjectReader(json), params);
}

}  // namespace tilescope
