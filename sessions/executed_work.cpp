#include "sessions/executed_work.hpp"

#include "sessions/json_reader.hpp"

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

void to_json(Json& json, const BarrierSite& site) {
  json = Json{{"place", site.place},
              {"passes", site.passes},
              {"needed", site.needed},
              {"idle_instructions", site.idle_instructions}};
}

void from_json(const Json& json, BarrierSite& site) {
  const ObjectReader object(json);
  object.required("place", site.place);
  object.required("passes", site.passes, any_count);
  object.required("needed", site.needed, any_count);
  object.required("idle_instructions", site.idle_instructions, any_count);
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

void to_json(Json& json, const WatchedBlock& block) {
  json = Json{{"warps", block.warps},
              {"barriers", value_or_null(block.barriers)},
              {"sectors_read", block.sectors_read},
              {"different_sectors", block.different_sectors},
              {"repeated", block.repeated}};
}

void from_json(const Json& json, WatchedBlock& block) {
  const ObjectReader object(json);
  object.required("warps", block.warps, any_count);
  object.nullable("barriers", block.barriers, read_list<BarrierSite>);
  object.required("sectors_read", block.sectors_read, any_count);
  object.required("different_sectors", block.different_sectors, any_count);
  object.required("repeated", block.repeated, read_list<RepeatedRead>);
}

void to_json(Json& json, const ExecutedWork& work) {
  json = Json{{"lane_instructions", work.lane_instructions},
              {"serialised_instructions", work.serialised_instructions},
              {"paced_instructions", work.paced_instructions},
              {"partial_lanes", work.partial_lanes},
              {"watched", value_or_null(work.watched)}};
}

void from_json(const Json& json, ExecutedWork& work) {
  const ObjectReader object(json);
  object.required("lane_instructions", work.lane_instructions, any_count);
  object.required("serialised_instructions", work.serialised_instructions, any_count);
  object.required("paced_instructions", work.paced_instructions, any_count);
  object.required("partial_lanes", work.partial_lanes, read_list<PartialLanes>);
  object.nullable("watched", work.watched);
}

}  // namespace tilescope
