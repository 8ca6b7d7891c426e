#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"
#include "profiler/kernels/cuda_source/value_events.hpp"

namespace tilescope {
namespace {

constexpr std::uint32_t file_end = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Evaluator::Number Evaluator::named_value(const Name& name, const Place& place) {
  const Level level(*this);
  if (level.is_too_deep()) return std::nullopt;
  const std::string full = name.name + part_text(name.field, name.axis);
  const std::string type = type_of(name.name, place);
  if (chosen_.contains(full)) return ask(full, type);
  if (name.axis == 0 && chosen_.contains(name.name)) return ask(name.name, type);
  if (const Number assumed = assumed_value(full, place)) return assumed;
  const Notes before = notes();
  bool is_found = false;
  Number found = local_value(name, place, is_found);
  if (!found && !is_found) found = template_value(name, place, is_found);
  if (!found && !is_found) found = file_value(name, place, is_found);
  if (!found && !is_found && name.name == "warpSize") found = CppNumber::of_int(32);
  if (found) return found;
  const Notes failed = notes();
  // The parts of its expression or of its argument were asked for already.
  const bool is_explained =
      failed.unknown > before.unknown && (name.axis >= 0 || is_bound_parameter(name.name, place));
  if (is_explained) return std::nullopt;
  // Parts of an expression that has no value say nothing about a value that is given in its place.
  facts_.resize(before.facts);
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
    if (event.kind == ValueEvent::assignment && event.operation != "=" &&
        is_in_ended_loop(event, place.position)) {
      is_found = true;
      return std::nullopt;
    }
    if (reached == Reach::possible) {
      possible.push_back(&event);
      continue;
    }
    is_found = true;
    if (is_zero_before_it_is_read(event, index_, place.position)) return std::nullopt;
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
  const std::string part = part_text(name.field, name.axis);
  add_fact(before,
           {name.name + part, result->text(), std::move(shown), index_.place_of_line(event.node.line())});
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

}  // namespace tilescope
