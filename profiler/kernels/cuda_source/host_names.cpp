#include "profiler/kernels/cuda_source/host_names.hpp"

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/syntax_names.hpp"

namespace tilescope {
namespace {

/// No variable of a program has a longer text. [bytes]
constexpr std::size_t max_name = 300;

std::string index_text(const SyntaxNode& indices) {
  const std::string text = indices.text();
  return indices.is("subscript_argument_list") ? text : "[" + text + "]";
}

std::string without_indices(const std::string& path) {
  std::string kind;
  int depth = 0;
  for (const char letter : path) {
    if (letter == '[' && depth++ == 0) kind += "[]";
    if (depth == 0) kind += letter;
    if (letter == ']' && depth > 0) --depth;
  }
  return kind;
}

std::string dereferenced(const std::string& path) {
  return path.starts_with("[0]") ? path.substr(3) : path;
}

}  // namespace

bool is_named_cast(std::string_view name) {
  return name == "static_cast" || name == "reinterpret_cast" || name == "const_cast";
}

SyntaxNode without_casts(SyntaxNode node) {
  for (int steps = 0; steps < 100; ++steps) {
    SyntaxNode inner;
    if (node.is("cast_expression")) {
      inner = node.child("value");
    } else if (node.is("call_expression") && is_named_cast(short_name_of(node.child("function")))) {
      node = node.child("arguments");
    }
    if (node.is("parenthesized_expression") || node.is("argument_list")) {
      const auto operands = node.operands();
      if (operands.size() == 1) inner = operands[0];
    }
    if (!inner) return node;
    node = inner;
  }
  return node;
}

std::optional<HostName> host_name_of(const SyntaxNode& expression) {
  HostName name;
  SyntaxNode node = expression;
  for (int steps = 0; steps < 100 && node && node.source().size() <= max_name; ++steps) {
    node = without_casts(node);
    if (node.is("identifier") || node.is("qualified_identifier")) {
      name.base = node.text();
      return name;
    }
    if (node.is("this") && name.path.starts_with('.') &&
        name.path.find_first_of(".[", 1) == std::string::npos)
      return HostName{name.path.substr(1), ""};
    if (node.is("field_expression")) {
      name.path.insert(0, "." + node.child("field").text());
    } else if (node.is("subscript_expression")) {
      name.path.insert(0, index_text(node.child("indices")));
    } else if (node.is("pointer_expression") && node.child("operator").source() == "*") {
      // A member of what a pointer points to is written like a member of the pointer.
      if (!name.path.starts_with('.')) name.path.insert(0, "[0]");
    } else {
      return std::nullopt;
    }
    node = node.child("argument");
  }
  return std::nullopt;
}

std::optional<HostName> pointee_of(const SyntaxNode& pointer) {
  const SyntaxNode node = without_casts(pointer);
  if (node.is("pointer_expression") && node.child("operator").source() == "&")
    return host_name_of(node.child("argument"));
  std::optional<HostName> name = host_name_of(node);
  if (name) name->path += "[0]";
  return name;
}

std::optional<HostName> part_of_argument(const SyntaxNode& argument, const std::string& path) {
  const SyntaxNode node = without_casts(argument);
  const bool is_address = node.is("pointer_expression") && node.child("operator").source() == "&";
  std::optional<HostName> name = host_name_of(is_address ? node.child("argument") : node);
  if (name) name->path += is_address ? dereferenced(path) : path;
  return name;
}

bool are_alike(const std::string& path, const std::string& other) {
  return path == other || without_indices(path) == without_indices(other);
}

std::string last_member(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot + 1, path.find('[', dot) - dot - 1);
}

bool is_null_pointer(const SyntaxNode& node) {
  const SyntaxNode value = without_casts(node);
  return value.is("null") || value.source() == "NULL" || value.source() == "nullptr" || value.source() == "0";
}

std::string pointee_type(const std::string& type) {
  std::string element = plain_type(type);
  while (!element.empty() && (element.back() == '*' || element.back() == '&' || element.back() == ' '))
    element.pop_back();
  return element;
}

}  // namespace tilescope
