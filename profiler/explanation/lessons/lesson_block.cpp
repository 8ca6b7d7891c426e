#include "profiler/explanation/lessons/lesson_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/json_reader.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"
#include "sessions/shape_set.hpp"

namespace tilescope {
namespace {

void refuse_unknown_members(const Json& json, const std::vector<std::string>& known) {
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end())
      throw DocumentError("", suggest_names("there is no member '" + key + "'", key, known));
  }
}

Shape shape_from(const Json& json, Shape shape) {
  std::string sizes;
  read_value(json, sizes);
  read_shape_sizes(sizes, shape);
  return shape;
}

const std::vector<std::string> configuration_members = {"kernel", "parameters", "shape", "causal", "dtype"};

/// Members that are left out are as in `base`; another kernel begins with its own defaults.
LessonConfiguration configuration_from(const Json& json, LessonConfiguration base) {
  const ObjectReader object(json);
  std::string kernel = base.kernel;
  object.optional("kernel", kernel);
  if (kernel.empty()) throw DocumentError("", "\"kernel\" is missing");
  if (kernel != base.kernel) base.parameters.clear();
  base.kernel = kernel;
  if (const Json* parameters = object.find("parameters")) {
    for (const auto& [name, value] :
         at_place("parameters", [&] { return configuration_from_json(*parameters); }))
      base.parameters[name] = value;
  }
  if (const Json* shape = object.find("shape"))
    base.shape = at_place("shape", [&] { return shape_from(*shape, base.shape); });
  object.optional("causal", base.shape.causal);
  if (object.find("dtype") != nullptr) object.required("dtype", base.shape.dtype, data_type_from);
  return base;
}

LessonConfigure configure_from(const Json& json, std::optional<LessonConfiguration>& in_force) {
  const ObjectReader object(json);
  std::vector<std::string> members = configuration_members;
  members.emplace_back("label");
  refuse_unknown_members(json, members);
  LessonConfigure configure;
  configure.configuration = configuration_from(json, {});
  configure.label = "Set the sliders to this";
  object.optional("label", configure.label);
  in_force = configure.configuration;
  return configure;
}

LessonOpen open_from(const Json& json) {
  const ObjectReader object(json);
  refuse_unknown_members(json, {"panel", "label", "line"});
  LessonOpen open;
  object.required("panel", open.panel);
  open.label = "Open " + open.panel;
  object.optional("label", open.label);
  if (object.find("line") != nullptr) {
    std::uint64_t line = 0;
    object.required("line", line);
    if (line < 1 || line > 1000000) throw DocumentError("/line", "expected a line, from 1");
    open.line = static_cast<std::uint32_t>(line);
  }
  return open;
}

LessonStep step_from(const Json& json) {
  const ObjectReader object(json);
  refuse_unknown_members(json, {"to", "inputs", "label"});
  LessonStep step;
  object.required("to", step.target, step_target_from);
  if (object.find("inputs") != nullptr) object.required("inputs", step.inputs.emplace(), step_inputs_from);
  step.label = "Step to " + to_string(step.target);
  object.optional("label", step.label);
  return step;
}

std::vector<LessonMistake> mistakes_from(const Json& json) {
  require_list(json);
  std::vector<LessonMistake> mistakes;
  mistakes.reserve(json.size());
  for (const Json& each : json) {
    at_place(std::to_string(mistakes.size()), [&] {
      const ObjectReader object(each);
      refuse_unknown_members(each, {"when", "text"});
      LessonMistake& mistake = mistakes.emplace_back();
      object.required("when", mistake.when);
      object.required("text", mistake.text);
    });
  }
  return mistakes;
}

