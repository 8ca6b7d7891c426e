#include "profiler/service/requests/record_block.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto selection_members = [](const auto& object, auto& selection) {
  object.optional("block", selection.block);
  object.optional("lines", selection.lines);
  object.optional("ptx_lines", selection.ptx_lines);
  object.optional("shared", selection.shared);
  object.optional("global", selection.global);
  object.optional("first", selection.first);
  object.optional("count", selection.count);
  object.optional("byte_limit", selection.byte_limit);
};

void to_json(Json& json, const AccessSelection& selection) {
  selection_members(ObjectWriter(json), selection);
}

void from_json(const Json& json, AccessSelection& selection) {
  selection_members(ObjectReader(json), selection);
}

static Json list_or_empty(const Json& list) {
  return list.is_null() ? Json::array() : list;
}

static Json list_from(const Json& json) {
  require_list(json);
  return json;
}

constexpr Form<Json> list_form{list_or_empty, list_from};

constexpr auto summary_members = [](const auto& object, auto& summary) {
  object.required("status", summary.status, status_from);
  object.required("reason", summary.reason);
  object.required("matching", summary.matching);
  object.required("sent", summary.sent);
  object.required("truncated", summary.truncated);
  object.required("sites", summary.sites, list_form);
  object.required("instructions", summary.instructions, list_form);
  object.required("arrays", summary.arrays, list_form);
  object.required("grid", summary.grid);
  object.required("threads", summary.threads);
  object.required("static_shared_bytes", summary.static_shared_bytes);
  object.required("dynamic_shared_bytes", summary.dynamic_shared_bytes);
  object.required("findings", summary.findings, read_list<Finding>);
  object.omitted_if_empty("source_tiles", summary.source_tiles, read_list<SourceTile>);
};

void to_json(Json& json, const RecordingSummary& summary) {
  summary_members(ObjectWriter(json), summary);
}

void from_json(const Json& json, RecordingSummary& summary) {
  summary_members(ObjectReader(json), summary);
}

constexpr auto record_params_members = [](const auto& object, auto& params) {
  object.required("experiment", params.experiment);
  object.required("selection", params.selection);
  object.omitted_if_empty("file", params.file);
};

void to_json(Json& json, const RecordBlock::Params& params) {
  record_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, RecordBlock::Params& params) {
  record_params_members(ObjectReader(json), params);
}

}  // namespace tilescope
