#include "profiler/kernels/cuda_source/syntax_names.hpp"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 10> around_file_scope = {
    "translation_unit", "declaration_list",    "namespace_definition", "linkage_specification",
    "preproc_if",       "preproc_ifdef",       "preproc_else",         "preproc_elif",
    "preproc_elifdef",  "template_declaration"};

}  // namespace

SyntaxNode ancestor(SyntaxNode node, std::initializer_list<std::string_view> types) {
  for (int steps = 0; steps < max_syntax_climb && node; ++steps) {
    node = node.parent();
    if (std::find(types.begin(), types.end(), node.type()) != types.end()) return node;
  }
  return {};
}

SyntaxNode declared_name(SyntaxNode declarator) {
  for (int steps = 0; steps < max_syntax_climb && declarator; ++steps) {
    const std::string_view type = declarator.type();
    if (type == "identifier" || type == "field_identifier" || type == "type_identifier" ||
        type == "qualified_identifier" || type == "template_function" || type == "operator_name" ||
        type == "destructor_name")
      return declarator;
    SyntaxNode inner = declarator.child("declarator");
    if (!inner) {
      const auto operands = declarator.operands();
      for (const SyntaxNode& operand : operands)
        if (!operand.is("type_qualifier")) inner = operand;
      if (operands.empty() || (type != "parenthesized_declarator" && type != "reference_declarator" &&
                               type != "pointer_declarator"))
        return {};
    }
    declarator = inner;
  }
  return {};
}

std::string short_name_of(const SyntaxNode& function) {
  SyntaxNode node = function;
  for (int steps = 0; steps < max_syntax_climb; ++steps) {
    const std::string_view inner = node.is("field_expression") ? "field" : "name";
    if (!node.is("qualified_identifier") && !node.is("template_function") && !node.is("template_method") &&
        !node.is("field_expression") && !node.is("template_type"))
      break;
    node = node.child(inner);
  }
  return std::string(node.source());
}

std::string template_parameter_name(const SyntaxNode& parameter) {
  if (const SyntaxNode declarator = parameter.child("declarator")) return declared_name(declarator).text();
  if (const SyntaxNode name = parameter.child("name")) return name.text();
  // template <class, class> class Epilogue
  if (const SyntaxNode of_template = parameter.child_of_type("type_parameter_declaration"))
    return of_template.child_of_type("type_identifier").text();
  return parameter.child_of_type("type_identifier").text();
}

std::string without_comments(std::string text) {
  for (std::size_t at = 0; (at = text.find('/', at)) != std::string::npos; ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with("//")) {
      text.erase(at);
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/");
      text.replace(at, end == std::string_view::npos ? end : end + 2, " ");
    }
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string qualification_of(const SyntaxNode& node) {
  std::string names;
  SyntaxNode above = node;
  for (int steps = 0; steps < 64; ++steps) {
    above = ancestor(above, {"namespace_definition", "class_specifier", "struct_specifier"});
    if (!above) break;
    const std::string name = above.child("name").text();
    if (!name.empty()) names.insert(0, name + "::");
  }
  return names;
}

bool is_at_file_scope(const SyntaxNode& node) {
  SyntaxNode above = node.parent();
  for (int steps = 0; above && steps < max_syntax_climb; ++steps, above = above.parent())
    if (std::ranges::find(around_file_scope, above.type()) == around_file_scope.end()) return false;
  return !above;
}

SyntaxNode with_templates(SyntaxNode node) {
  for (int steps = 0; node.parent().is("template_declaration") && steps < max_syntax_climb; ++steps)
    node = node.parent();
  return node;
}

}  // namespace tilescope
