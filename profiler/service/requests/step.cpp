#include "profiler/service/requests/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/object_writer.hpp"
#include "base/typed_number.hpp"
#include "profiler/service/requests/members.hpp"

namespace tilescope {

template <class Visit, class Value>
static void visit_warp(Visit&& member, Value& value) {
  member("state", value.state);
  member("barrier", value.barrier);
  member("lanes", value.lanes);
  member("live", value.live);
  member("line", value.line);
  member("inlined", value.inlined);
  member("frames", value.frames);
  member("ptx_line", value.ptx_line);
  member("phase", value.phase);
  member("instruction", value.instruction);
  member("issued", value.issued);
  member("open_groups", value.open_groups);
  member("pending_copies", value.pending_copies);
}

void to_json(Json& json, const WarpStop& value) {
  visit_warp(members::Writer(json), value);
}
void from_json(const Json& json, WarpStop& value) {
  visit_warp(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_barrier(Visit&& member, Value& value) {
  member("number", value.number);
  member("arrived", value.arrived);
  member("expected", value.expected);
  member("waiting_warps", value.waiting_warps);
  member("missing_warps", value.missing_warps);
}

void to_json(Json& json, const BarrierStop& value) {
  visit_barrier(members::Writer(json), value);
}
void from_json(const Json& json, BarrierStop& value) {
  visit_barrier(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_mbarrier(Visit&& member, Value& value) {
  member("offset", value.offset);
  member("phase", value.phase);
  member("pending", value.pending);
  member("expected", value.expected);
  member("transaction_bytes", value.transaction_bytes);
}

void to_json(Json& json, const MbarrierStop& value) {
  visit_mbarrier(members::Writer(json), value);
}
void from_json(const Json& json, MbarrierStop& value) {
  visit_mbarrier(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_register(Visit&& member, Value& value) {
  member("name", value.name);
  member("type", value.type);
  member("value", value.value);
}

void to_json(Json& json, const RegisterStop& value) {
  visit_register(members::Writer(json), value);
}
void from_json(const Json& json, RegisterStop& value) {
  visit_register(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_operand(Visit&& member, Value& value) {
  member("name", value.name);
  member("type", value.type);
  member("bytes", value.bytes);
  member("lanes", value.lanes);
}

void to_json(Json& json, const OperandStop& value) {
  visit_operand(members::Writer(json), value);
}
void from_json(const Json& json, OperandStop& value) {
  visit_operand(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_tile_row(Visit&& member, Value& value) {
  member("tensor", value.tensor);
  member("row", value.row);
  member("is_unwritten", value.is_unwritten);
}

void to_json(Json& json, const TileRowStop& value) {
  visit_tile_row(members::Writer(json), value);
}
void from_json(const Json& json, TileRowStop& value) {
  visit_tile_row(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_array(Visit&& member, Value& value) {
  member("name", value.name);
  member("offset", value.offset);
}

void to_json(Json& json, const ArrayStop& value) {
  visit_array(members::Writer(json), value);
}
void from_json(const Json& json, ArrayStop& value) {
  visit_array(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_tile(Visit&& member, Value& value) {
  member("name", value.name);
  member("offset", value.offset);
  member("columns", value.columns);
  member("element_bytes", value.element_bytes);
  member("rows", value.rows);
  member("values", value.values);
}

void to_json(Json& json, const TileStop& value) {
  visit_tile(members::Writer(json), value);
}
void from_json(const Json& json, TileStop& value) {
  visit_tile(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_progress(Visit&& member, Value& value) {
  member("tile", value.tile);
  member("first_key", value.first_key);
  member("keys", value.keys);
  member("barriers", value.barriers);
  member("global_read_bytes", value.global_read_bytes);
  member("global_written_bytes", value.global_written_bytes);
}

void to_json(Json& json, const StepProgress& value) {
  visit_progress(members::Writer(json), value);
}
void from_json(const Json& json, StepProgress& value) {
  visit_progress(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_mark(Visit&& member, Value& value) {
  member("slot", value.slot);
  member("round", value.round);
  member("number", value.number);
  member("keys", value.keys);
  member("line", value.line);
}

void to_json(Json& json, const StepMark& value) {
  visit_mark(members::Writer(json), value);
}
void from_json(const Json& json, StepMark& value) {
  visit_mark(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_view(Visit&& member, Value& value) {
  member("warp", value.warp);
  member("lane", value.lane);
  member("tiles", value.tiles);
  member("shared", value.shared);
}

template <class Visit, class Value>
static void visit_stop(Visit&& member, Value& value) {
  member("reason", value.reason);
  member("source_sha256", value.source_sha256);
  member("main_file", value.main_file);
  member("not_found", value.not_found);
  member("slot", value.slot);
  member("slots", value.slots);
  member("round", value.round);
  member("rounds", value.rounds);
  member("grid", value.grid);
  member("threads", value.threads);
  member("shared_bytes", value.shared_bytes);
  member("cut_off", value.cut_off);
  member("findings", value.findings);
  member("warps", value.warps);
  member("barriers", value.barriers);
  member("mbarriers", value.mbarriers);
  member("registers", value.registers);
  member("operands", value.operands);
  member("tiles", value.tiles);
  member("shared_words", value.shared_words);
  member("arrays", value.arrays);
  member("progress", value.progress);
  member("has_probes", value.has_probes);
  member("snapshot_interval", value.snapshot_interval);
  member("snapshot_bytes", value.snapshot_bytes);
  member("is_thinned", value.is_thinned);
  member.required("status", value.status, status_from);
  member.omitted_if(FileProblem::none, "problem", value.problem, file_problem_from);
}

template <class Visit, class Value>
static void visit_range(Visit&& member, Value& value) {
  member("first_round", value.first_round);
  member("end_round", value.end_round);
  member("cells", value.cells);
}

template <class Visit, class Value>
static void visit_timeline(Visit&& member, Value& value) {
  member("reason", value.reason);
  member("source_sha256", value.source_sha256);
  member("first_round", value.first_round);
  member("end_round", value.end_round);
  member("rounds", value.rounds);
  member("slots", value.slots);
  member("rounds_per_cell", value.rounds_per_cell);
  member("warps", value.warps);
  member("issued", value.issued);
  member("instructions", value.instructions);
  member("lines", value.lines);
  member("ptx_lines", value.ptx_lines);
  member("barriers", value.barriers);
  member("tiles", value.tiles);
  member.required("status", value.status, status_from);
}

namespace {

struct TargetName {
  StepTarget::Kind kind;
  const char* name;
  bool needs_number, takes_number;
};
constexpr std::array target_names = {
    TargetName{StepTarget::Kind::slot, "slot", true, true},
    TargetName{StepTarget::Kind::round, "round", true, true},
    TargetName{StepTarget::Kind::warp, "warp", true, true},
    TargetName{StepTarget::Kind::matrix, "matrix", true, true},
    TargetName{StepTarget::Kind::line, "line", false, true},
    TargetName{StepTarget::Kind::barrier, "barrier", false, true},
    TargetName{StepTarget::Kind::tile, "tile", false, true},
    TargetName{StepTarget::Kind::write, "write", true, true},
    TargetName{StepTarget::Kind::breakpoint, "breakpoint", false, false},
    TargetName{StepTarget::Kind::start, "start", false, false},
    TargetName{StepTarget::Kind::end, "end", false, false},
};

StepTarget::Kind kind_from(const std::string& text) {
  for (const TargetName& name : target_names) {
    if (text == name.name) return name.kind;
  }
  throw DocumentError("", "'" + text + "' is not a place to stop at");
}

[[noreturn]] void refuse_target(const std::string& text) {
  throw std::invalid_argument(
      "'" + text +
      "' is no place to stop at: use slot:N, round:N, warp:N, matrix:WARP, line, line:N, barrier, "
      "barrier:N, tile, tile:N, write:BYTE, start or end");
}

std::int64_t number_from(const std::string& digits, const std::string& text) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!digits.starts_with("0x")) {
    const std::optional<std::uint64_t> number = whole_number_from(digits);
    if (!number || *number > most) refuse_target(text);
    return static_cast<std::int64_t>(*number);
  }
  const char* end = digits.data() + digits.size();
  std::int64_t number = 0;
  const auto read = std::from_chars(digits.data() + 2, end, number, 16);
  if (read.ec != std::errc{} || read.ptr != end || number < 0) refuse_target(text);
  return number;
}

}  // namespace

static std::string to_string(StepTarget::Kind kind) {
  for (const TargetName& name : target_names) {
    if (name.kind == kind) return name.name;
  }
  return "";
}

std::string to_string(StepInputs inputs) {
  return inputs == StepInputs::random ? "random" : "large_logits";
}

StepInputs step_inputs_from(const std::string& text) {
  if (text == "random") return StepInputs::random;
  if (text == "large_logits") return StepInputs::large_logits;
  throw std::invalid_argument("'" + text + "' is not one of the inputs: random, large_logits");
}

StepTarget step_target_from(const std::string& text) {
  const std::size_t colon = text.find(':');
  for (const TargetName& name : target_names) {
    if (text.substr(0, colon) != name.name) continue;
    StepTarget target;
    target.kind = name.kind;
    const bool has_number = colon != std::string::npos;
    if (has_number ? !name.takes_number : name.needs_number) refuse_target(text);
    if (has_number) target.number = number_from(text.substr(colon + 1), text);
    return target;
  }
  refuse_target(text);
}

std::string to_string(const StepTarget& target) {
  const std::string name = to_string(target.kind);
  return target.number ? fmt::format("{}:{}", name, *target.number) : name;
}

template <class Visit, class Value>
static void visit_block(Visit&& member, Value& value) {
  member("experiment", value.experiment);
  member("block", value.block);
  member("source_sha256", value.source_sha256);
  member("file", value.file);
  member.optional("inputs", value.inputs, step_inputs_from);
}

void to_json(Json& json, const SteppedBlockChoice& value) {
  visit_block(members::Writer(json), value);
}
void from_json(const Json& json, SteppedBlockChoice& value) {
  visit_block(members::Reader(json), value);
}

template <class Visit, class Value>
static void visit_target(Visit&& member, Value& value) {
  member("number", value.number);
  member("backwards", value.backwards);
  member("from", value.from);
  member("lines", value.lines);
  member("bytes", value.bytes);
  member("places", value.places);
  member.required("kind", value.kind, kind_from);
}

void to_json(Json& json, const StepTarget& value) {
  visit_target(members::Writer(json), value);
}
void from_json(const Json& json, StepTarget& value) {
  visit_target(members::Reader(json), value);
  const auto* const name = std::ranges::find(target_names, value.kind, &TargetName::kind);
  if (name->needs_number && !value.number)
    throw DocumentError("/number", std::string("a ") + name->name + " needs a number");
}

void to_json(Json& json, const StepView& value) {
  visit_view(members::Writer(json), value);
}
void from_json(const Json& json, StepView& value) {
  visit_view(members::Reader(json), value);
}

void to_json(Json& json, const StepStop& value) {
  visit_stop(members::Writer(json), value);
}
void from_json(const Json& json, StepStop& value) {
  visit_stop(members::Reader(json), value);
}

void to_json(Json& json, const StepRange& value) {
  visit_range(members::Writer(json), value);
}
void from_json(const Json& json, StepRange& value) {
  visit_range(members::Reader(json), value);
}

void to_json(Json& json, const StepTimeline& value) {
  visit_timeline(members::Writer(json), value);
}
void from_json(const Json& json, StepTimeline& value) {
  visit_timeline(members::Reader(json), value);
}

constexpr auto step_params_members = [](const auto& object, auto& params) {
  object.required("block", params.block);
  object.required("target", params.target);
  object.optional("view", params.view);
};

void to_json(Json& json, const Step::Params& params) {
  step_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, Step::Params& params) {
  step_params_members(ObjectReader(json), params);
}

constexpr auto timeline_params_members = [](const auto& object, auto& params) {
  object.required("block", params.block);
  object.optional("range", params.range);
};

void to_json(Json& json, const StepTimelineRequest::Params& params) {
  timeline_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, StepTimelineRequest::Params& params) {
  timeline_params_members(ObjectReader(json), params);
}

}  // namespace tilescope
