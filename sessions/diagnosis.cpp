#include "sessions/diagnosis.hpp"

#include "sessions/enum_names.hpp"
#include "sessions/json_reader.hpp"

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

void to_json(Json& json, const Diagnosis& diagnosis) {
  json = Json{{"kind", diagnosis.kind},
              {"severity", to_string(diagnosis.severity)},
              {"lines", diagnosis.lines},
              {"text", diagnosis.text},
              {"evidence", text_or_null(diagnosis.evidence)},
              {"repair", text_or_null(diagnosis.repair)},
              {"inlined_place", text_or_null(diagnosis.inlined_place)},
              {"cost_us", number_or_null(diagnosis.cost_us)}};
}

void from_json(const Json& json, Diagnosis& diagnosis) {
  const ObjectReader object(json);
  object.required("kind", diagnosis.kind);
  object.required("severity", diagnosis.severity, severity_from);
  object.required("lines", diagnosis.lines, any_count);
  object.required("text", diagnosis.text);
  object.optional("evidence", diagnosis.evidence);
  object.optional("repair", diagnosis.repair);
  object.optional("inlined_place", diagnosis.inlined_place);
  object.optional("cost_us", diagnosis.cost_us, any_figure);
}

}  // namespace tilescope
