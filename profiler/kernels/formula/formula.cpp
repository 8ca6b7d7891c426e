#include "profiler/kernels/formula/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "profiler/kernels/cuda_source/cpp_number.hpp"
#include "profiler/kernels/cuda_source/syntax_tree.hpp"
#include "profiler/kernels/formula/formula_function.hpp"

namespace tilescope {
namespace {

// To the parser a formula is what a function returns: as a statement "n * k" would declare a pointer.
constexpr std::string_view before = "auto formula() {\nreturn ", behind = ";\n}\n";
constexpr std::size_t most_text = 4000;
constexpr int most_depth = 100;

bool is_assignment(std::string_view operation) {
  return operation == "=" || operation == "+=" || operation == "-=" || operation == "*=" || operation == "/=";
}

bool is_name_in(std::string_view grid_part) {
  for (const char* whole : {"gridDim", "blockDim"}) {
    for (const char* axis : {".x", ".y", ".z"})
      if (grid_part == std::string(whole) + axis) return true;
  }
  return false;
}

std::optional<double> constant_named(std::string_view name) {
  if (name == "pi" || name == "M_PI") return std::numbers::pi;
  if (name == "INFINITY" || name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "NAN" || name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

std::vector<SyntaxNode> indices_of(const SyntaxNode& subscript) {
  const SyntaxNode list = subscript.child("indices");
  if (list) return list.operands();
  return {subscript.child("index")};
}

// Computes the nodes of one formula.
class Computation {
 public:
  Computation(const FormulaNames& names, FormulaWork& work) : names_(names), work_(work) {}

  SharedArray value(const SyntaxNode& node) {
    if (++depth_ > most_depth) throw FormulaError("the formula is nested too deeply");
    SharedArray result = value_of(node);
    --depth_;
    return result;
  }

  // x[M][N]
  ArrayShape sizes(const SyntaxNode& subscript) {
    std::vector<SyntaxNode> outer_first;
    for (SyntaxNode node = subscript; node.is("subscript_expression"); node = node.child("argument")) {
      const std::vector<SyntaxNode> indices = indices_of(node);
      outer_first.insert(outer_first.begin(), indices.begin(), indices.end());
    }
    ArrayShape shape;
    ++in_sizes_;
    for (const SyntaxNode& node : outer_first) shape.push_back(size(node));
    --in_sizes_;
    return shape;
  }

  NumberArray shaped(const NumberArray& array, ArrayShape shape, std::string_view words) const {
    if (elements_of(shape) > array.size())
      throw FormulaError(
          fmt::format("{} is {}, and has {} elements", words, shape_words(shape), array.size()));
    const auto count = static_cast<std::ptrdiff_t>(elements_of(shape));
    NumberArray result;
    result.shape = std::move(shape);
    result.values.assign(array.values.begin(), array.values.begin() + count);
    if (!array.scales.empty()) result.scales.assign(array.scales.begin(), array.scales.begin() + count);
    return result;
  }

 private:
  static SharedArray shared(NumberArray array) {
    return std::make_shared<const NumberArray>(std::move(array));
  }

  std::uint64_t size(const SyntaxNode& node) {
    const SharedArray size = value(node);
    if (size->size() != 1 || !(size->values[0] >= 1) ||
        size->values[0] > static_cast<double>(most_array_elements) ||
        size->values[0] != std::floor(size->values[0]))
      throw FormulaError(
          fmt::format("{} is not a size: {}", node.text(),
                      size->size() == 1 ? fmt::format("{}", size->values[0]) : shape_words(size->shape)));
    return static_cast<std::uint64_t>(size->values[0]);
  }

  SharedArray value_of(const SyntaxNode& node) {
    if (node.is("parenthesized_expression") && node.operands().size() == 1)
      return value(node.operands().front());
    if (node.is("identifier") || node.is("field_expression")) return named(node);
    if (node.is("number_literal")) return literal(node);
    if (node.is("true") || node.is("false")) return shared(one_number(node.is("true") ? 1 : 0));
    if (node.is("subscript_expression")) return subscript(node);
    if (node.is("binary_expression")) return binary(node);
    if (node.is("unary_expression")) return unary(node);
    if (node.is("conditional_expression"))
      return shared(selected(value(node.child("condition")), value(node.child("consequence")),
                             value(node.child("alternative")), work_));
    if (node.is("call_expression")) return call(node);
    throw FormulaError(
        fmt::format("'{}' is not understood in a formula: there are numbers, names, operators of C and "
                    "calls of {}",
                    node.text(), formula_function_names()));
  }

  SharedArray named(const SyntaxNode& node) {
    const std::string name = node.text();
    SharedArray& known = known_[name];
    if (!known) known = names_(name);
    if (known) return known;
    if (const auto constant = constant_named(name)) return known = shared(one_number(*constant));
    throw FormulaError(fmt::format("no array or number of the launch is named '{}'", name));
  }

  static SharedArray literal(const SyntaxNode& node) {
    const auto number = CppNumber::from_literal(node.source());
    if (!number) throw FormulaError(fmt::format("'{}' is not a number", node.text()));
    return shared(one_number(number->value()));
  }

  SharedArray subscript(const SyntaxNode& node) {
    SyntaxNode array = node;
    while (array.is("subscript_expression")) array = array.child("argument");
    return shared(shaped(*value(array), sizes(node), node.text()));
  }

  SharedArray binary(const SyntaxNode& node) {
    const std::string_view operation = node.child("operator").type();
    const SharedArray left = value(node.child("left")), right = value(node.child("right"));
    NumberArray result = combined(operation, left, right, work_);
    // Sizes are whole numbers, which C divides so.
    if (in_sizes_ > 0 && operation == "/")
      for (double& one : result.values) one = std::trunc(one);
    return shared(std::move(result));
  }

  SharedArray unary(const SyntaxNode& node) {
    const std::string_view operation = node.child("operator").type();
    SharedArray operand = value(node.child("argument"));
    if (operation == "+") return operand;
    if (operation == "-") return shared(combined("-", shared(one_number(0)), operand, work_));
    if (operation == "!") return shared(combined("==", shared(one_number(0)), operand, work_));
    throw FormulaError(fmt::format("the operator {} is not one of formulas", operation));
  }

  SharedArray call(const SyntaxNode& node) {
    const std::string name = node.child("function").text();
    const FormulaFunction* const function = formula_function(name);
    if (function == nullptr)
      throw FormulaError(
          fmt::format("there is no function '{}'; there are {}", name, formula_function_names()));
    std::vector<SharedArray> arguments;
    for (const SyntaxNode& argument : node.child("arguments").operands())
      arguments.push_back(value(argument));
    if (arguments.size() < function->fewest || arguments.size() > function->most)
      throw FormulaError(
          fmt::format("{} takes other arguments: {} are given", function->usage, arguments.size()));
    return shared(function->value(FormulaArguments(function->usage, arguments, work_)));
  }

  const FormulaNames& names_;
  FormulaWork& work_;
  std::map<std::string, SharedArray> known_;
  int depth_ = 0, in_sizes_ = 0;
};

}  // namespace

std::string formula_name(std::string name) {
  const auto is_of_names = [](char letter) {
    return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z');
  };
  std::ranges::replace_if(
      name, [&](char letter) { return !is_of_names(letter); }, '_');
  return name;
}

struct Formula::Implementation {
  explicit Implementation(const std::string& given)
      : text(given), tree(std::string(before) + given + std::string(behind)) {
    if (given.size() > most_text)
      throw FormulaError(
          fmt::format("a formula has up to {} letters, and this one {}", most_text, given.size()));
    if (!tree.problem().empty()) throw FormulaError(tree.problem());
    refuse_what_is_not_parsed();
    find_expression();
    find_names();
  }

  void refuse_what_is_not_parsed() const {
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const SyntaxNode node = tree.node(i);
      const bool is_missing = node.begin() == node.end() && node.is_named();
      if (!node.is("ERROR") && !is_missing) continue;
      const std::size_t at = std::min<std::size_t>(
          std::max<std::size_t>(node.begin(), before.size()) - before.size(), text.size());
      throw FormulaError(
          fmt::format("'{}' is not a formula: it cannot be read from '{}' on", text, text.substr(at, 40)));
    }
  }

  void find_expression() {
    SyntaxNode statement;
    int statements = 0;
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const SyntaxNode node = tree.node(i);
      if (!node.parent() || !node.parent().is("compound_statement") || !node.is_named()) continue;
      ++statements;
      statement = node;
    }
    if (statements != 1 || !statement.is("return_statement") || statement.operands().size() != 1)
      throw FormulaError(fmt::format("'{}' is not a formula: give one expression, such as y = 2 * x", text));
    expression = statement.operands().front();
    if (!expression.is("assignment_expression")) return;
    operation = expression.child("operator").type();
    if (!is_assignment(operation))
      throw FormulaError(fmt::format("the operator {} is not one of formulas", operation));
    left = expression.child("left");
    expression = expression.child("right");
    SyntaxNode name = left;
    while (name.is("subscript_expression")) name = name.child("argument");
    if (!name.is("identifier"))
      throw FormulaError(fmt::format("'{}' is not the name of an array", left.text()));
    target = name.text();
  }

