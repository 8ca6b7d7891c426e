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

void to_json(Json& json, const RecordingSummary& summary) {
  json = Json{{"status", to_string(summary.status)},
              {"reason", summary.reason},
              {"matching", summary.matching},
              {"sent", summary.sent},
              {"truncated", summary.truncated},
              {"sites", summary.sites.is_null() ? Json::array() : summary.sites},
              {"instructions", summary.instructions.is_null() ? Json::array() : summary.instructions},
              {"arrays", summary.arrays.is_null() ? Json::array() : summary.arrays},
              {"grid", summary.grid},
              {"threads", summary.threads},
              {"static_shared_bytes", summary.static_shared_bytes},
              {"dynamic_shared_bytes", summary.dynamic_shared_bytes}};
  Json findings = Json::array();
  for (const Finding& finding : summary.findings) findings.push_back(finding);
  json["findings"] = std::move(findings);
}

void from_json(const Json& json, RecordingSummary& summary) {
  const ObjectReader object(json);
  object.required("status", summary.status, status_from);
  object.required("reason", summary.reason);
  object.required("matching", summary.matching);
  object.required("sent", summary.sent);
  object.required("truncated", summary.truncated);
  summary.sites = object.find_required("sites");
  if (!summary.sites.is_array()) throw DocumentError("/sites", "expected a list of sites");
  summary.instructions = object.find_required("instructions");
  if (!summary.instructions.is_array()) throw DocumentError("/instructions", "expected a list of lines");
  summary.arrays = object.find_required("arrays");
  if (!summary.arrays.is_array()) throw DocumentError("/arrays", "expected a list of arrays");
  std::vector<std::int64_t> grid;
  object.required("grid", grid);
  if (grid.size() != summary.grid.size()) throw DocumentError("/grid", "expected three numbers");
  for (std::size_t i = 0; i < grid.size(); ++i) summary.grid[i] = static_cast<std::uint64_t>(grid[i]);
  object.required("threads", summary.threads);
  object.required("static_shared_bytes", summary.static_shared_bytes);
  object.required("dynamic_shared_bytes", summary.dynamic_shared_bytes);
  summary.findings.clear();
  for (const Json& finding : object.find_required("findings"))
    summary.findings.push_back(finding.get<Finding>());
}

constexpr auto record_params_members = [](const auto& object, auto& params) {
  object.required("experiment", params.experiment);
  object.required("selection", params.selection);
};

void to_json(Json& json, const RecordBlock::Params& params) {
  record_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, RecordBlock::Params& params) {
  record_params_members(ObjectReader(json), params);
}

}  // namespace tilescope
