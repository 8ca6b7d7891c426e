#include "profiler/kernels/cuda_source/header_definitions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "profiler/kernels/cuda_source/syntax_names.hpp"
#include "profiler/kernels/cuda_source/undefined_branches.hpp"

namespace tilescope {
namespace {

// Helpers of a launch are short. [bytes]
constexpr std::size_t max_text = 3000, max_text_of_all = std::size_t{128} << 10U;

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_constant(const SyntaxNode& declaration) {
  return std::ranges::any_of(declaration.operands(), [](const SyntaxNode& part) {
    return part.is("type_qualifier") && (part.source() == "const" || part.source() == "constexpr");
  });
}

class DefinitionReader {
 public:
  explicit DefinitionReader(const SyntaxTree& tree) : tree_(tree) {}

  std::vector<SourceDefinition> read() {
    for (std::uint32_t i = 0; i < tree_.size();) {
      const SyntaxNode node = tree_.node(i);
      if (is_dead_branch(node)) {
        const SyntaxNode alternative = node.child("alternative");
        i = alternative ? alternative.index() : node.past();
        continue;
      }
      take(node);
      i = node.is("function_definition") ? node.past() : i + 1;
    }
    leave_out_not_compiled();
    return std::move(definitions_);
  }

 private:
  // Where another definition of the name is compiled.
  void leave_out_not_compiled() {
    std::size_t at = 0;
    std::erase_if(definitions_, [&](const SourceDefinition& definition) {
      return !is_compiled_[at++] && compiled_.contains(definition.name);
    });
  }

  void take(const SyntaxNode& node) {
    const std::string_view type = node.type();
    if (type == "preproc_def" || type == "preproc_function_def") return take_macro(node);
    if (type == "function_definition") return take_function(node);
    if (type == "declaration") return take_constants(node);
    if (type == "enum_specifier") return take_enumerators(node);
    if (type == "struct_specifier" || type == "class_specifier") return take_structure(node);
    if (type == "alias_declaration" || type == "type_definition") return take_alias(node);
  }

  void add(std::string name, const SyntaxNode& whole, const char* end = "") {
    if (name.empty()) return;
    const auto is_defined = [this](const std::string& macro) { return macros_.contains(macro); };
    is_compiled_.push_back(!is_in_undefined_branch(whole, is_defined));
    if (is_compiled_.back()) compiled_.insert(name);
    const std::string_view text = whole.source();
    const bool is_short = text.size() <= max_text;
    definitions_.push_back(
        {std::move(name), is_short ? std::string(text) + end : std::string(), "", whole.line()});
  }

  // A macro with a launch or a kernel is one of its own file.
  void take_macro(const SyntaxNode& node) {
    const std::string_view value = node.child("value").source();
    macros_.insert(node.child("name").text());
    if (value.empty() || has_part(value, "<<<") || has_part(value, "__global__")) return;
    add(node.child("name").text(), node);
  }

  void take_function(const SyntaxNode& node) {
    const bool is_of_device = node.child_of_type("__global__") ||
                              (node.child_of_type("__device__") && !node.child_of_type("__host__"));
    if (is_of_device || !is_at_file_scope(node) || has_part(node.source(), "<<<")) return;
    SyntaxNode declarator = node.child("declarator");
    while (declarator && !declarator.is("function_declarator")) declarator = declarator.child("declarator");
    add(short_name_of(declared_name(declarator)), with_templates(node));
  }

  void take_constants(const SyntaxNode& node) {
    if (!is_at_file_scope(node) || !is_constant(node) || node.parent().is("template_declaration")) return;
    for (const SyntaxNode& declarator : node.children())
      if (declarator.field() == "declarator" && declarator.child("value"))
        add(declared_name(declarator).text(), node);
  }

  void take_enumerators(const SyntaxNode& node) {
    if (!is_at_file_scope(node)) return;
    for (const SyntaxNode& enumerator : node.child("body").operands())
      add(enumerator.child("name").text(), node, ";");
  }

  void take_structure(const SyntaxNode& node) {
    if (!node.child("body") || !is_at_file_scope(node) || node.parent().is("template_declaration")) return;
    add(node.child("name").text(), node, ";");
  }

  void take_alias(const SyntaxNode& node) {
    if (!is_at_file_scope(node) || node.parent().is("template_declaration")) return;
    add(node.child(node.is("alias_declaration") ? "name" : "declarator").text(), node);
  }

  const SyntaxTree& tree_;
  std::vector<SourceDefinition> definitions_;
  /// By definition.
  std::vector<bool> is_compiled_;
  /// Names of definitions that are compiled, and of all macros.
  std::set<std::string> compiled_, macros_;
};

std::set<std::string> words_of(std::string_view text) {
  const auto is_letter = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  std::set<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > at) words.emplace(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

}  // namespace

std::vector<SourceDefinition> read_definitions(const SyntaxTree& tree) {
  return DefinitionReader(tree).read();
}

std::vector<SourceDefinition> used_definitions(const std::string& text,
                                               const std::vector<SourceDefinition>& own,
                                               const std::vector<HeaderDefinitions>& headers) {
  std::map<std::string, SourceDefinition> by_name;
  for (const auto& [header, definitions] : headers) {
    for (SourceDefinition definition : definitions) {
      definition.header = header;
      by_name.try_emplace(definition.name, definition);
    }
  }
  std::set<std::string> done;
  for (const SourceDefinition& definition : own) done.insert(definition.name);
  std::vector<SourceDefinition> used;
  std::set<std::pair<std::string, int>> places;
  std::size_t bytes = 0;
  const auto take_words = [&](std::string_view from) {
    for (const std::string& word : words_of(from)) {
      const auto found = by_name.find(word);
      if (found == by_name.end() || !done.insert(word).second) continue;
      const SourceDefinition& definition = found->second;
      // Enumerators share their definition.
      if (definition.text.empty() || !places.emplace(definition.header, definition.line).second) continue;
      bytes += definition.text.size();
      if (bytes <= max_text_of_all) used.push_back(definition);
    }
  };
  take_words(text);
  // The list grows while it is read.
  for (std::size_t i = 0; i < used.size(); ++i) take_words(std::string(used[i].text));
  return used;
}

}  // namespace tilescope