void read_subjects(const Json& json, const std::optional<LessonConfiguration>& in_force,
                   LessonQuestion& question) {
  if (json.is_string()) {
    if (json != "sliders") throw DocumentError("", "expected \"sliders\" or configurations by name");
    question.is_of_sliders = true;
    return;
  }
  if (!json.is_object() || json.empty())
    throw DocumentError("", "expected configurations by name, such as {\"a\": {\"kernel\": \"naive\"}}");
  question.of.clear();
  for (const auto& [name, configuration] : json.items()) {
    at_place(name, [&, &prefix = name, &value = configuration] {
      refuse_unknown_members(value, configuration_members);
      question.of[prefix] = configuration_from(value, in_force.value_or(LessonConfiguration{}));
    });
  }
}

LessonQuestion question_from(const Json& json, const std::optional<LessonConfiguration>& in_force) {
  const ObjectReader object(json);
  refuse_unknown_members(json, {"id", "ask", "answer", "unit", "tolerance", "choices", "hint", "wrong",
                                "sample_wrong", "of", "measured", "checkers"});
  LessonQuestion question;
  object.required("id", question.id);
  object.required("ask", question.ask);
  object.required("answer", question.answer);
  object.required("sample_wrong", question.sample_wrong);
  object.optional("unit", question.unit);
  object.optional("tolerance", question.tolerance);
  if (!(question.tolerance >= 0 && question.tolerance < 1))
    throw DocumentError("/tolerance", "expected a share of the answer, from 0 to below 1");
  object.optional("choices", question.choices);
  if (question.choices.size() == 1) throw DocumentError("/choices", "expected two choices or more");
  object.optional("hint", question.hint);
  if (const Json* wrong = object.find("wrong"))
    question.wrong = at_place("wrong", [&] { return mistakes_from(*wrong); });
  object.optional("measured", question.is_measured);
  object.optional("checkers", question.runs_checkers);
  if (in_force) question.of[""] = *in_force;
  if (const Json* of = object.find("of")) at_place("of", [&] { read_subjects(*of, in_force, question); });
  if (question.of.empty())
    throw DocumentError("", "no block configure stands above, and \"of\" names no configuration");
  return question;
}

LessonMuseum museum_from(const Json& json) {
  const ObjectReader object(json);
  std::vector<std::string> members = configuration_members;
  members.insert(members.end(), {"id", "edits", "exact"});
  refuse_unknown_members(json, members);
  LessonMuseum museum;
  object.required("id", museum.id);
  museum.configuration = configuration_from(json, {});
  object.optional("exact", museum.is_exact);
  const Json* edits = object.find("edits");
  if (edits == nullptr) throw DocumentError("", "\"edits\" is missing");
  require_list(*edits);
  for (const Json& each : *edits) {
    at_place("edits/" + std::to_string(museum.edits.size()), [&] {
      const ObjectReader edit(each);
      refuse_unknown_members(each, {"text", "faulty", "sound"});
      SpecimenEdit& read = museum.edits.emplace_back();
      edit.required("text", read.text);
      edit.required("faulty", read.faulty);
      edit.required("sound", read.sound);
    });
  }
  return museum;
}

}  // namespace

LessonElement read_lesson_block(const LessonBlock& block, std::optional<LessonConfiguration>& in_force) {
  LessonElement element{block.line, {}};
  const std::vector<std::string> kinds = {"configure", "open", "step", "question", "museum"};
  try {
    if (std::ranges::find(kinds, block.kind) == kinds.end())
      throw std::invalid_argument(
          suggest_names("'" + block.kind + "' is not a kind of block", block.kind, kinds));
    const Json json = parse_json(block.text);
    if (block.kind == "configure") element.content = configure_from(json, in_force);
    if (block.kind == "open") element.content = open_from(json);
    if (block.kind == "step") element.content = step_from(json);
    if (block.kind == "museum") element.content = museum_from(json);
    if (block.kind == "question") element.content = question_from(json, in_force);
  } catch (const JsonError& error) {
    element.line = block.line + error.line();
    element.content = LessonProblem{fmt::format("the block {} is not JSON: {}", block.kind, error.reason())};
  } catch (const std::exception& error) {
    element.content = LessonProblem{fmt::format("block {}: {}", block.kind, error.what())};
  }
  return element;
}

}  // namespace tilescope
