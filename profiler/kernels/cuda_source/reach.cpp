#include <optional>

#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"

namespace tilescope {

/// Whether a node is executed before a place of its function. A loop is in its first iteration.
Evaluator::Reach Evaluator::reach(const SyntaxNode& node, const Place& place) {
  const Level level(*this);
  if (level.is_too_deep()) return Reach::possible;
  Reach result = Reach::certain;
  SyntaxNode inside = node;
  for (int steps = 0; steps < 300; ++steps) {
    const SyntaxNode above = inside.parent();
    if (!above || above.is("function_definition")) return result;
    const Reach one = branch(above, inside, place);
    if (one == Reach::never) return one;
    if (one == Reach::possible) result = one;
    if (above.encloses(place.position)) return result;
    inside = above;
  }
  return Reach::possible;
}

/// Result of one step upwards: `inside` is a child of `above`.
Evaluator::Reach Evaluator::branch(const SyntaxNode& above, const SyntaxNode& inside, const Place& place) {
  const std::string_view field = inside.field();
  if (inside.is("case_statement") && !inside.encloses(place.position)) {
    const SyntaxNode around = above.encloses(place.position) ? above : SyntaxNode();
    return around ? Reach::never : case_reach(inside, place);
  }
  if (above.is("if_statement") && (field == "consequence" || field == "alternative")) {
    const SyntaxNode other = above.child(field == "consequence" ? "alternative" : "consequence");
    if (other.encloses(place.position)) return Reach::never;
    const auto is_true = condition(above.child("condition"), place);
    if (!is_true) return Reach::possible;
    return *is_true == (field == "consequence") ? Reach::certain : Reach::never;
  }
  const bool is_loop = above.is("for_statement") || above.is("while_statement") || above.is("for_range_loop");
  if (is_loop && field == "update") return above.encloses(place.position) ? Reach::never : Reach::possible;
  if (is_loop && field == "body" && !above.encloses(place.position)) return Reach::possible;
  if (above.is("lambda_expression") && !above.encloses(place.position)) return Reach::never;
  if (above.is("catch_clause")) return Reach::never;
  return Reach::certain;
}

/// A condition's value before it is executed, none where it is not known. What it lacks is not asked for as a value.
std::optional<bool> Evaluator::condition(const SyntaxNode& node, const Place& place) {
  const SyntaxNode expression = node.child("value") ? node.child("value") : node;
  const Notes before = notes();
  // A snippet of a macro or of a repaired expression has no position in the file.
  const bool is_in_file = place.frame && place.frame->owner && &place.frame->owner.tree() == &node.tree();
  const Number value = root_value(expression, {place.frame, is_in_file ? node.begin() : place.position});
  // Why a value was taken is not part of its reason, but for the arguments of the program.
  const bool is_by_arguments = value && facts_.size() > before.facts && facts_.back().name == "argc";
  const Fact arguments = is_by_arguments ? facts_.back() : Fact();
  restore(before);
  if (is_by_arguments) facts_.push_back(arguments);
  return value ? std::optional(value->is_true()) : std::nullopt;
}

void Evaluator::assume_reached(const SyntaxNode& node, const Place& place) {
  constexpr int most_steps = 300;
  SyntaxNode inside = node;
  for (int steps = 0; steps < most_steps; ++steps) {
    const SyntaxNode above = inside.parent();
    if (!above || above.is("function_definition") || above.is("lambda_expression")) return;
    if (inside.is("case_statement")) {
      const SyntaxNode choice = ancestor(inside, {"switch_statement"});
      assume_equal(choice.child("condition").child("value"), inside.child("value"), place);
    } else if (above.is("if_statement") && inside.field() == "consequence") {
      const SyntaxNode condition = above.child("condition");
      const SyntaxNode comparison = condition.child("value") ? condition.child("value") : condition;
      if (comparison.is("binary_expression") && comparison.child("operator").source() == "==") {
        assume_equal(comparison.child("left"), comparison.child("right"), place);
        assume_equal(comparison.child("right"), comparison.child("left"), place);
      }
    }
    inside = above;
  }
}

void Evaluator::assume_equal(SyntaxNode name, const SyntaxNode& number, const Place& place) {
  while (name.is("parenthesized_expression") && name.operands().size() == 1) name = name.operands()[0];
  if (!name.is("identifier") || !number) return;
  const Notes before = notes();
  const Number value = root_value(number, place);
  const bool is_known = value && unknown_.size() == before.unknown;
  restore(before);
  if (is_known) assumed_.try_emplace(name.text(), Assumed{*value, place.frame, number.line()});
}

Evaluator::Number Evaluator::assumed_value(const std::string& name, const Place& place) {
  const auto found = assumed_.find(name);
  if (found == assumed_.end() || found->second.frame != place.frame) return std::nullopt;
  const CppNumber& value = found->second.value;
  add_fact(notes(),
           {name, value.text(), "", "the launch's case in line " + std::to_string(found->second.line)});
  return value;
}

Evaluator::Reach Evaluator::case_reach(const SyntaxNode& one_case, const Place& place) {
  const SyntaxNode choice = ancestor(one_case, {"switch_statement"});
  const Notes before = notes();
  const Place inner{place.frame, choice.begin()};
  const SyntaxNode label = one_case.child("value");
  const Number chosen = root_value(choice.child("condition").child("value"), inner);
  const Number value = label ? root_value(label, inner) : std::nullopt;
  restore(before);
  if (!label || !chosen || !value) return Reach::possible;
  return chosen->value() == value->value() ? Reach::certain : Reach::never;
}

}  // namespace tilescope
