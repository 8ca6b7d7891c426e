#include <algorithm>
#include <cmath>
#include <cstddef>
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
      assume_holds(above.child("condition"), true, place, 0);
    } else if (above.is("if_statement") && inside.field() == "alternative") {
      assume_holds(above.child("condition"), false, place, 0);
    }
    inside = above;
  }
}

/// Takes it that a condition has this value.
void Evaluator::assume_holds(SyntaxNode condition, bool is_true, const Place& place, int depth) {
  constexpr int most_depth = 20;
  if (depth > most_depth) return;
  if (condition.child("value")) condition = condition.child("value");
  while (condition.is("parenthesized_expression") && condition.operands().size() == 1)
    condition = condition.operands()[0];
  const std::string_view operation = condition.child("operator").source();
  if (condition.is("unary_expression") && operation == "!")
    return assume_holds(condition.child("argument"), !is_true, place, depth + 1);
  if (!condition.is("binary_expression")) return;
  const SyntaxNode left = condition.child("left"), right = condition.child("right");
  if (operation == (is_true ? "&&" : "||")) {
    assume_holds(left, is_true, place, depth + 1);
    assume_holds(right, is_true, place, depth + 1);
  } else if (operation == (is_true ? "==" : "!=")) {
    assume_equal(left, right, place);
    assume_equal(right, left, place);
  } else if (operation == "<" || operation == "<=" || operation == ">" || operation == ">=") {
    const bool is_less = (operation[0] == '<') == is_true;
    const bool is_strict = (operation.size() == 1) == is_true;
    assume_limit(left, right, {is_less, is_strict}, place);
    assume_limit(right, left, {!is_less, is_strict}, place);
  }
}

/// Takes it that a name, or an expression that only the program can evaluate, is at most or at least a number of the file.
void Evaluator::assume_limit(const SyntaxNode& name, const SyntaxNode& number, const Comparison& comparison,
                             const Place& place) {
  if (!name.is("identifier") && !name.is("call_expression") && !name.is("field_expression")) return;
  const Notes before = notes();
  const Number value = root_value(number, place);
  const auto is_given = [](const Fact& fact) { return fact.origin == "given"; };
  const bool is_known =
      value && unknown_.size() == before.unknown &&
      std::none_of(facts_.begin() + static_cast<std::ptrdiff_t>(before.facts), facts_.end(), is_given);
  restore(before);
  if (!is_known) return;
  const double bound = value->value();
  Limits& limits = limits_[name.text()];
  // Sizes are powers of two where they can be.
  if (comparison.is_less) {
    const double most = comparison.is_strict ? std::exp2(std::ceil(std::log2(bound)) - 1) : bound;
    if (most >= 1) limits.most = std::min(limits.most, most);
  } else if (bound >= 1) {
    limits.least =
        std::max(limits.least, comparison.is_strict ? std::exp2(std::floor(std::log2(bound)) + 1) : bound);
  }
}

/// A whole number that is proposed for a name, as the conditions around the launch let it be.
double Evaluator::within_limits(const std::string& name, double proposed) const {
  const auto found = limits_.find(name);
  if (found == limits_.end() || proposed != std::floor(proposed)) return proposed;
  return std::min(std::max(proposed, found->second.least), found->second.most);
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
