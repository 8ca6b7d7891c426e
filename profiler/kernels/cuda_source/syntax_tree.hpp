#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

class SyntaxTree;

/// Node of a SyntaxTree, or none. The tree must outlive it.
class SyntaxNode {
 public:
  SyntaxNode() = default;
  SyntaxNode(const SyntaxTree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}

  explicit operator bool() const { return tree_ != nullptr; }
  bool operator==(const SyntaxNode&) const = default;

  /// The grammar's name for it, such as "call_expression" or "+"; "" for none, as all texts here.
  std::string_view type() const;
  bool is(std::string_view type_name) const { return type() == type_name; }
  /// Text between its first and its last byte.
  std::string_view source() const;
  /// Its text without comments, with single spaces.
  std::string text() const;
  /// [byte] in the tree's text.
  std::uint32_t begin() const;
  std::uint32_t end() const;
  /// From 1.
  int line() const;
  /// Whether a byte of the same text is inside.
  bool encloses(std::uint32_t position) const { return begin() <= position && position < end(); }

  SyntaxNode parent() const;
  /// The first child that has this role in its parent, such as "arguments".
  SyntaxNode child(std::string_view field) const;
  /// The first child of this type.
  SyntaxNode child_of_type(std::string_view type_name) const;
  std::vector<SyntaxNode> children() const;
  /// Children without punctuation and comments.
  std::vector<SyntaxNode> operands() const;
  std::string_view field() const;
  bool is_named() const;
  /// It and all nodes below are [index, past) of the tree.
  std::uint32_t index() const { return index_; }
  std::uint32_t past() const;
  const SyntaxTree& tree() const { return *tree_; }

 private:
  const SyntaxTree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

/// Parsed CUDA C++, as an array of nodes in the order of the text: walking it takes no stack, however deep it is.
class SyntaxTree {
 public:
  /// Longer texts are not parsed. [bytes]
  static constexpr std::size_t max_text = std::size_t{8} << 20;
  /// Parsing stops after this time: a hostile text of 1 MB takes 10 seconds. [s]
  static constexpr double max_seconds = 4;

  explicit SyntaxTree(std::string text);
  SyntaxTree(const SyntaxTree&) = delete;
  SyntaxTree& operator=(const SyntaxTree&) = delete;

  /// Reason why there are no nodes, "" if there are.
  const std::string& problem() const { return problem_; }
  /// Text that was parsed: attributes that the grammar lacks are blank.
  const std::string& text() const { return text_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  SyntaxNode node(std::uint32_t index) const { return {*this, index}; }

 private:
  friend class SyntaxNode;
  struct Entry {
    std::uint32_t begin, end, line, parent, past;
    std::uint16_t symbol, field;
    bool is_named;
  };
  std::string text_, problem_;
  std::vector<Entry> nodes_;
};

/// Whether a node is in a branch of the preprocessor that is never compiled: "#if 0".
bool is_dead_branch(const SyntaxNode& preprocessor_if);

}  // namespace tilescope
