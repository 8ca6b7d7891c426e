#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/source_index.hpp"
#include "profiler/kernels/cuda_source/syntax_tree.hpp"

namespace tilescope {

/// Trees of expressions that are texts: bodies of macros, expressions that a caller has. Each is parsed once.
class ExpressionCache {
 public:
  /// Root of an expression, none if the text is not one, or is longer than 10,000 bytes.
  SyntaxNode parse(const std::string& expression);
  /// A call of a macro with its arguments in place of its parameters. None if the result is not an expression.
  SyntaxNode expand(const SourceMacro& macro, const std::vector<SyntaxNode>& arguments);
  /// An expression in which "(M) - (N) * 2" is a difference: C++ reads it so where M is not a type, but the grammar does
  /// not know that. `is_type` says which names are types.
  template <typename IsType>
  SyntaxNode without_false_casts(const SyntaxNode& expression, const IsType& is_type) {
    std::vector<SyntaxNode> names;
    for (std::uint32_t i = expression.index(); expression && i < expression.past(); ++i) {
      const SyntaxNode type = expression.tree().node(i).child("type");
      if (is_false_cast(expression.tree().node(i)) && !is_type(type.text())) names.push_back(type);
    }
    return names.empty() ? expression : without_parentheses(expression, names);
  }

 private:
  static bool is_false_cast(const SyntaxNode& node);
  SyntaxNode without_parentheses(const SyntaxNode& expression, const std::vector<SyntaxNode>& names);

  std::map<std::string, std::unique_ptr<SyntaxTree>> trees_;
};

}  // namespace tilescope
