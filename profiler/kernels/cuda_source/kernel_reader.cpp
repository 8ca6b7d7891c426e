#include "profiler/kernels/cuda_source/kernel_reader.hpp"

#include <string>
#include <utility>

namespace tilescope {
namespace {

/// Pointers, arrays and the reference of a declarator, from the base type outwards.
struct DeclaratorParts {
  std::vector<std::string> pointers;  ///< "*", "* const"
  std::vector<std::string> arrays;    ///< "[3]", the first dimension first
  bool is_array_of_pointee = false;   ///< float (*a)[3]
  bool is_reference = false, is_function = false;
};

bool is_const(const SyntaxNode& qualifier) {
  return qualifier.is("type_qualifier") &&
         (qualifier.source() == "const" || qualifier.source() == "volatile");
}

DeclaratorParts parts_of(SyntaxNode declarator) {
  DeclaratorParts parts;
  bool is_in_parentheses = false;
  for (int steps = 0; steps < 100 && declarator; ++steps) {
    if (declarator.is("pointer_declarator") || declarator.is("abstract_pointer_declarator")) {
      std::string pointer = "*";
      for (const SyntaxNode& part : declarator.operands())
        if (is_const(part)) pointer += " " + part.text();
      parts.pointers.push_back(std::move(pointer));
      parts.is_array_of_pointee |= is_in_parentheses && !parts.arrays.empty();
    } else if (declarator.is("array_declarator") || declarator.is("abstract_array_declarator")) {
      parts.arrays.insert(parts.arrays.begin(), "[" + declarator.child("size").text() + "]");
    } else if (declarator.type().ends_with("reference_declarator")) {
      parts.is_reference = true;
    } else if (declarator.type().ends_with("function_declarator")) {
      parts.is_function = true;
    }
    is_in_parentheses |= declarator.is("parenthesized_declarator");
    SyntaxNode inner = declarator.child("declarator");
    const auto operands = declarator.operands();
    if (!inner && declarator.type().ends_with("declarator") && !operands.empty() &&
        !is_const(operands.back()))
      inner = operands.back();
    declarator = inner;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += parts[i];
  return all;
}

void set_type(SourceParameter& parameter, const std::string& base, bool is_const_base,
              const DeclaratorParts& parts) {
  const std::string qualified = (is_const_base ? "const " : "") + base;
  const std::string pointers = joined(parts.pointers, parts.pointers.size());
  const std::string arrays = joined(parts.arrays, parts.arrays.size());
  parameter.is_reference = parts.is_reference;
  parameter.type = qualified + pointers + (parts.is_reference ? "&" : "");
  parameter.element = base + pointers;
  if (parts.is_array_of_pointee) {
    parameter.is_pointer = true;
    parameter.type = qualified + " (" + pointers + ")" + arrays;
    parameter.element = base + arrays;
    parameter.points_to_const = is_const_base;
  } else if (!parts.arrays.empty()) {
    // An array is passed as a pointer to its elements.
    parameter.is_pointer = true;
    parameter.type += arrays;
    parameter.element += arrays.substr(parts.arrays.front().size());
    parameter.points_to_const = parts.pointers.empty() ? is_const_base : parts.pointers.back() != "*";
  } else if (!parts.pointers.empty()) {
    const std::size_t levels = parts.pointers.size();
    parameter.is_pointer = true;
    parameter.element = base + joined(parts.pointers, levels - 1);
    parameter.points_to_const = levels == 1 ? is_const_base : parts.pointers[levels - 2] != "*";
    while (parameter.element.ends_with(" const")) parameter.element.resize(parameter.element.size() - 6);
  }
}

std::vector<SourceTemplateParameter> read_template_parameters(const SyntaxNode& list) {
  std::vector<SourceTemplateParameter> all;
  for (const SyntaxNode& node : list.operands()) {
    SourceTemplateParameter parameter;
    parameter.name = template_parameter_name(node);
    const SyntaxNode type = node.child("type");
    parameter.kind = type                                                 ? type.text()
                     : node.is("template_template_parameter_declaration") ? "template"
                                                                          : "typename";
    const SyntaxNode by_default =
        node.child("default_value") ? node.child("default_value") : node.child("default_type");
    parameter.default_value = by_default.text();
    all.push_back(std::move(parameter));
  }
  return all;
}

/// In the declaration, also behind the type: void __launch_bounds__(256) k().
std::string launch_bounds_of(const FunctionDefinition& function) {
  for (std::uint32_t i = function.node.index(); i < function.parameters.index(); ++i) {
    const SyntaxNode node = function.node.tree().node(i);
    if (!node.is("launch_bounds")) continue;
    std::string bounds;
    for (const SyntaxNode& bound : node.operands()) bounds += (bounds.empty() ? "" : ", ") + bound.text();
    return bounds;
  }
  return "";
}

}  // namespace

SourceParameter read_parameter(const SyntaxNode& declaration) {
  SourceParameter parameter;
  bool is_const_base = false;
  for (const SyntaxNode& part : declaration.operands()) is_const_base |= is_const(part);
  const SyntaxNode declarator = declaration.child("declarator");
  const DeclaratorParts parts = parts_of(declarator);
  parameter.name = declared_name(declarator).text();
  parameter.line = declaration.line();
  parameter.default_value = declaration.child("default_value").text();
  std::string base = declaration.child("type").text();
  for (const char* keyword : {"struct ", "enum ", "class "})
    if (base.starts_with(keyword)) base.erase(0, std::string(keyword).size());
  if (parts.is_function) {
    parameter.type = parameter.element = declaration.text();
  } else {
    set_type(parameter, base, is_const_base, parts);
  }
  return parameter;
}

std::vector<SourceParameter> read_parameters(const SyntaxNode& list) {
  std::vector<SourceParameter> parameters;
  for (const SyntaxNode& parameter : list.operands()) {
    const bool is_void = !parameter.child("declarator") && parameter.child("type").source() == "void";
    if (parameter.type().ends_with("parameter_declaration") && !is_void)
      parameters.push_back(read_parameter(parameter));
  }
  return parameters;
}

std::vector<SourceKernel> read_kernels(const SourceIndex& index) {
  std::vector<SourceKernel> kernels;
  for (const FunctionDefinition& function : index.functions()) {
    if (!function.is_kernel) continue;
    SourceKernel kernel;
    kernel.name = function.name;
    kernel.line = declared_name(function.declarator).line();
    kernel.template_parameters = read_template_parameters(function.template_parameters);
    kernel.parameters = read_parameters(function.parameters);
    kernel.launch_bounds = launch_bounds_of(function);
    kernel.is_extern_c =
        ancestor(function.node, {"linkage_specification"}).child("value").source() == "\"C\"";
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace tilescope
