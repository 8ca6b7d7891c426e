#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"
#include "profiler/kernels/cuda_source/host_names.hpp"

namespace tilescope {
namespace {

using Number = std::optional<CppNumber>;

/// Whether a function that the file does not define has a name for a quotient that is rounded up, such as CEIL_DIV.
bool names_rounded_quotient(const std::string& name) {
  std::string letters;
  for (const char letter : name)
    if (letter != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  static const std::set<std::string> names = {"ceildiv", "cdiv",       "divup",      "idivup",
                                              "divceil", "ceildivide", "divroundup", "divideroundup"};
  return names.contains(letters);
}

Number rounded_quotient(const CppNumber& dividend, const CppNumber& divisor) {
  const Number sum = combine(dividend, "+", divisor);
  const Number less_one = sum ? combine(*sum, "-", CppNumber::of_int(1)) : std::nullopt;
  return less_one ? combine(*less_one, "/", divisor) : std::nullopt;
}

Number of_one(const std::string& name, const CppNumber& operand) {
  const double value = operand.value();
  if (name == "abs" && !operand.is_floating()) return value < 0 ? operand.after("-") : Number(operand);
  double result = 0;
  if (name == "ceil") {
    result = std::ceil(value);
  } else if (name == "floor") {
    result = std::floor(value);
  } else if (name == "round" || name == "rint") {
    result = name == "rint" ? std::rint(value) : std::round(value);
  } else if (name == "sqrt") {
    result = std::sqrt(value);
  } else if (name == "log2") {
    result = std::log2(value);
  } else if (name == "exp2") {
    result = std::exp2(value);
  } else if (name == "abs" || name == "fabs") {
    result = std::abs(value);
  } else {
    return std::nullopt;
  }
  const CppNumber number = CppNumber::of_double(result);
  return std::isfinite(result) ? Number(number) : std::nullopt;
}

Number of_two(const std::string& name, const CppNumber& left, const CppNumber& right) {
  if (name == "min" || name == "fmin") return combine(right, "<", left)->is_true() ? right : left;
  if (name == "max" || name == "fmax") return combine(left, "<", right)->is_true() ? right : left;
  if (name == "pow") return CppNumber::of_double(std::pow(left.value(), right.value()));
  return std::nullopt;
}

const std::set<std::string> mathematics = {"abs",  "ceil", "exp2", "fabs", "floor", "fmax",  "fmin",
                                           "log2", "max",  "min",  "pow",  "rint",  "round", "sqrt"};

/// "ceilf" is the ceil of floats.
std::string without_suffix(const std::string& name) {
  const std::string base = name.ends_with('f') ? name.substr(0, name.size() - 1) : name;
  return mathematics.contains(base) ? base : name;
}

}  // namespace

Evaluator::Number Evaluator::call_value(const SyntaxNode& node, const Place& place, const int* axis) {
  const Level level(*this);
  if (level.is_too_deep()) return std::nullopt;
  bool is_scalar = false;
  const Number result = called_value(node, place, axis, is_scalar);
  return is_scalar && axis && *axis > 0 ? CppNumber::of_int(1) : result;
}

/// `is_scalar`: the call has no components of its own.
Evaluator::Number Evaluator::called_value(const SyntaxNode& node, const Place& place, const int* axis,
                                          bool& is_scalar) {
  const SyntaxNode function = node.child("function");
  const auto arguments = node.child("arguments").operands();
  const std::string name = short_name_of(function);
  if (is_named_cast(name) && arguments.size() == 1) {
    const auto types = function.child("arguments").operands();
    if (axis) return component_value(arguments[0], *axis, place);
    const Number operand = root_value(arguments[0], place);
    return operand && types.size() == 1 ? operand->converted_to(resolved_type(types[0].text(), place))
                                        : std::nullopt;
  }
  const std::string type = resolved_type(function.text(), place);
  is_scalar = arithmetic_type(type) || chosen_.contains(node.text()) || function.is("field_expression");
  if (is_scalar && axis && *axis > 0) return std::nullopt;
  if (arithmetic_type(type) && arguments.size() == 1) {
    const Number operand = root_value(arguments[0], place);
    return operand ? operand->converted_to(type) : std::nullopt;
  }
  if (is_scalar) return opaque(node, place);
  const Notes before = notes();
  if (const SourceMacro* macro = index_.macro(name); macro && macro->has_parameters) {
    const SyntaxNode expanded = expressions_.expand(*macro, arguments);
    if (expanded) return axis ? root_component(expanded, *axis, place) : root_value(expanded, place);
  }
  if (const SyntaxNode lambda = lambda_of(name, place)) return lambda_value(lambda, node, place, axis);
  for (const std::size_t i : index_.functions_named(name)) {
    if (const Number result = function_value(i, node, place, axis)) return result;
    if (unknown_.size() > before.unknown) return std::nullopt;
  }
  is_scalar = true;
  if (axis && *axis > 0) return std::nullopt;
  bool is_builtin = false;
  const Number result = builtin_value(name, node, place, is_builtin);
  if (is_builtin) return result;
  return opaque(node, place);
}

Evaluator::Number Evaluator::builtin_value(const std::string& name, const SyntaxNode& call,
                                           const Place& place, bool& is_builtin) {
  const auto arguments = call.child("arguments").operands();
  const std::string base = without_suffix(name);
  if ((name == "atoi" || name == "stoi" || name == "atol") && !arguments.empty() &&
      arguments[0].is("string_literal")) {
    is_builtin = true;
    return CppNumber::from_literal(arguments[0].child_of_type("string_content").source());
  }
  const bool rounds_up = names_rounded_quotient(name) && arguments.size() == 2;
  is_builtin = rounds_up || (mathematics.contains(base) && (arguments.size() == 1 || arguments.size() == 2));
  if (!is_builtin) return std::nullopt;
  const Number first = root_value(arguments[0], place);
  const Number second = arguments.size() == 2 ? root_value(arguments[1], place) : std::nullopt;
  if (!first || (arguments.size() == 2 && !second)) return std::nullopt;
  if (rounds_up) {
    add_fact(notes(), {name + "(a, b)", "a / b rounded up", "", "by its name: the file does not define it"});
    return rounded_quotient(*first, *second);
  }
  const Number result = arguments.size() == 1 ? of_one(base, *first) : of_two(base, *first, *second);
  return result && name != base ? result->converted_to("float") : result;
}

void Evaluator::bind(Frame& frame, const SyntaxNode& parameters, const std::vector<SyntaxNode>& arguments,
                     const Place& place) {
  std::size_t i = 0;
  for (const SyntaxNode& parameter : parameters.operands()) {
    if (i >= arguments.size()) break;
    const SyntaxNode name = declared_name(parameter.child("declarator"));
    if (name) frame.bindings[std::string(name.source())] = {arguments[i], place};
    ++i;
  }
}

/// Binds the template arguments that a call names; those that it leaves out have their defaults.
void Evaluator::bind_template(Frame& frame, const SyntaxNode& parameters, const SyntaxNode& call,
                              const Place& place) {
  SyntaxNode function = call.child("function") ? call.child("function") : call;
  for (int steps = 0; steps < 100 && function.is("qualified_identifier"); ++steps)
    function = function.child("name");
  if (function.is("field_expression")) function = function.child("field");
  const auto arguments = function.child("arguments").operands();
  if (!function.is("template_function") && !function.is("template_method")) return;
  std::size_t i = 0;
  for (const SyntaxNode& parameter : parameters.operands()) {
    if (i >= arguments.size()) break;
    const std::string name = template_parameter_name(parameter);
    if (!name.empty()) frame.bindings[name] = {arguments[i], place};
    ++i;
  }
}

Evaluator::Frame& Evaluator::new_frame(int function, const SyntaxNode& owner) {
  Frame& frame = frames_.emplace_back();
  frame.function = function;
  frame.owner = owner;
  return frame;
}

Evaluator::Number Evaluator::function_value(std::size_t index, const SyntaxNode& call, const Place& place,
                                            const int* axis) {
  const FunctionDefinition& function = index_.functions()[index];
  const auto arguments = call.child("arguments").operands();
  if (arguments.size() > function.parameters.operands().size()) return std::nullopt;
  Frame& frame = new_frame(static_cast<int>(index), function.node);
  frame.is_bound = true;
  bind(frame, function.parameters, arguments, place);
  bind_template(frame, function.template_parameters, call, place);
  return returned_value(function.node, frame, axis);
}

Evaluator::Number Evaluator::lambda_value(const SyntaxNode& lambda, const SyntaxNode& call,
                                          const Place& place, const int* axis) {
  Frame& frame = new_frame(place.frame->function, lambda);
  frame.is_bound = true;
  frame.outer = place.frame;
  bind(frame, lambda.child("declarator").child("parameters"), call.child("arguments").operands(), place);
  return returned_value(lambda, frame, axis);
}

/// The value of the first return that is reached, none where a condition before it is not known.
Evaluator::Number Evaluator::returned_value(const SyntaxNode& owner, const Frame& frame, const int* axis) {
  const auto& returns = index_.returns();
  const auto from =
      std::lower_bound(returns.begin(), returns.end(), owner.index(),
                       [](const SyntaxNode& node, std::uint32_t at) { return node.index() < at; });
  for (auto node = from; node != returns.end() && node->index() < owner.past(); ++node) {
    if (!(ancestor(*node, {"lambda_expression", "function_definition"}) == owner)) continue;
    const Reach reached = reach(*node, {&frame, owner.end() - 1});
    if (reached == Reach::never) continue;
    const auto operands = node->operands();
    if (reached == Reach::possible || operands.size() != 1) return std::nullopt;
    const Place place{&frame, node->begin()};
    Number result = axis ? root_component(operands[0], *axis, place) : root_value(operands[0], place);
    if (result && owner.is("function_definition") && !axis)
      result = result->converted_to(resolved_type(owner.child("type").text(), place));
    return result;
  }
  return std::nullopt;
}

}  // namespace tilescope
