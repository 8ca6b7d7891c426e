#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"

namespace tilescope {
namespace {

constexpr std::uint32_t file_end = std::numeric_limits<std::uint32_t>::max();

std::string axis_name(int axis) {
  return axis == 0 ? "x" : axis == 1 ? "y" : "z";
}

bool declares(const ValueEvent& event) {
  return event.kind == ValueEvent::declaration || event.kind == ValueEvent::parameter ||
         event.kind == ValueEvent::range_loop || event.kind == ValueEvent::enumerator;
}

/// Whether an event comes before a place of its function and is visible there.
bool precedes(const ValueEvent& event, std::uint32_t position) {
  if (event.kind == ValueEvent::parameter) return event.scope.encloses(position);
  if (declares(event) && !event.scope.encloses(position)) return false;
  return (event.kind == ValueEvent::range_loop ? event.value.end() : event.node.end()) <= position;
}

/// Whether an event is in an #else or #elif that a place is not in.
bool is_in_other_branch(const ValueEvent& event, std::uint32_t position) {
  SyntaxNode node = event.node;
  for (int steps = 0; steps < 300 && node && !node.encloses(position); ++steps, node = node.parent())
    if (node.is("preproc_else") || node.is("preproc_elif")) return true;
  return false;
}

bool is_in_ended_loop(const ValueEvent& event, std::uint32_t position) {
  SyntaxNode node = event.node;
  for (int steps = 0; steps < 300 && node && !node.encloses(position); ++steps, node = node.parent())
    if (node.is("for_statement") || node.is("while_statement") || node.is("do_statement") ||
        node.is("for_range_loop"))
      return true;
  return false;
}

/// The element of a list that is a component: what a reason shows.
std::string shown_part(const SyntaxNode& value, int axis) {
  const SyntaxNode list = value.is("call_expression") ? value.child("arguments") : value;
  const bool is_list = list.is("argument_list") || list.is("initializer_list") || list.is("parameter_list");
  const auto elements = list.operands();
  if (axis < 0 || !is_list || elements.empty()) return value.text();
  if (elements.size() == 1 && axis > 0) return elements[0].is("identifier") ? value.text() : "1 by default";
  return static_cast<std::size_t>(axis) < elements.size() ? elements[static_cast<std::size_t>(axis)].text()
                                                          : "1 by default";
}

bool has_wanted_part(const ValueEvent& event, const std::string& field, int axis) {
  if (declares(event)) return true;
  if (!field.empty()) return event.field == field;
  return event.field.empty() || (axis >= 0 && event.field == axis_name(axis));
}

}  // namespace

Evaluator::Number Evaluator::named_value(const Name& name, const Place& place) {
  const Level level(*this);
  if (level.is_too_deep()) return std::nullopt;
  std::string full = name.name;
  if (!name.field.empty()) full += "." + name.field;
  if (name.axis >= 0) full += "." + axis_name(name.axis);
  const std::string type = type_of(name.name, place);
  if (chosen_.contains(full)) return ask(full, type);
  if (name.axis == 0 && chosen_.contains(name.name)) return ask(name.name, type);
  const Notes before = notes();
  bool is_found = false;
  Number found = local_value(name, place, is_found);
  if (!found && !is_found) found = template_value(name, place, is_found);
  if (!found && !is_found) found = file_value(name, place, is_found);
  if (!found && !is_found && name.name == "warpSize") found = CppNumber::of_int(32);
  if (found) return found;
  const Notes failed = notes();
  // A component has the value of its expression, a bound parameter that of its argument: that is what is asked for.
  const bool is_explained =
      failed.unknown > before.unknown && (name.axis >= 0 || is_bound_parameter(name.name, place));
  if (is_explained) return std::nullopt;
  if (const Number given = ask(full, type)) {
    unknown_.resize(before.unknown);
    return given;
  }
  if (failed.unknown == before.unknown) unknown_.push_back(full);
  return std::nullopt;
}

Evaluator::Number Evaluator::local_value(const Name& name, const Place& place, bool& is_found) {
  if (!place.frame || place.frame->function < 0) return std::nullopt;
  const auto& indices = index_.events_of(name.name);
  std::vector<const ValueEvent*> possible, others;
  const Notes before = notes();
  for (auto i = indices.rbegin(); i != indices.rend(); ++i) {
    const ValueEvent& event = index_.events()[*i];
    if (event.function != place.frame->function || event.kind == ValueEvent::address_taken ||
        event.kind == ValueEvent::member || !precedes(event, place.position) ||
        !has_wanted_part(event, name.field, name.axis))
      continue;
    if (is_in_other_branch(event, place.position)) {
      others.push_back(&event);
      continue;
    }
    const Reach reached = declares(event) ? Reach::certain : reach(event.node, place);
    if (reached == Reach::never) continue;
    if (reached == Reach::possible) {
      is_found |= event.operation != "=" && is_in_ended_loop(event, place.position);
      if (is_found) return std::nullopt;
      possible.push_back(&event);
      continue;
    }
    is_found = declares(event);
    if (const Number result = event_value(event, name, place)) return result;
    if (!declares(event) || event.value || event.kind == ValueEvent::parameter) return std::nullopt;
    break;
  }
  possible.insert(possible.begin(), others.begin(), others.end());
  for (auto event = possible.rbegin(); event != possible.rend(); ++event) {
    restore(before);
    is_found |= declares(**event);
    if (const Number result = event_value(**event, name, place)) return result;
  }
  return std::nullopt;
}

Evaluator::Number Evaluator::event_value(const ValueEvent& event, const Name& name, const Place& place) {
  const Level level(*this);
  if (level.is_too_deep()) return std::nullopt;
  if (event.kind == ValueEvent::parameter) return parameter_value(event, name, place);
  const Notes before = notes();
  const Place inner{place.frame, event.function < 0 ? file_end
                                 : event.value      ? event.value.begin()
                                                    : event.node.begin()};
  Number result;
  std::string shown = shown_part(event.value, name.axis);
  if (event.kind == ValueEvent::assignment) {
    result = assigned_value(event, name, inner);
    if (event.operation != "=") shown.clear();
  } else if (event.kind == ValueEvent::enumerator) {
    result = enumerator_value(event);
  } else if (event.kind == ValueEvent::range_loop) {
    const ValueEvent* array =
        event.value.is("identifier") ? declaration_of(event.value.text(), inner) : nullptr;
    const auto elements = (array ? array->value : event.value).operands();
    if (!elements.empty())
      result =
          name.axis >= 0 ? root_component(elements[0], name.axis, inner) : root_value(elements[0], inner);
  } else if (!event.value) {
    if (name.axis >= 0 && is_vector_type(resolved_type(event.type, place))) result = CppNumber::of_int(1);
  } else if (!event.is_array && name.field.empty()) {
    result = name.axis >= 0 ? root_component(event.value, name.axis, inner) : root_value(event.value, inner);
  }
  const ValueEvent* declaration =
      declares(event) || event.function < 0 ? &event : declaration_of(name.name, inner);
  if (result && declaration && name.field.empty())
    result = result->converted_to(resolved_type(declaration->type, place));
  if (!result) return std::nullopt;
  const std::string part = !name.field.empty() ? "." + name.field
                           : name.axis >= 0    ? "." + axis_name(name.axis)
                                               : "";
  add_fact(before,
           {name.name + part, result->text(), std::move(shown), "line " + std::to_string(event.node.line())});
  return result;
}

Evaluator::Number Evaluator::assigned_value(const ValueEvent& event, const Name& name, const Place& inner) {
  const bool is_component = name.axis >= 0 && event.field.empty();
  if (event.operation == "=")
    return is_component ? root_component(event.value, name.axis, inner) : root_value(event.value, inner);
  const Number old = named_value(name, {inner.frame, event.node.begin()});
  if (!old) return std::nullopt;
  if (!event.value) return combine(*old, event.operation.substr(0, 1), CppNumber::of_int(1));
  const Number operand = root_value(event.value, inner);
  return operand ? combine(*old, event.operation.substr(0, event.operation.size() - 1), *operand)
                 : std::nullopt;
}

Evaluator::Number Evaluator::enumerator_value(const ValueEvent& event) {
  const Level level(*this);
  if (level.is_too_deep()) return std::nullopt;
  if (event.value) return root_value(event.value, place_of({}));
  std::int64_t count = 0;
  const auto all = event.node.parent().operands();
  for (auto node = std::find(all.begin(), all.end(), event.node); node != all.begin(); ++count) {
    --node;
    if (!node->child("value")) continue;
    const Number first = root_value(node->child("value"), place_of({}));
    return first ? combine(*first, "+", CppNumber::of_int(count + 1)) : std::nullopt;
  }
  return CppNumber::of_int(count);
}

Evaluator::Number Evaluator::bound_value(const Bound& bound, const Name& name) {
  if (name.axis >= 0) return root_component(bound.value, name.axis, bound.place);
  if (name.field.empty()) return root_value(bound.value, bound.place);
  return bound.value.is("identifier") ? named_value({bound.value.text(), name.field, -1}, bound.place)
                                      : std::nullopt;
}

Evaluator::Number Evaluator::parameter_value(const ValueEvent& event, const Name& name, const Place& place) {
  const Frame* frame = place.frame;
  while (frame && !(frame->owner == event.scope)) frame = frame->outer;
  const Notes before = notes();
  const Bound* bound = frame ? binding(*frame, name.name) : nullptr;
  Number result;
  std::string origin =
      frame && frame->call_line > 0 ? "call in line " + std::to_string(frame->call_line) : "";
  if (bound) {
    result = bound_value(*bound, name);
  } else if (event.value) {
    result = name.axis >= 0 ? root_component(event.value, name.axis, place_of({}))
                            : root_value(event.value, place_of({}));
    origin = "default in line " + std::to_string(event.node.line());
  } else if (name.name == "argc") {
    result = CppNumber::of_int(1);
    origin = "no command-line arguments";
  }
  if (result) result = result->converted_to(resolved_type(event.type, place));
  const std::string part = !name.field.empty() ? "." + name.field
                           : name.axis >= 0    ? "." + axis_name(name.axis)
                                               : "";
  if (result && !origin.empty())
    add_fact(before,
             {name.name + part, result->text(), bound ? bound->value.text() : event.value.text(), origin});
  return result;
}

Evaluator::Number Evaluator::template_value(const Name& name, const Place& place, bool& is_found) {
  for (const Frame* frame = place.frame; frame; frame = frame->outer) {
    if (frame->function < 0) continue;
    const auto& function = index_.functions()[static_cast<std::size_t>(frame->function)];
    for (const SyntaxNode& parameter : function.template_parameters.operands()) {
      if (declared_name(parameter.child("declarator")).source() != name.name) continue;
      is_found = true;
      const Notes before = notes();
      const Bound* bound = binding(*frame, name.name);
      const SyntaxNode by_default = parameter.child("default_value");
      const Number result = bound ? bound_value(*bound, name) : root_value(by_default, place_of({}));
      if (result && (frame->call_line > 0 || !bound))
        add_fact(before, {name.name, result->text(), (bound ? bound->value : by_default).text(),
                          bound ? "call in line " + std::to_string(frame->call_line)
                                : "default in line " + std::to_string(parameter.line())});
      return result;
    }
  }
  return std::nullopt;
}

Evaluator::Number Evaluator::file_value(const Name& name, const Place& place, bool& is_found) {
  const Notes before = notes();
  if (const SourceMacro* macro = index_.macro(name.name);
      macro && !macro->has_parameters && name.field.empty()) {
    const SyntaxNode body = expressions_.parse(macro->body);
    // Its names have the values of the place where it is used.
    const Number result = name.axis >= 0 ? root_component(body, name.axis, place) : root_value(body, place);
    if (result)
      add_fact(before, {name.name, result->text(), macro->body, "line " + std::to_string(macro->line)});
    if (body) is_found = true;
    return result;
  }
  const std::size_t behind = name.name.rfind("::");
  const std::string last = behind == std::string::npos ? name.name : name.name.substr(behind + 2);
  const std::string scope = behind == std::string::npos ? "" : name.name.substr(0, behind);
  for (const std::size_t i : index_.events_of(last)) {
    const ValueEvent& event = index_.events()[i];
    const bool is_member =
        event.kind == ValueEvent::member && (scope.empty() || scope.ends_with(event.owner));
    if (!is_member && (event.function >= 0 || !declares(event) || event.kind == ValueEvent::parameter))
      continue;
    if (!event.value && event.kind != ValueEvent::enumerator) continue;
    is_found = true;
    if (const Number result = event_value(event, {last, name.field, name.axis}, place_of({}))) return result;
  }
  if (const Number result = elsewhere_value(name, place, is_found)) return result;
  const ValueEvent* declaration = declaration_of(name.name, place);
  if (is_found || !declaration || name.axis < 0 || !is_vector_type(declaration->type)) return std::nullopt;
  return CppNumber::of_int(1);
}

/// The first value that another function gives a variable of the file or a member of a class.
Evaluator::Number Evaluator::elsewhere_value(const Name& name, const Place& place, bool& is_found) {
  for (const std::size_t i : index_.events_of(name.name)) {
    const ValueEvent& event = index_.events()[i];
    if (event.kind != ValueEvent::assignment || event.operation != "=" || event.function < 0 ||
        event.function == place.frame->function || !has_wanted_part(event, name.field, name.axis))
      continue;
    const Place there = place_of(event.node);
    const ValueEvent* declaration = declaration_of(name.name, there);
    if (declaration && declaration->function >= 0) continue;
    const Notes before = notes();
    if (const Number result = event_value(event, name, there)) return result;
    is_found |= unknown_.size() > before.unknown;
    if (is_found) return std::nullopt;
  }
  return std::nullopt;
}

const ValueEvent* Evaluator::declaration_of(const std::string& name, const Place& place) const {
  const auto& indices = index_.events_of(name);
  for (auto i = indices.rbegin(); place.frame && i != indices.rend(); ++i) {
    const ValueEvent& event = index_.events()[*i];
    if (event.function == place.frame->function && declares(event) && precedes(event, place.position))
      return &event;
  }
  for (const std::size_t i : indices) {
    const ValueEvent& event = index_.events()[i];
    if (event.function < 0 && event.kind == ValueEvent::declaration) return &event;
  }
  return nullptr;
}

bool Evaluator::is_bound_parameter(const std::string& name, const Place& place) const {
  const ValueEvent* declaration = declaration_of(name, place);
  if (!declaration || declaration->kind != ValueEvent::parameter) return false;
  for (const Frame* frame = place.frame; frame; frame = frame->outer)
    if (frame->owner == declaration->scope) return frame->bindings.contains(name);
  return false;
}

std::string Evaluator::type_of(const std::string& name, const Place& place) const {
  if (const ValueEvent* declaration = declaration_of(name, place)) return declaration->type;
  for (const Frame* frame = place.frame; frame; frame = frame->outer) {
    if (frame->function < 0) continue;
    const auto& function = index_.functions()[static_cast<std::size_t>(frame->function)];
    for (const SyntaxNode& parameter : function.template_parameters.operands())
      if (declared_name(parameter.child("declarator")).source() == name)
        return parameter.child("type").text();
  }
  return "";
}

SyntaxNode Evaluator::lambda_of(const std::string& name, const Place& place) const {
  const ValueEvent* declaration = declaration_of(name, place);
  return declaration && declaration->value.is("lambda_expression") ? declaration->value : SyntaxNode();
}

}  // namespace tilescope
