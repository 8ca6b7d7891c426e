#include "profiler/kernels/cuda_source/undefined_branches.hpp"

#include <cctype>
#include <string_view>

#include "profiler/kernels/cuda_source/syntax_names.hpp"

namespace tilescope {
namespace {

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// "BF16" of "defined(BF16)" or "defined BF16" at a place behind "defined".
std::string name_behind(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '(')) ++at;
  std::size_t end = at;
  while (end < text.size() && is_name_letter(text[end])) ++end;
  return std::string(text.substr(at, end - at));
}

bool is_missing(const std::string& name, const std::function<bool(const std::string&)>& is_defined) {
  return !name.empty() && !name.starts_with("__") && !is_defined(name);
}

bool needs_missing(std::string_view condition, const std::function<bool(const std::string&)>& is_defined) {
  constexpr std::string_view defined = "defined";
  if (condition.find("||") != std::string_view::npos || condition.find('!') != std::string_view::npos)
    return false;
  for (std::size_t at = condition.find(defined); at != std::string_view::npos;
       at = condition.find(defined, at + 1))
    if (is_missing(name_behind(condition, at + defined.size()), is_defined)) return true;
  return false;
}

bool is_never_compiled(const SyntaxNode& branch, const std::function<bool(const std::string&)>& is_defined) {
  if (branch.is("preproc_if") || branch.is("preproc_elif"))
    return needs_missing(branch.child("condition").source(), is_defined);
  if (!branch.is("preproc_ifdef")) return false;
  const std::string_view source = branch.source(), line = source.substr(0, source.find('\n'));
  return line.find("ifndef") == std::string_view::npos && is_missing(branch.child("name").text(), is_defined);
}

}  // namespace

bool is_in_undefined_branch(const SyntaxNode& node,
                            const std::function<bool(const std::string&)>& is_defined) {
  SyntaxNode child = node, branch = node.parent();
  for (int steps = 0; steps < max_syntax_climb && branch; ++steps) {
    const SyntaxNode alternative = branch.child("alternative");
    const bool is_alternative = alternative && alternative.index() == child.index();
    if (!is_alternative && is_never_compiled(branch, is_defined)) return true;
    child = branch;
    branch = branch.parent();
  }
  return false;
}

}  // namespace tilescope
