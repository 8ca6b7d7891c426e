#include "profiler/service/requests/run_file.hpp"

#include <exception>
#include <utility>

#include "base/object_writer.hpp"
#include "profiler/service/requests/base64.hpp"
#include "profiler/service/requests/members.hpp"
#include "sessions/measurement_parts.hpp"

namespace tilescope {

template <class Visit, class Value>
static void visit_launched_buffer(Visit&& member, Value& value) {
  member("argument", value.argument);
  member("name", value.name);
  member("element", value.element);
}

template <class Visit, class Value>
static void visit_text(Visit&& member, Value& value) {
  member("block", value.block);
  member("thread", value.thread);
  member("place", value.place);
  member("text", value.text);
}

template <class Visit, class Value>
static void visit_launched(Visit&& member, Value& value) {
  member.required("status", value.status, status_from);
  member("reason", value.reason);
  member("entry", value.entry);
  member("target", value.target);
  member("grid", value.grid);
  member("block", value.block);
  member("dynamic_shared_bytes", value.dynamic_shared_bytes);
  member("resources", value.resources);
  member("occupancy", value.occupancy);
  member("blocks_run", value.blocks_run);
  member("warp_instructions", value.warp_instructions);
  member("lane_instructions", value.lane_instructions);
  member("instructions", value.instructions);
  member("barriers", value.barriers);
  member("buffers", value.buffers);
  member("compared", value.compared);
  member("printed", value.printed);
  member("memory", value.memory);
  member("machine_code", value.machine_code);
  member("prediction", value.prediction);
  member("checked", value.checked);
  member("looked_for", value.looked_for.families);
  member("not_looked_for", value.looked_for.not_looked_for);
  member("findings", value.findings);
  member("diagnoses", value.diagnoses);
  member("notes", value.notes);
  member.omitted_if(FileProblem::none, "problem", value.problem, file_problem_from);
}

template <class Visit, class Value>
static void visit_run(Visit&& member, Value& value) {
  member("subject", value.subject);
  member("check", value.check);
  member("machine_code", value.machine_code);
  member("schedule_seed", value.schedule_seed);
  member("device", value.device);
}

void BufferParts::add(const Json& json) noexcept {
  try {
    BufferPart part;
    from_json(json, part);
    contents_[part.buffer] += part.contents;
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
}

void BufferParts::move_into(LaunchedPoint& point) {
  if (!problem_.empty()) throw DocumentError("/part", problem_);
  for (auto& [buffer, contents] : contents_) {
    if (buffer >= point.buffers.size()) throw DocumentError("/part/buffer", "there is no such buffer");
    point.buffers[buffer].contents = std::move(contents);
  }
  contents_.clear();
}

void to_json(Json& json, const LaunchedBuffer& buffer) {
  visit_launched_buffer(members::Writer(json), buffer);
}
void from_json(const Json& json, LaunchedBuffer& buffer) {
  visit_launched_buffer(members::Reader(json), buffer);
}

void to_json(Json& json, const LaunchedText& text) {
  visit_text(members::Writer(json), text);
}
void from_json(const Json& json, LaunchedText& text) {
  visit_text(members::Reader(json), text);
}

void to_json(Json& json, const LaunchedPoint& point) {
  visit_launched(members::Writer(json), point);
  if (!point.diagnoses) json["diagnoses"] = Json::array();
}
void from_json(const Json& json, LaunchedPoint& point) {
  visit_launched(members::Reader(json), point);
}

constexpr auto buffer_part_members = [](const auto& object, auto& part) {
  object.required("buffer", part.buffer);
  object.required("contents", part.contents, base64_form);
};

void to_json(Json& json, const BufferPart& part) {
  buffer_part_members(ObjectWriter(json), part);
}
void from_json(const Json& json, BufferPart& part) {
  buffer_part_members(ObjectReader(json), part);
}

void to_json(Json& json, const RunFile::Params& params) {
  visit_run(members::Writer(json), params);
}
void from_json(const Json& json, RunFile::Params& params) {
  visit_run(members::Reader(json), params);
}

}  // namespace tilescope
