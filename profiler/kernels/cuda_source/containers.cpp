#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "profiler/kernels/cuda_source/buffer_finder.hpp"
#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/syntax_names.hpp"

namespace tilescope {
namespace {

/// Type of the elements of "std::vector<float, A>", "" if it is not such a type.
std::string element_of_vector(const std::string& type) {
  const std::size_t open = type.find('<');
  if (open == std::string::npos) return "";
  std::string name = plain_type(type.substr(0, open));
  if (const std::size_t behind = name.rfind("::"); behind != std::string::npos) name.erase(0, behind + 2);
  static const std::set<std::string> vectors = {"device_vector", "host_vector", "universal_vector", "vector"};
  if (!vectors.contains(name)) return "";
  int depth = 0;
  std::size_t end = open + 1;
  for (; end < type.size(); ++end) {
    if (type[end] == '<') ++depth;
    if (depth == 0 && (type[end] == ',' || type[end] == '>')) break;
    if (type[end] == '>') --depth;
  }
  return plain_type(type.substr(open + 1, end - open - 1));
}

std::string factor(const SyntaxNode& node) {
  const std::string text = node.text();
  const bool is_simple = node.is("identifier") || node.is("number_literal") || node.is("call_expression") ||
                         node.is("field_expression") || node.is("parameter_declaration");
  return is_simple ? text : "(" + text + ")";
}

struct ScalarName {
  std::string_view name, type;
};

/// Names of PyTorch, longer ones first: kFloat is the start of kFloat16.
constexpr std::array<ScalarName, 20> scalars = {{
    {"kFloat64", "double"},
    {"kFloat32", "float"},
    {"kFloat16", "half"},
    {"kBFloat16", "nv_bfloat16"},
    {"kFloat8_e4m3fn", "uint8_t"},
    {"kFloat8_e5m2", "uint8_t"},
    {"kDouble", "double"},
    {"kFloat", "float"},
    {"kHalf", "half"},
    {"kInt64", "int64_t"},
    {"kInt32", "int32_t"},
    {"kInt16", "int16_t"},
    {"kInt8", "int8_t"},
    {"kLong", "int64_t"},
    {"kInt", "int32_t"},
    {"kShort", "int16_t"},
    {"kUInt8", "uint8_t"},
    {"kByte", "uint8_t"},
    {"kChar", "int8_t"},
    {"kBool", "bool"},
}};

bool is_maker(const std::string& name) {
  static const std::set<std::string> makers = {"empty", "zeros", "ones", "full", "rand", "randn"};
  return makers.contains(name);
}

}  // namespace

bool BufferFinder::is_vector(const std::string& type, const Place& place) {
  return !element_of_vector(evaluator_.resolved_type(type, place)).empty();
}

/// A vector with a value that is a list of the constructor's arguments or another vector.
BufferFinder::Found BufferFinder::vector(const std::string& type, const SyntaxNode& value,
                                         const SyntaxNode& node, const Place& place) {
  Pointer made;
  made.allocation = node;
  made.line = node.line();
  made.place = place;
  made.scalar = made.element = element_of_vector(evaluator_.resolved_type(type, place));
  const auto operands = value.operands();
  const bool is_list = value.is("argument_list") || value.is("parameter_list");
  if (value.is("initializer_list")) {
    made.count = std::to_string(operands.size());
    return made;
  }
  if (is_list && operands.empty()) return std::nullopt;
  const SyntaxNode first = is_list ? operands[0] : value;
  const SyntaxNode source =
      first.is("parameter_declaration") ? evaluator_.expressions_.parse(first.text()) : first;
  Found copied = pointer(source, place);
  if (copied && copied->steps.empty()) {
    if (!is_vector(source.child("function").text(), place)) copied->fill.clear();
    return copied;
  }
  if (copied || !is_list) return std::nullopt;
  made.count = factor(first);
  if (operands.size() == 1 || operands[1].source() == "0" || operands[1].source() == "0.0f")
    made.fill = "zeros";
  return made;
}

/// A tensor that PyTorch makes: torch::empty({B, T}, options), at::zeros_like(x), x.new_empty({n}).
BufferFinder::Found BufferFinder::tensor(const std::string& maker, const SyntaxNode& node,
                                         const Place& place) {
  const SyntaxNode function = node.child("function");
  const bool is_method = function.is("field_expression");
  const std::string name = is_method ? maker.substr(4) : maker;
  const std::string scope = function.child("scope").text();
  if (!is_method && scope != "torch" && scope != "at") return std::nullopt;
  auto arguments = node.child("arguments").operands();
  if (arguments.empty()) return std::nullopt;
  const SyntaxNode sizes = arguments[0];
  arguments.erase(arguments.begin());
  const bool is_like = name.ends_with("_like") && is_maker(name.substr(0, name.size() - 5));
  if (!is_like && !is_maker(name)) return std::nullopt;
  const std::string scalar = scalar_of(arguments, place);
  Pointer made;
  if (is_like) {
    const Found other = pointer(sizes, place);
    if (other ? bool(other->bytes) : !sizes.is("identifier")) return std::nullopt;
    // Nothing is known of a tensor that is a parameter but what it says of itself.
    made.place = other ? other->place : place;
    made.count = other ? other->count : sizes.text() + ".numel()";
    made.scalar = other && scalar.empty() ? other->scalar : scalar;
  } else {
    made.place = place;
    made.count = elements_of(sizes, place);
    const bool has_options = !arguments.empty() || is_method;
    made.scalar = has_options ? scalar : "float";
  }
  if (made.count.empty()) return std::nullopt;
  made.allocation = node;
  made.line = node.line();
  made.element = made.scalar;
  if (name.starts_with("zeros")) made.fill = "zeros";
  if (name.starts_with("ones")) made.fill = "1";
  if (name.starts_with("full") && !arguments.empty()) made.fill = fill_value(arguments[0], place);
  return made;
}

/// The number with which torch::full() fills a tensor: "-inf", "0.5"; "" where it is not known.
std::string BufferFinder::fill_value(const SyntaxNode& value, const Place& place) {
  const std::string text = value.text();
  const bool is_infinite = text.ends_with("INFINITY") || text.ends_with("::infinity()");
  if (is_infinite) return text.starts_with('-') ? "-inf" : "inf";
  const auto number = evaluator_.root_value(value, place);
  return number ? fmt::format("{}", number->value()) : "";
}

/// Product of the sizes of a list: "B * T" of {B, T}, "" for another expression.
std::string BufferFinder::elements_of(const SyntaxNode& sizes, const Place& place) {
  SyntaxNode list = sizes;
  if (list.is("identifier"))
    if (const ValueEvent* declaration = evaluator_.declaration_of(list.text(), place))
      list = declaration->value;
  if (list.is("compound_literal_expression")) list = list.child("value");
  if (list.is("call_expression")) list = list.child("arguments");
  const auto operands = list.operands();
  if (list.is("argument_list") && operands.size() == 1 && operands[0].is("initializer_list"))
    return elements_of(operands[0], place);
  if (!list.is("initializer_list")) return "";
  std::string product;
  for (const SyntaxNode& size : operands) product += (product.empty() ? "" : " * ") + factor(size);
  return product;
}

/// Type of the elements that options name, "" if they do not.
std::string BufferFinder::scalar_of(const std::vector<SyntaxNode>& options, const Place& place) {
  for (const SyntaxNode& option : options) {
    std::string text = option.text();
    if (option.is("identifier"))
      if (const ValueEvent* declaration = evaluator_.declaration_of(text, place))
        text = declaration->value.text();
    if (text.find('?') != std::string::npos) continue;
    for (const ScalarName& scalar : scalars)
      if (text.find(scalar.name) != std::string::npos) return std::string(scalar.type);
  }
  return "";
}

}  // namespace tilescope
