#include "profiler/service/requests/step_row.hpp"

#include "base/object_writer.hpp"
#include "profiler/service/requests/members.hpp"

namespace tilescope {

template <class Visit, class Value>
static void visit_row_tile(Visit&& member, Value& value) {
  member("slot", value.slot);
  member("first_key", value.first_key);
  member("keys", value.keys);
  member("scores", value.scores);
  member("m", value.m);
  member("l", value.l);
  member("rescale", value.rescale);
  member("output", value.output);
  member("exact_m", value.exact_m);
  member("exact_l", value.exact_l);
  member("exact_output", value.exact_output);
  member("error", value.error);
}

void to_json(Json& json, const RowTile& value) {
  visit_row_tile(members::Writer(json), value);
}
void from_json(const Json& json, RowTile& value) {
  visit_row_tile(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_row_part(Visit&& member, Value& value) {
  member("warp", value.warp);
  member("tiles", value.tiles);
}

void to_json(Json& json, const RowPart& value) {
  visit_row_part(members::Writer(json), value);
}
void from_json(const Json& json, RowPart& value) {
  visit_row_part(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_history(Visit&& member, Value& value) {
  member("reason", value.reason);
  member("source_sha256", value.source_sha256);
  member("row", value.row);
  member("rows", value.rows);
  member("worst_row", value.worst_row);
  member("worst_error", value.worst_error);
  member("parts", value.parts);
  member("output", value.output);
  member("exact_output", value.exact_output);
  member("naive_sum", value.naive_sum);
  member("missing", value.missing);
  member.required("status", value.status, status_from);
}

void to_json(Json& json, const StepRowHistory& history) {
  visit_history(members::Writer(json), history);
}
void from_json(const Json& json, StepRowHistory& history) {
  visit_history(members::Reader(json), history);
}

constexpr auto row_params_members = [](const auto& object, auto& params) {
  object.required("block", params.block);
  object.optional("row", params.row);
};

void to_json(Json& json, const StepRow::Params& params) {
  row_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, StepRow::Params& params) {
  row_params_members(ObjectReader(json), params);
}

}  // namespace tilescope
