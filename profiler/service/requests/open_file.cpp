#include "profiler/service/requests/open_file.hpp"

#include <utility>

#include "base/json_reader.hpp"
#include "profiler/service/requests/members.hpp"
#include "sessions/configuration_form.hpp"
#include "sessions/measurement_parts.hpp"

namespace tilescope {

template <class Visit, class Value>
static void visit_spilled(Visit&& member, Value& value) {
  member("file", value.file);
  member("line", value.line);
  member("loop_depth", value.loop_depth);
  member("bytes", value.bytes);
}

template <class Visit, class Value>
static void visit_loop(Visit&& member, Value& value) {
  member("file", value.file);
  member("first_line", value.first_line);
  member("last_line", value.last_line);
  member("depth", value.depth);
  member("instructions", value.instructions);
}

template <class Visit, class Value>
static void visit_kernel(Visit&& member, Value& value) {
  member("name", value.name);
  member("demangled", value.demangled);
  member("target", value.target);
  member("origin", value.origin);
  member("resources", value.resources);
  member("occupancy", value.occupancy);
  member("threads", value.threads);
  member("next_cliff", value.next_cliff);
  member("instructions", value.instructions);
  member("mix", value.mix);
  member("tensor_instructions", value.tensor_instructions);
  member("async_instructions", value.async_instructions);
  member("spills", value.spills);
  member("loops", value.loops);
  member("problem", value.problem);
}

template <class Visit, class Value>
static void visit_guess(Visit&& member, Value& value) {
  member("what", value.what);
  member("value", value.value);
  member("reason", value.reason);
}

template <class Visit, class Value>
static void visit_constant(Visit&& member, Value& value) {
  member("name", value.name);
  member("value", value.value);
  member("line", value.line);
  member("proposals", value.proposals);
}

// The members beyond a launched point's.
template <class Visit, class Value>
static void visit_opened(Visit&& member, Value& value) {
  member("kernel", value.kernel);
  member("device", value.device);
  member("latency", value.latency);
  member("provenance", value.provenance);
  member("compiler_log", value.compiler_log);
  member("kind", value.kind);
  member("kernels", value.kernels);
  member("guesses", value.guesses);
  member("constants", value.constants);
  member("outputs", value.outputs);
  member("launch", value.launch);
}

template <class Visit, class Value>
static void visit_open(Visit&& member, Value& value) {
  member("subject", value.subject);
  member("chosen", value.chosen);
  member("options", value.options);
  member("device", value.device);
  member("check", value.check);
  member("list_only", value.list_only);
  member("calls", value.calls);
  member("blocks", value.blocks);
}

void to_json(Json& json, const OpenedPoint& point) {
  // A Measurement has every member of the contract; those that do not apply to a kernel of a file are null.
  to_json(json, static_cast<const Measurement&>(point));
  Json launched, opened;
  to_json(launched, static_cast<const LaunchedPoint&>(point));
  visit_opened(members::Writer(opened), point);
  json.update(launched);
  json.update(opened);
}
void from_json(const Json& json, OpenedPoint& point) {
  from_json(json, static_cast<LaunchedPoint&>(point));
  visit_opened(members::Reader(json), point);
  const ObjectReader reader(json);
  reader.required("parameters", point.parameters, configuration_form);
  reader.omitted_if_empty("arguments", point.arguments, configuration_form);
}

void to_json(Json& json, const OpenedKernel& kernel) {
  visit_kernel(members::Writer(json), kernel);
}
void from_json(const Json& json, OpenedKernel& kernel) {
  visit_kernel(members::Reader(json), kernel);
}

void to_json(Json& json, const LaunchGuess& guess) {
  visit_guess(members::Writer(json), guess);
}
void from_json(const Json& json, LaunchGuess& guess) {
  visit_guess(members::Reader(json), guess);
}

void to_json(Json& json, const OpenedConstant& constant) {
  visit_constant(members::Writer(json), constant);
}
void from_json(const Json& json, OpenedConstant& constant) {
  visit_constant(members::Reader(json), constant);
}

void to_json(Json& json, const SpilledLine& line) {
  visit_spilled(members::Writer(json), line);
}
void from_json(const Json& json, SpilledLine& line) {
  visit_spilled(members::Reader(json), line);
}

void to_json(Json& json, const CodeLoop& loop) {
  visit_loop(members::Writer(json), loop);
}
void from_json(const Json& json, CodeLoop& loop) {
  visit_loop(members::Reader(json), loop);
}

void to_json(Json& json, const OpenFile::Params& params) {
  visit_open(members::Writer(json), params);
}
void from_json(const Json& json, OpenFile::Params& params) {
  visit_open(members::Reader(json), params);
}

}  // namespace tilescope
