#include "profiler/kernels/cuda_source/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/kernels/cuda_source/evaluator_level.hpp"

namespace tilescope {
namespace {

constexpr std::size_t max_shown_text = 100;
constexpr std::size_t max_shown_facts = 6;

std::string shortened(std::string text) {
  if (text.size() > max_shown_text) text.replace(max_shown_text, std::string::npos, "...");
  return text;
}

}  // namespace

static const std::map<std::string, double> none_chosen;
static const KnownValue none_known;

Evaluator::Evaluator(const SourceIndex& index) : Evaluator(index, none_chosen, none_known) {}
Evaluator::Evaluator(const SourceIndex& index, const std::map<std::string, double>& chosen,
                     const KnownValue& known)
    : index_(index), chosen_(chosen), known_(known) {}

void Evaluator::restore(const Notes& notes) {
  facts_.resize(notes.facts);
  unknown_.resize(notes.unknown);
}

/// Puts a fact before those that it follows from. Of a name that is handed on as it is only the first value is kept.
void Evaluator::add_fact(const Notes& before, Fact fact) {
  for (std::size_t i = before.facts; i < facts_.size(); ++i)
    if (facts_[i].name == fact.name && fact.expression == fact.name) return;
  for (std::size_t i = 0; i < facts_.size(); ++i)
    if (facts_[i].name == fact.name && facts_[i].origin == fact.origin) return;
  facts_.insert(facts_.begin() + static_cast<std::ptrdiff_t>(before.facts), std::move(fact));
}

EvaluatedNumber Evaluator::finished(const SyntaxNode& node, const Number& value, const std::string& lead) {
  EvaluatedNumber result;
  for (std::string& name : unknown_)
    if (std::find(result.unknown.begin(), result.unknown.end(), name) == result.unknown.end())
      result.unknown.push_back(std::move(name));
  std::string text = shortened(node.text());
  // A name alone says little: its expression follows it.
  if (value && !facts_.empty() && node.is("identifier") && facts_[0].name.starts_with(node.source())) {
    const std::string shown =
        facts_[0].expression.empty() ? facts_[0].value : shortened(facts_[0].expression);
    text = facts_[0].name + " = " + shown + " (" + facts_[0].origin + ")";
    facts_.erase(facts_.begin());
  }
  result.reason = lead + ": " + text;
  for (std::size_t i = 0; value && i < facts_.size() && i < max_shown_facts; ++i)
    result.reason +=
        (i == 0 ? " with " : ", ") + facts_[i].name + " = " + facts_[i].value + " (" + facts_[i].origin + ")";
  if (value) {
    result.value = value->value();
    result.unknown.clear();
  } else if (result.unknown.empty()) {
    result.unknown.push_back(text);
  }
  for (std::size_t i = 0; i < result.unknown.size(); ++i)
    result.reason += (i == 0 ? ", without a value for " : ", ") + shortened(result.unknown[i]);
  facts_.clear();
  unknown_.clear();
  return result;
}

EvaluatedNumber Evaluator::number(const SyntaxNode& node, const Place& place, const std::string& lead) {
  steps_ = 0;
  return finished(node, root_value(node, place), lead);
}

EvaluatedNumber Evaluator::number(const std::string& expression, const std::string& lead) {
  const SyntaxNode node = expressions_.parse(expression);
  if (node) return number(node, place_of({}), lead);
  return {std::nullopt, lead + ": " + expression + " is not an expression", {expression}};
}

EvaluatedNumber Evaluator::component(const SyntaxNode& node, int axis, const Place& place,
                                     const std::string& lead) {
  steps_ = 0;
  Number value = root_component(node, axis, place);
  if (value) value = value->converted_to("unsigned int");
  // No launch has a size of 0: what gives the name its value is not seen.
  if (value && !value->is_true()) {
    value.reset();
    unknown_.push_back(facts_.empty() ? node.text() : facts_[0].name);
  }
  EvaluatedNumber result = finished(node, value, lead);
  // Neither an expression nor a name behind it says where the 1 is from.
  if (axis > 0 && result.value == 1 && result.reason == lead + ": " + shortened(node.text()))
    result.reason =
        lead + ": 1, since " + shortened(node.text()) + " does not give " + (axis == 1 ? "y" : "z");
  return result;
}

Evaluator::Number Evaluator::root_value(const SyntaxNode& node, const Place& place) {
  return value(expressions_.without_false_casts(node, [&](const std::string& name) { return is_type(name); }),
               place);
}

Evaluator::Number Evaluator::value(const SyntaxNode& node, const Place& place) {
  const Level level(*this);
  if (!node || level.is_too_deep()) return std::nullopt;
  const std::string_view type = node.type();
  if (type == "number_literal") return CppNumber::from_literal(node.source());
  if (type == "true" || type == "false") return CppNumber::of_bool(type == "true");
  if (type == "identifier" || type == "type_identifier") return named_value({node.text(), "", -1}, place);
  if (type == "type_descriptor") return value(node.child("type"), place);
  if (type == "qualified_identifier") return named_value({node.text(), "", -1}, place);
  if (type == "parenthesized_expression" || type == "argument_list" || type == "initializer_list")
    return list_component(node, 0, place);
  if (type == "parameter_list") return list_component(node, 0, place);
  if (type == "comma_expression" || type == "assignment_expression") return value(node.child("right"), place);
  if (type == "update_expression") return value(node.child("argument"), place);
  if (type == "binary_expression") return binary_value(node, place);
  if (type == "conditional_expression") return conditional_value(node, place, nullptr);
  if (type == "call_expression") return call_value(node, place, nullptr);
  if (type == "field_expression") return field_value(node, place);
  if (type == "subscript_expression") return subscript_value(node, place);
  if (type == "sizeof_expression") return size_of(node, place);
  if (type == "unary_expression") {
    const Number operand = value(node.child("argument"), place);
    return operand ? operand->after(node.child("operator").source()) : std::nullopt;
  }
  if (type == "cast_expression" || type == "compound_literal_expression") {
    const Number operand = value(node.child("value"), place);
    return operand ? operand->converted_to(resolved_type(node.child("type").text(), place)) : std::nullopt;
  }
  if (type == "null" || type == "string_literal" || type == "lambda_expression") return std::nullopt;
  return opaque(node, place);
}

Evaluator::Number Evaluator::binary_value(const SyntaxNode& node, const Place& place) {
  const std::string operation(node.child("operator").source());
  const Notes before = notes();
  const Number left = value(node.child("left"), place);
  if (left && operation == "&&" && !left->is_true()) return CppNumber::of_bool(false);
  if (left && operation == "||" && left->is_true()) return CppNumber::of_bool(true);
  const Number right = value(node.child("right"), place);
  const bool decides =
      right && ((operation == "&&" && !right->is_true()) || (operation == "||" && right->is_true()));
  if (decides && !left) {
    restore({facts_.size(), before.unknown});
    return CppNumber::of_bool(operation == "||");
  }
  if (!left || !right) return std::nullopt;
  const Number result = combine(*left, operation, *right);
  if (!result) unknown_.push_back(node.text());
  return result;
}

/// With a condition that is not known, the branch for false: the default where a program asks for an argument.
Evaluator::Number Evaluator::conditional_value(const SyntaxNode& node, const Place& place, const int* axis) {
  const auto is_true = condition(node.child("condition"), place);
  const auto branch_value = [&](const char* field) {
    return axis ? component_value(node.child(field), *axis, place) : value(node.child(field), place);
  };
  const Notes before = notes();
  const Number first = branch_value(is_true.value_or(false) ? "consequence" : "alternative");
  if (first || is_true) return first;
  restore(before);
  return branch_value("consequence");
}

/// An element of an array that the file initializes.
Evaluator::Number Evaluator::subscript_value(const SyntaxNode& node, const Place& place) {
  const SyntaxNode array = node.child("argument");
  const ValueEvent* declaration = array.is("identifier") ? declaration_of(array.text(), place) : nullptr;
  if (!declaration || !declaration->value.is("initializer_list")) return opaque(node, place);
  const SyntaxNode indices = node.child("indices");
  const Number at =
      indices.is("subscript_argument_list") ? list_component(indices, 0, place) : value(indices, place);
  const auto elements = declaration->value.operands();
  if (!at || !(at->value() >= 0 && at->value() < static_cast<double>(elements.size())))
    return opaque(node, place);
  const Notes before = notes();
  const SyntaxNode element = elements[static_cast<std::size_t>(at->value())];
  const Number result = root_value(element, {place.frame, element.begin()});
  if (result)
    add_fact(before, {node.text(), result->text(), element.text(), index_.place_of_line(element.line())});
  return result;
}

Evaluator::Number Evaluator::ask(const std::string& name, const std::string& type) {
  const auto number_of = [&](double given) {
    const bool is_whole = given == std::floor(given) && std::abs(given) < 9e15;
    const CppNumber number =
        is_whole ? CppNumber::of_int(static_cast<std::int64_t>(given)) : CppNumber::of_double(given);
    return number.converted_to(type);
  };
  if (const auto found = chosen_.find(name); found != chosen_.end()) {
    taken_.insert(name);
    const Number number = number_of(found->second);
    if (number) add_fact(notes(), {name, number->text(), "", "chosen"});
    return number;
  }
  const auto given = known_ && !without_suggestions_ ? known_(name, type) : std::nullopt;
  const Number number = given ? number_of(within_limits(name, *given)) : std::nullopt;
  if (number) add_fact(notes(), {name, number->text(), "", "given"});
  return number;
}

/// An expression that only the program can evaluate: its text is its name.
Evaluator::Number Evaluator::opaque(const SyntaxNode& node, const Place& place) {
  const std::string name = node.text();
  SyntaxNode object = node;
  for (int steps = 0; steps < 100 && (object.is("call_expression") || object.is("field_expression") ||
                                      object.is("subscript_expression"));
       ++steps)
    object = object.child(object.is("call_expression") ? "function" : "argument");
  const bool is_of_object = object.is("identifier") && !node.child("function").is("identifier");
  const Number given = ask(name, is_of_object ? type_of(object.text(), place) : "");
  if (!given) unknown_.push_back(name);
  return given;
}

}  // namespace tilescope
