#include "sessions/executed_work.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto place_members = [](const auto& object, auto& place) {
  object.required("line", place.line, any_count);
  object.optional("file", place.file);
  object.optional("inlined", place.inlined);
};

void to_json(Json& json, const InstructionPlace& place) {
  place_members(ObjectWriter(json), place);
}

void from_json(const Json& json, InstructionPlace& place) {
  place_members(ObjectReader(json), place);
}

constexpr auto partial_lanes_members = [](const auto& object, auto& lanes) {
  object.required("place", lanes.place);
  object.required("instructions", lanes.instructions, any_count);
  object.required("lanes", lanes.lanes, any_count);
};

void to_json(Json& json, const PartialLanes& lanes) {
  partial_lanes_members(ObjectWriter(json), lanes);
}

void from_json(const Json& json, PartialLanes& lanes) {
  partial_lanes_members(ObjectReader(json), lanes);
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

constexpr auto repeated_read_members = [](const auto& object, auto& read) {
  object.required("place", read.place);
  object.required("sectors", read.sectors, any_count);
  object.required("again", read.again, any_count);
};

void to_json(Json& json, const RepeatedRead& read) {
  repeated_read_members(ObjectWriter(json), read);
}

void from_json(const Json& json, RepeatedRead& read) {
  repeated_read_members(ObjectReader(json), read);
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
