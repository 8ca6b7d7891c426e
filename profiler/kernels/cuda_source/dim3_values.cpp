#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 3> axes = {"x", "y", "z"};

bool makes_vector(const std::string& function) {
  return is_vector_type(function) || (function.starts_with("make_") && is_vector_type(function.substr(5)));
}

}  // namespace

Evaluator::Number Evaluator::root_component(const SyntaxNode& node, int axis, const Place& place) {
  return component_value(
      expressions_.without_false_casts(node, [&](const std::string& name) { return is_type(name); }), axis,
      place);
}

Evaluator::Number Evaluator::component_value(const SyntaxNode& node, int axis, const Place& place) {
  const Level level(*this);
  if (!node || level.is_too_deep()) return std::nullopt;
  const std::string_view type = node.type();
  if (type == "identifier") return named_component(node, axis, place);
  if (type == "type_descriptor") return component_value(node.child("type"), axis, place);
  if (type == "conditional_expression") return conditional_value(node, place, &axis);
  if (type == "call_expression") {
    const SyntaxNode function = node.child("function");
    if (makes_vector(short_name_of(function))) return list_component(node.child("arguments"), axis, place);
    return call_value(node, place, &axis);
  }
  if (type == "compound_literal_expression") return list_component(node.child("value"), axis, place);
  if (type == "cast_expression") return component_value(node.child("value"), axis, place);
  if (type == "argument_list" || type == "initializer_list" || type == "parameter_list" ||
      type == "parenthesized_expression")
    return list_component(node, axis, place);
  return axis == 0 ? value(node, place) : CppNumber::of_int(1);
}

/// A list with one element has the components of that element: dim3 grid(other).
Evaluator::Number Evaluator::list_component(const SyntaxNode& list, int axis, const Place& place) {
  const auto elements = list.operands();
  const auto index = static_cast<std::size_t>(axis);
  const bool is_vector = !list.is("parenthesized_expression") && elements.size() > 1;
  if (index >= elements.size() && elements.size() != 1)
    return list.is("initializer_list") || axis > 0 ? Number(CppNumber::of_int(axis > 0 ? 1 : 0))
                                                   : std::nullopt;
  SyntaxNode element = is_vector ? elements[index] : elements[0];
  // "dim3 grid(M, N)" is read as a function with parameters of the types M and N.
  if (element.is("parameter_declaration")) element = expressions_.parse(element.text());
  if (is_vector || axis == 0) {
    // The x of "dim3 grid(other)", and the value of "int n(other)".
    return !is_vector && element.is("identifier") && is_vector_type(type_of(element.text(), place))
               ? component_value(element, axis, place)
               : value(element, place);
  }
  return component_value(element, axis, place);
}

Evaluator::Number Evaluator::named_component(const SyntaxNode& node, int axis, const Place& place) {
  const std::string name = node.text();
  const std::string type = resolved_type(type_of(name, place), place);
  // A name that the file does not declare is a number of a header if it is written as a macro is.
  const bool is_macro =
      std::none_of(name.begin(), name.end(), [](unsigned char letter) { return std::islower(letter); });
  if (type.empty() && is_macro && !index_.macro(name) && index_.events_of(name).empty())
    return axis == 0 ? value(node, place) : CppNumber::of_int(1);
  const bool may_be_vector = type.empty() || is_vector_type(type) || !arithmetic_type(type);
  if (may_be_vector) return named_value({name, "", axis}, place);
  return axis == 0 ? value(node, place) : CppNumber::of_int(1);
}

/// A member of a variable: the x of a dim3, a member that the file assigns, or the default of its class.
Evaluator::Number Evaluator::field_value(const SyntaxNode& node, const Place& place) {
  const SyntaxNode object = node.child("argument");
  const std::string field = node.child("field").text();
  const auto axis = std::find(axes.begin(), axes.end(), field);
  if (!object.is("identifier") || chosen_.contains(node.text())) return opaque(node, place);
  const std::string type = plain_type(resolved_type(type_of(object.text(), place), place));
  if (axis != axes.end() && (is_vector_type(type) || type == "auto"))
    return named_value({object.text(), "", static_cast<int>(axis - axes.begin())}, place);
  const Notes before = notes();
  bool is_found = false;
  if (const Number local = local_value({object.text(), field, -1}, place, is_found)) return local;
  restore(before);
  for (const std::size_t i : index_.events_of(field)) {
    const ValueEvent& event = index_.events()[i];
    if (event.kind != ValueEvent::member || event.owner != type || !event.value) continue;
    if (const Number member = event_value(event, {field, "", -1}, place_of({}))) return member;
    restore(before);
  }
  return opaque(node, place);
}

}  // namespace tilescope
