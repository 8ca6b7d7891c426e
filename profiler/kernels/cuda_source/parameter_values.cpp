#include <string>

#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/value_events.hpp"

namespace tilescope {

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
      frame && frame->call_line > 0 ? "call in " + index_.place_of_line(frame->call_line) : "";
  if (bound) {
    result = bound_value(*bound, name);
  } else if (event.value) {
    result = name.axis >= 0 ? root_component(event.value, name.axis, place_of({}))
                            : root_value(event.value, place_of({}));
    origin = "default in " + index_.place_of_line(event.node.line());
  } else if (name.name == "argc") {
    result = CppNumber::of_int(1);
    origin = "no command-line arguments";
  }
  if (result) result = result->converted_to(resolved_type(event.type, place));
  const std::string part = part_text(name.field, name.axis);
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
                          bound ? "call in " + index_.place_of_line(frame->call_line)
                                : "default in " + index_.place_of_line(parameter.line())});
      return result;
    }
  }
  return std::nullopt;
}

bool Evaluator::is_bound_parameter(const std::string& name, const Place& place) const {
  const ValueEvent* declaration = declaration_of(name, place);
  if (!declaration || declaration->kind != ValueEvent::parameter) return false;
  for (const Frame* frame = place.frame; frame; frame = frame->outer)
    if (frame->owner == declaration->scope) return frame->bindings.contains(name);
  return false;
}

}  // namespace tilescope
