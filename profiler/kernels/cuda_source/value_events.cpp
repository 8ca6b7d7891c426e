#include "profiler/kernels/cuda_source/value_events.hpp"

#include <algorithm>

namespace tilescope {
namespace {

std::string axis_name(int axis) {
  return axis == 0 ? "x" : axis == 1 ? "y" : "z";
}

/// Nodes between an event and the first one around it that encloses a place, from the inside.
template <typename Test>
bool any_between(const ValueEvent& event, std::uint32_t position, const Test& test) {
  constexpr int max_steps = 300;
  SyntaxNode node = event.node;
  for (int steps = 0; steps < max_steps && node && !node.encloses(position); ++steps, node = node.parent())
    if (test(node)) return true;
  return false;
}

}  // namespace

std::string part_text(const std::string& field, int axis) {
  if (!field.empty()) return "." + field;
  return axis >= 0 ? "." + axis_name(axis) : "";
}

bool declares(const ValueEvent& event) {
  return event.kind == ValueEvent::declaration || event.kind == ValueEvent::parameter ||
         event.kind == ValueEvent::range_loop || event.kind == ValueEvent::enumerator;
}

bool precedes(const ValueEvent& event, std::uint32_t position) {
  if (event.kind == ValueEvent::parameter) return event.scope.encloses(position);
  if (declares(event) && !event.scope.encloses(position)) return false;
  return (event.kind == ValueEvent::range_loop ? event.value.end() : event.node.end()) <= position;
}

bool has_wanted_part(const ValueEvent& event, const std::string& field, int axis) {
  if (declares(event)) return true;
  if (!field.empty()) return event.field == field;
  return event.field.empty() || (axis >= 0 && event.field == axis_name(axis));
}

bool is_in_other_branch(const ValueEvent& event, std::uint32_t position) {
  return any_between(event, position, [](const SyntaxNode& node) {
    return node.is("preproc_else") || node.is("preproc_elif");
  });
}

bool is_in_ended_loop(const ValueEvent& event, std::uint32_t position) {
  return any_between(event, position, [](const SyntaxNode& node) {
    return node.is("for_statement") || node.is("while_statement") || node.is("do_statement") ||
           node.is("for_range_loop");
  });
}

bool is_set_to_zero(const ValueEvent& event) {
  const bool gives_value = event.kind == ValueEvent::declaration || event.kind == ValueEvent::assignment;
  return gives_value && event.value.source() == "0";
}

bool is_zero_before_it_is_read(const ValueEvent& event, const SourceIndex& index, std::uint32_t position) {
  if (!is_set_to_zero(event)) return false;
  for (const std::size_t i : index.events_of(event.name)) {
    const ValueEvent& other = index.events()[i];
    if (other.kind == ValueEvent::address_taken && other.function == event.function &&
        other.node.begin() > event.node.begin() && other.node.end() <= position)
      return true;
  }
  return false;
}

bool is_zero_of_file_that_is_read(const ValueEvent& event, const SourceIndex& index) {
  if (!is_set_to_zero(event)) return false;
  const auto& events = index.events_of(event.name);
  return std::any_of(events.begin(), events.end(),
                     [&](std::size_t i) { return index.events()[i].kind == ValueEvent::address_taken; });
}

std::string shown_part(const SyntaxNode& value, int axis) {
  const SyntaxNode list = value.is("call_expression") ? value.child("arguments") : value;
  const bool is_list = list.is("argument_list") || list.is("initializer_list") || list.is("parameter_list");
  const auto elements = list.operands();
  if (axis < 0 || !is_list || elements.empty()) return value.text();
  if (elements.size() == 1 && axis > 0) return elements[0].is("identifier") ? value.text() : "1 by default";
  return static_cast<std::size_t>(axis) < elements.size() ? elements[static_cast<std::size_t>(axis)].text()
                                                          : "1 by default";
}

}  // namespace tilescope
