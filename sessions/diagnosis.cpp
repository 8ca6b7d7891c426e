#include "sessions/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/enum_names.hpp"
#include "base/object_writer.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<Severity, 3> severity_names{
    {{Severity::fault, "fault"}, {Severity::cost, "cost"}, {Severity::hint, "hint"}}};

// Kinds of which older programs called large costs faults.
constexpr std::array<std::string_view, 9> former_faults{
    "bank_conflicts",       "divergence",   "idle_warps", "needless_barriers", "no_staging",
    "serialised_dimension", "small_blocks", "spills",     "uncoalesced"};

void correct_severity(Diagnosis& diagnosis) {
  if (diagnosis.severity != Severity::fault) return;
  const bool is_dead_knob = diagnosis.kind == "dead_knob";
  if (!is_dead_knob && std::ranges::find(former_faults, diagnosis.kind) == former_faults.end()) return;
  diagnosis.severity = is_dead_knob ? Severity::hint : Severity::cost;
  diagnosis.is_major = true;
}

}  // namespace

int rank_of(const Diagnosis& diagnosis) {
  if (diagnosis.severity == Severity::fault) return 0;
  if (diagnosis.is_major) return 1;
  return diagnosis.severity == Severity::cost ? 2 : 3;
}

std::string note_on_savings(const std::vector<Diagnosis>& diagnoses) {
  const auto savings =
      std::ranges::count_if(diagnoses, [](const Diagnosis& one) { return one.saving.has_value(); });
  if (savings < 2) return "";
  return "Each saving is predicted with that cause alone removed: they overlap, and do not add up.";
}

std::string to_string(Severity severity) {
  return name_of(severity, severity_names);
}

Severity severity_from(const std::string& text) {
  return value_of(text, severity_names, "severity");
}

constexpr auto saving_members = [](const auto& object, auto& saving) {
  object.required("us", saving.us, any_figure);
  object.required("low_us", saving.low_us, any_figure);
  object.required("high_us", saving.high_us, any_figure);
};

void to_json(Json& json, const Saving& saving) {
  saving_members(ObjectWriter(json), saving);
}

void from_json(const Json& json, Saving& saving) {
  saving_members(ObjectReader(json), saving);
  require_ascending({{"low_us", saving.low_us}, {"us", saving.us}, {"high_us", saving.high_us}});
}

constexpr auto diagnosis_members = [](const auto& object, auto& diagnosis) {
  object.required("kind", diagnosis.kind);
  object.required("severity", diagnosis.severity, severity_from);
  object.required("lines", diagnosis.lines, any_count);
  object.required("text", diagnosis.text);
  object.optional("evidence", diagnosis.evidence);
  object.optional("repair", diagnosis.repair);
  object.optional("inlined_place", diagnosis.inlined_place);
  object.omitted_if_empty("saving", diagnosis.saving);
  object.optional("major", diagnosis.is_major);
};

void to_json(Json& json, const Diagnosis& diagnosis) {
  diagnosis_members(ObjectWriter(json), diagnosis);
}

void from_json(const Json& json, Diagnosis& diagnosis) {
  diagnosis_members(ObjectReader(json), diagnosis);
  correct_severity(diagnosis);
}

}  // namespace tilescope
