#include "profiler/kernels/cuda_source/expression_cache.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

constexpr std::string_view before = "auto v = ";
constexpr std::size_t max_expression = 10'000;

bool has_error(const SyntaxTree& tree) {
  for (std::uint32_t i = 0; i < tree.size(); ++i)
    if (tree.node(i).is("ERROR")) return true;
  return false;
}

SyntaxNode value_of(const SyntaxTree& tree, std::size_t length) {
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const SyntaxNode node = tree.node(i);
    if (!node.is("init_declarator")) continue;
    const SyntaxNode value = node.child("value");
    return value.begin() == before.size() && value.end() == before.size() + length ? value : SyntaxNode();
  }
  return {};
}

bool is_one_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  });
}

/// Writes text[begin, end) of a tree with some of its nodes replaced.
class Replacer {
 public:
  explicit Replacer(const SyntaxNode& whole)
      : text_(whole.tree().text()), at_(whole.begin()), end_(whole.end()) {}
  void replace(std::uint32_t begin, std::uint32_t end, const std::string& by) {
    result_.append(text_, at_, begin - at_).append(by);
    at_ = end;
  }
  std::string finish() { return result_.append(text_, at_, end_ - at_); }

 private:
  const std::string& text_;
  std::uint32_t at_, end_;
  std::string result_;
};

}  // namespace

SyntaxNode ExpressionCache::parse(const std::string& expression) {
  if (expression.size() > max_expression) return {};
  auto& tree = trees_[expression];
  if (!tree) tree = std::make_unique<SyntaxTree>(std::string(before) + expression + ";");
  return has_error(*tree) ? SyntaxNode() : value_of(*tree, expression.size());
}

SyntaxNode ExpressionCache::expand(const SourceMacro& macro, const std::vector<SyntaxNode>& arguments) {
  if (macro.parameters.size() != arguments.size()) return {};
  const SyntaxNode body = parse(macro.body);
  if (!body) return {};
  Replacer replacer(body);
  for (std::uint32_t i = body.index(); i < body.past(); ++i) {
    const SyntaxNode node = body.tree().node(i);
    if (node.past() != i + 1 || !node.is_named()) continue;
    const auto parameter = std::find(macro.parameters.begin(), macro.parameters.end(), node.source());
    if (parameter == macro.parameters.end()) continue;
    const std::string text = arguments[static_cast<std::size_t>(parameter - macro.parameters.begin())].text();
    replacer.replace(node.begin(), node.end(), text);
  }
  // Every parameter that the macro has in parentheses may look like a cast, "(a) - (b)", once it is a single word.
  std::string text = replacer.finish();
  for (const SyntaxNode& argument : arguments) {
    if (const std::string word = argument.text(); is_one_word(word)) {
      const std::string enclosed = "(" + word + ")";
      for (std::size_t at = text.find(enclosed); at != std::string::npos; at = text.find(enclosed, at + 1)) {
        const char left = at > 0 ? text[at - 1] : ' ';
        if (std::isalnum(static_cast<unsigned char>(left)) || left == '_' || left == ')' || left == '>')
          continue;
        text[at] = text[at + enclosed.size() - 1] = ' ';
      }
    }
  }
  while (text.starts_with(' ')) text.erase(0, 1);
  while (text.ends_with(' ')) text.pop_back();
  return parse(text);
}

bool ExpressionCache::is_false_cast(const SyntaxNode& node) {
  if (!node.is("cast_expression")) return false;
  const SyntaxNode type = node.child("type");
  const SyntaxNode value = node.child("value");
  return is_one_word(type.source()) && (value.is("unary_expression") || value.is("pointer_expression"));
}

SyntaxNode ExpressionCache::without_parentheses(const SyntaxNode& expression,
                                                const std::vector<SyntaxNode>& names) {
  Replacer replacer(expression);
  for (const SyntaxNode& name : names) {
    const SyntaxNode cast = name.parent();
    const auto closing = cast.child_of_type(")");
    replacer.replace(cast.begin(), closing.end(), " " + name.text() + " ");
  }
  std::string text = replacer.finish();
  while (text.starts_with(' ')) text.erase(0, 1);
  while (text.ends_with(' ')) text.pop_back();
  const SyntaxNode repaired = parse(text);
  return repaired ? repaired : expression;
}

}  // namespace tilescope
