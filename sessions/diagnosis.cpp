#include "sessions/diagnosis.hpp"

#include "base/enum_names.hpp"
#include "base/object_writer.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<Severity, 3> severity_names{
    {{Severity::fault, "fault"}, {Severity::cost, "cost"}, {Severity::hint, "hint"}}};

}  // namespace

std::string to_string(Severity severity) {
  return name_of(severity, severity_names);
}

Severity severity_from(const std::string& text) {
  return value_of(text, severity_names, "severity");
}

constexpr auto diagnosis_members = [](const auto& object, auto& diagnosis) {
  object.required("kind", diagnosis.kind);
  object.required("severity", diagnosis.severity, severity_from);
  object.required("lines", diagnosis.lines, any_count);
  object.required("text", diagnosis.text);
  object.optional("evidence", diagnosis.evidence);
  object.optional("repair", diagnosis.repair);
  object.optional("inlined_place", diagnosis.inlined_place);
  object.optional("cost_us", diagnosis.cost_us, any_figure);
};

void to_json(Json& json, const Diagnosis& diagnosis) {
  diagnosis_members(ObjectWriter(json), diagnosis);
}

void from_json(const Json& json, Diagnosis& diagnosis) {
  diagnosis_members(ObjectReader(json), diagnosis);
}

}  // namespace tilescope
