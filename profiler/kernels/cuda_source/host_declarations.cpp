#include "profiler/kernels/cuda_source/host_declarations.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "profiler/kernels/cuda_source/syntax_names.hpp"
#include "profiler/kernels/cuda_source/syntax_tree.hpp"

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 8> of_device = {"__device__", "__global__",  "__constant__",
                                                       "__shared__", "__managed__", "constexpr",
                                                       "texture",    "surface"};

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_for_device(std::string_view text) {
  return std::ranges::any_of(of_device, [&](std::string_view word) { return has_part(text, word); });
}

// A type is used by device code although the variable is not.
bool defines_type(const SyntaxNode& declaration) {
  return static_cast<bool>(declaration.child("type").child("body"));
}

// Device code reads constant numbers of the host.
bool is_constant_number(const SyntaxNode& declaration) {
  const std::string type = declaration.child("type").text();
  for (const SyntaxNode& part : declaration.operands())
    if (part.is("type_qualifier") && part.source() == "const")
      return !has_part(type, "std::") && !has_part(type, "dim3") && !has_part(type, "<");
  return false;
}

bool has_lines_alone(std::string_view text, const SyntaxNode& node) {
  const std::size_t before = text.find_last_not_of(" \t", node.begin() == 0 ? 0 : node.begin() - 1);
  const std::size_t behind = text.find_first_not_of(" \t\r", node.end());
  const bool begins = node.begin() == 0 || before == std::string_view::npos || text[before] == '\n';
  return begins && (behind == std::string_view::npos || text[behind] == '\n' || text[behind] == '/');
}

// A macro's call without a semicolon is not parsed to its end.
bool is_whole(std::string_view declaration) {
  return declaration.ends_with(';') &&
         std::ranges::count(declaration, '(') == std::ranges::count(declaration, ')');
}

}  // namespace

std::vector<SourceFunction> read_host_declarations(const SyntaxTree& tree) {
  std::vector<SourceFunction> declarations;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const SyntaxNode node = tree.node(i);
    if (!node.is("declaration") || !is_at_file_scope(node)) continue;
    const SyntaxNode whole = with_templates(node);
    const std::string_view text = whole.source();
    if (is_for_device(text) || defines_type(node) || is_constant_number(node)) continue;
    if (!is_whole(text) || !has_lines_alone(tree.text(), whole)) continue;
    const int lines = static_cast<int>(std::ranges::count(text, '\n'));
    declarations.push_back({"", whole.line(), whole.line() + lines});
  }
  return declarations;
}

}  // namespace tilescope
