#include <fmt/format.h>

#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

std::string list_words(const std::vector<ParameterValue>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? " and " : ", ";
    text += to_string(values[i]);
  }
  return text;
}

Diagnosis diagnosis_of(const EqualValues& equal, const Measurement& point) {
  const std::string here = to_string(point.parameters.at(equal.parameter));
  const std::string hash = point.resources ? point.resources->sass_sha256.substr(0, 12) : "";
  Diagnosis diagnosis{"dead_knob", Severity::hint, {}, "", "", ""};
  diagnosis.is_major = equal.are_all;
  diagnosis.text =
      equal.are_all
          ? fmt::format("{} has no effect: no other valid value changes the machine code or the launch.",
                        equal.parameter)
          : fmt::format("{} = {} makes the same program as {} = {}.", equal.parameter,
                        list_words(equal.values), equal.parameter, here);
  diagnosis.evidence = fmt::format(
      "{} = {} and {} compile to machine code {} with the same grid, threads, shared memory and "
      "arguments.",
      equal.parameter, here, list_words(equal.values), hash);
  diagnosis.repair = equal.are_all ? "Read the parameter in the code, or delete it; do not rank its values."
                                   : "Do not rank these values: a difference between them is noise.";
  return diagnosis;
}

std::vector<Diagnosis> find_dead_knob(const DiagnosisInput& input) {
  std::vector<Diagnosis> diagnoses;
  for (const EqualValues& equal : input.equal_values) {
    if (equal.values.empty() || !input.point.parameters.contains(equal.parameter)) continue;
    diagnoses.push_back(diagnosis_of(equal, input.point));
  }
  return diagnoses;
}

const RegisterRule register_dead_knob{{.kind = "dead_knob", .place = 5, .find = find_dead_knob}};

}  // namespace
}  // namespace tilescope
