#include <string>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/value_events.hpp"

namespace tilescope {

Evaluator::Number Evaluator::file_value(const Name& name, const Place& place, bool& is_found) {
  const Notes before = notes();
  if (const SourceMacro* macro = index_.macro(name.name);
      macro && !macro->has_parameters && name.field.empty()) {
    const SyntaxNode body = expressions_.parse(macro->body);
    // Its names have the values of the place where it is used.
    const Number result = name.axis >= 0 ? root_component(body, name.axis, place) : root_value(body, place);
    if (result) add_fact(before, {name.name, result->text(), macro->body, index_.place_of_line(macro->line)});
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
    if (!is_member && is_zero_of_file_that_is_read(event, index_)) return std::nullopt;
    is_found = true;
    if (const Number result = event_value(event, {last, name.field, name.axis}, place_of({}))) return result;
  }
  if (const Number result = elsewhere_value(name, place, is_found)) return result;
  const ValueEvent* declaration = declaration_of(name.name, place);
  if (is_found || !declaration || declaration->function >= 0 || name.axis < 0 ||
      !is_vector_type(declaration->type))
    return std::nullopt;
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
    if (is_zero_of_file_that_is_read(event, index_)) return std::nullopt;
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

SyntaxNode Evaluator::initializer(const std::string& name, const Place& place) const {
  const ValueEvent* const declaration = declaration_of(name, place);
  return declaration == nullptr ? SyntaxNode() : declaration->value;
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
