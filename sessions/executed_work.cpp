#include "sessions/executed_work.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

void to_json(Json& json, const InstructionPlace& place) {
  json = Json{{"line", place.line}, {"file", text_or_null(place.file)}, {"inlined", place.inlined}};
}

void from_json(const Json& json, InstructionPlace& place) {
  const ObjectReader object(json);
  object.required("line", place.line, any_count);
  object.optional("file", place.file);
  object.optional("inlined", place.inlined);
}

void to_json(Json& json, const PartialLanes& lanes) {
  json = Json{{"place", lanes.place}, {"instructions", lanes.instructions}, {"lanes", lanes.lanes}};
}

void from_json(const Json& json, PartialLanes& lanes) {
  const ObjectReader object(json);
  object.required("place", lanes.place);
  object.required("instructions", lanes.instructions, any_count);
  object.required("lanes", lanes.lanes, any_count);
}

constexpr auto barrier_site_members = [](const auto& object, auto& site) {
  object.required("place", site.place);
  object.required("passes", site.passes, any_count);
  object.required("needed", site.needed, any_count);
  object.optional("orders_lanes", site.orders_lanes, any_count);
  object.required("idle_instructions", site.idle_instructions, any_count);
};

void to_json(Json& json, const BarrierSite& site) {
  barrier_site_members(ObjectWriter(json), site);
}

void from_json(const Json& json, BarrierSite& site) {
  barrier_site_members(ObjectReader(json), site);
}

void to_json(Json& json, const RepeatedRead& read) {
  json = Json{{"place", read.place}, {"sectors", read.sectors}, {"again", read.again}};
}

void from_json(const Json& json, RepeatedRead& read) {
  const ObjectReader object(json);
  object.required("place", read.place);
  object.required("sectors", read.sectors, any_count);
  object.required("again", read.again, any_count);
}

constexpr auto watched_block_members = [](const auto& object, auto& block) {
  object.required("warps", block.warps, any_count);
  object.nullable("barriers", block.barriers, read_list<BarrierSite>);
  object.required("sectors_read", block.sectors_read, any_count);
  object.required("different_sectors", block.different_sectors, any_count);
  object.required("repeated", block.repeated, read_list<RepeatedRead>);
};

void to_json(Json& json, const WatchedBlock& block) {
  watched_block_members(ObjectWriter(json), block);
}

void from_json(const Json& json, WatchedBlock& block) {
  watched_block_members(ObjectReader(json), block);
}

constexpr auto executed_work_members = [](const auto& object, auto& work) {
  object.required("lane_instructions", work.lane_instructions, any_count);
  object.required("serialised_instructions", work.serialised_instructions, any_count);
  object.required("paced_instructions", work.paced_instructions, any_count);
  object.required("partial_lanes", work.partial_lanes, read_list<PartialLanes>);
  object.nullable("watched", work.watched);
};

void to_json(Json& json, const ExecutedWork& work) {
  executed_work_members(ObjectWriter(json), work);
}

void from_json(const Json& json, ExecutedWork& work) {
  executed_work_members(ObjectReader(json), work);
}

}  // namespace tilescope