  void find_names() {
    const auto add_names_of = [this](const SyntaxNode& whole) {
      for (std::uint32_t i = whole.index(); i < whole.past(); ++i) {
        const SyntaxNode node = tree.node(i);
        const bool is_function = node.parent().is("call_expression") && node.field() == "function";
        const bool is_part = node.parent().is("field_expression");
        if (node.is("field_expression") && is_name_in(node.text())) names.insert(node.text());
        if (node.is("identifier") && !is_function && !is_part && !constant_named(node.text()))
          names.insert(node.text());
      }
    };
    add_names_of(expression);
    if (left) add_names_of(left);
  }

  std::string text, target;
  SyntaxTree tree;
  SyntaxNode expression, left;
  std::string_view operation;
  std::set<std::string> names;
};

Formula::Formula(const std::string& text) : implementation_(std::make_unique<const Implementation>(text)) {}
Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

const std::string& Formula::text() const& {
  return implementation_->text;
}

const std::string& Formula::target() const {
  return implementation_->target;
}

bool Formula::gives_shape() const {
  return implementation_->left.is("subscript_expression");
}

const std::set<std::string>& Formula::names() const& {
  return implementation_->names;
}

NumberArray Formula::value(const FormulaNames& names, const std::function<bool()>& cancelled) const {
  FormulaWork work(cancelled);
  Computation computation(names, work);
  NumberArray result = *computation.value(implementation_->expression);
  if (!implementation_->left) return result;
  const SyntaxNode& left = implementation_->left;
  if (implementation_->operation != "=") {
    const SharedArray old = computation.value(left);
    result = combined(implementation_->operation.substr(0, 1), old,
                      std::make_shared<const NumberArray>(result), work);
  }
  if (!left.is("subscript_expression")) return result;
  const ArrayShape shape = computation.sizes(left);
  if (result.size() == 1) result = *broadcast(std::make_shared<const NumberArray>(result), shape);
  if (elements_of(shape) != result.size())
    throw FormulaError(fmt::format("{} has {} elements, and the right side {}", left.text(),
                                   elements_of(shape), result.size()));
  result.shape = shape;
  return result;
}

}  // namespace tilescope
