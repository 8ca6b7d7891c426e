#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "profiler/kernels/cuda_source/syntax_tree.hpp"

namespace tilescope {

/// Nodes that are deeper below the node that gives them their meaning are not from a program.
inline constexpr int max_syntax_climb = 500;

/// The nearest node above of one of these types, within a bounded distance; none if there is none.
SyntaxNode ancestor(SyntaxNode node, std::initializer_list<std::string_view> types);

/// The identifier that a declarator declares, inside of pointers, arrays and parentheses.
SyntaxNode declared_name(SyntaxNode declarator);

/// The last part of a name without its template arguments: "max" of "std::max<int>".
std::string short_name_of(const SyntaxNode& function);

/// Name of a template parameter: "T" of "typename T", "N" of "int N = 4"; "" if it has none.
std::string template_parameter_name(const SyntaxNode& parameter);

/// A macro's text without its comments.
std::string without_comments(std::string text);

/// Whether it stands in no function and no class.
bool is_at_file_scope(const SyntaxNode& node);

/// A declaration with the parameters of its templates.
SyntaxNode with_templates(SyntaxNode node);

/// Names of the namespaces and classes around a node with "::" behind each; unnamed ones are left out.
std::string qualification_of(const SyntaxNode& node);

}  // namespace tilescope
