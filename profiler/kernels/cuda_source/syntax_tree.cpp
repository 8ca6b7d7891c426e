#include "profiler/kernels/cuda_source/syntax_tree.hpp"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>

#include "profiler/kernels/cuda_source/masked_attributes.hpp"

extern "C" const TSLanguage* tree_sitter_cuda(void);

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

struct Delete {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

const char* read_all(void* text, std::uint32_t byte, TSPoint, std::uint32_t* count) {
  const auto& all = *static_cast<const std::string*>(text);
  *count = static_cast<std::uint32_t>(all.size() - std::min<std::size_t>(byte, all.size()));
  return all.data() + (all.size() - *count);
}

bool is_late(TSParseState* state) {
  return Clock::now() > *static_cast<const Clock::time_point*>(state->payload);
}

std::unique_ptr<TSTree, Delete> parse(const std::string& text) {
  const std::unique_ptr<TSParser, Delete> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), tree_sitter_cuda());
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(SyntaxTree::max_seconds));
  TSInput input{};
  input.payload = const_cast<std::string*>(&text);
  input.read = read_all;
  input.encoding = TSInputEncodingUTF8;
  const TSParseOptions options{&deadline, is_late};
  return std::unique_ptr<TSTree, Delete>(ts_parser_parse_with_options(parser.get(), nullptr, input, options));
}

}  // namespace

SyntaxTree::SyntaxTree(std::string text) : text_(std::move(text)) {
  if (text_.size() > max_text) {
    problem_ = "The file is longer than " + std::to_string(max_text >> 20) + " MB.";
    text_.clear();
    return;
  }
  mask_attributes(text_);
  const auto tree = parse(text_);
  if (!tree) {
    problem_ = "Parsing the file takes longer than " + std::to_string(static_cast<int>(max_seconds)) + " s.";
    return;
  }
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
  std::uint32_t parent = 0;
  const auto enter = [&] {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    nodes_.push_back({ts_node_start_byte(node), ts_node_end_byte(node), ts_node_start_point(node).row + 1,
                      parent, 0, ts_node_symbol(node), ts_tree_cursor_current_field_id(&cursor),
                      ts_node_is_named(node)});
  };
  enter();
  for (bool is_open = true; is_open;) {
    const std::uint32_t current = size() - 1;
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      parent = current;
      enter();
      continue;
    }
    nodes_[current].past = size();
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        is_open = false;
        break;
      }
      nodes_[parent].past = size();
      parent = nodes_[parent].parent;
    }
    if (is_open) enter();
  }
  ts_tree_cursor_delete(&cursor);
}

std::string_view SyntaxNode::type() const {
  return tree_ ? ts_language_symbol_name(tree_sitter_cuda(), tree_->nodes_[index_].symbol) : "";
}
std::uint32_t SyntaxNode::begin() const {
  return tree_ ? tree_->nodes_[index_].begin : 0;
}
std::uint32_t SyntaxNode::end() const {
  return tree_ ? tree_->nodes_[index_].end : 0;
}
std::uint32_t SyntaxNode::past() const {
  return tree_ ? tree_->nodes_[index_].past : 0;
}
int SyntaxNode::line() const {
  return tree_ ? static_cast<int>(tree_->nodes_[index_].line) : 0;
}
bool SyntaxNode::is_named() const {
  return tree_ && tree_->nodes_[index_].is_named;
}
std::string_view SyntaxNode::source() const {
  return tree_ ? std::string_view(tree_->text_).substr(begin(), end() - begin()) : std::string_view();
}

std::string SyntaxNode::text() const {
  std::string text;
  std::uint32_t at = begin();
  const auto add_until = [&](std::uint32_t stop) {
    for (; at < stop; ++at) {
      const char letter = tree_->text_[at];
      const bool is_space = std::isspace(static_cast<unsigned char>(letter)) != 0;
      if (!is_space && !(letter == '\\' && at + 1 < stop && tree_->text_[at + 1] == '\n')) {
        text += letter;
      } else if (!text.empty() && text.back() != ' ') {
        text += ' ';
      }
    }
  };
  for (std::uint32_t i = index_; tree_ && i < past(); ++i) {
    const SyntaxNode node(*tree_, i);
    if (!node.is("comment")) continue;
    add_until(node.begin());
    at = std::max(at, node.end());
  }
  add_until(end());
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

SyntaxNode SyntaxNode::parent() const {
  return tree_ && index_ > 0 ? SyntaxNode(*tree_, tree_->nodes_[index_].parent) : SyntaxNode();
}

std::string_view SyntaxNode::field() const {
  const char* name =
      tree_ ? ts_language_field_name_for_id(tree_sitter_cuda(), tree_->nodes_[index_].field) : nullptr;
  return name ? name : "";
}

SyntaxNode SyntaxNode::child(std::string_view field) const {
  for (std::uint32_t i = index_ + 1; tree_ && i < past(); i = tree_->nodes_[i].past) {
    const SyntaxNode node(*tree_, i);
    if (node.field() == field && !node.is("comment")) return node;
  }
  return {};
}

SyntaxNode SyntaxNode::child_of_type(std::string_view type_name) const {
  for (std::uint32_t i = index_ + 1; tree_ && i < past(); i = tree_->nodes_[i].past)
    if (SyntaxNode(*tree_, i).is(type_name)) return {*tree_, i};
  return {};
}

std::vector<SyntaxNode> SyntaxNode::children() const {
  std::vector<SyntaxNode> found;
  for (std::uint32_t i = index_ + 1; tree_ && i < past(); i = tree_->nodes_[i].past)
    found.emplace_back(*tree_, i);
  return found;
}

std::vector<SyntaxNode> SyntaxNode::operands() const {
  std::vector<SyntaxNode> found = children();
  std::erase_if(found, [](const SyntaxNode& node) { return !node.is_named() || node.is("comment"); });
  return found;
}

bool is_dead_branch(const SyntaxNode& preprocessor_if) {
  return preprocessor_if.is("preproc_if") && preprocessor_if.child("condition").source() == "0";
}

}  // namespace tilescope
