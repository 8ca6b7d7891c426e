#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/kernels/cuda_source/syntax_names.hpp"
#include "profiler/kernels/cuda_source/syntax_tree.hpp"

namespace tilescope {

/// Definition of a function, also of a kernel.
struct FunctionDefinition {
  std::string name;        ///< with its namespaces and classes
  std::string short_name;  ///< the last part
  SyntaxNode node, declarator, parameters, template_parameters;
  bool is_kernel = false, is_on_device = false, is_on_host = true;
};

/// Place that may give a name a value.
struct ValueEvent {
  enum Kind { declaration, parameter, assignment, address_taken, range_loop, enumerator, member };
  Kind kind = declaration;
  std::string name;
  std::string field;      ///< "x" of "grid.x = 3", or ""
  std::string owner;      ///< the class of a member
  std::string type;       ///< as declared, or ""
  std::string operation;  ///< "=", "+=", "++" of an assignment
  SyntaxNode node;        ///< the whole
  SyntaxNode value;       ///< or none
  SyntaxNode scope;   ///< block in which a declared name is visible; the function or lambda of a parameter
  int function = -1;  ///< index of the definition in which it stands, -1 at file scope
  bool is_array = false, is_constant = false;
};

struct SourceMacro {
  std::string name;
  bool has_parameters = false;
  std::vector<std::string> parameters;
  std::string body;            ///< without comments
  int line = 0;                ///< from 1
  std::uint32_t position = 0;  ///< [byte] where the body begins
};

/// Argument of a call that is a name alone: how a function is handed to a helper that calls it.
struct NamedArgument {
  SyntaxNode node, arguments;
};

/// Lines behind a file's own that are a header's: the first of them, and the header with its line.
struct BorrowedLines {
  int first = 0;
  std::string header;
  int line = 0;
};

/// Nodes of a file by what they are for its launches, found in one walk.
class SourceIndex {
 public:
  /// `borrowed`: by ascending lines.
  explicit SourceIndex(const SyntaxTree& tree, std::vector<BorrowedLines> borrowed = {});

  const std::vector<FunctionDefinition>& functions() const { return functions_; }
  /// In the order of the text.
  const std::vector<ValueEvent>& events() const { return events_; }
  const std::vector<SourceMacro>& macros() const { return macros_; }
  const std::vector<SyntaxNode>& launches() const { return launches_; }
  const std::vector<SyntaxNode>& includes() const { return includes_; }
  /// Explicit instantiations of templates.
  const std::vector<SyntaxNode>& instances() const { return instances_; }
  const std::vector<SyntaxNode>& returns() const { return returns_; }

  /// Indices, in the order of the text; none for an unknown name.
  const std::vector<std::size_t>& events_of(const std::string& name) const;
  const std::vector<std::size_t>& functions_named(const std::string& short_name) const;
  const std::vector<SyntaxNode>& calls_of(const std::string& short_name) const;
  const std::vector<NamedArgument>& arguments_named(const std::string& name) const;
  /// The first definition of a macro, null if there is none.
  const SourceMacro* macro(const std::string& name) const;
  /// Definition of a struct or a class, none for an unknown name.
  SyntaxNode structure(const std::string& name) const;
  /// The type that a typedef or an alias stands for, "" if there is none.
  std::string alias(const std::string& name) const;
  /// Index of the definition in which a node stands, -1 at file scope.
  int function_of(const SyntaxNode& node) const;
  bool is_own(int line) const { return borrowed_.empty() || line < borrowed_.front().first; }
  /// "line 12", or "line 10 of util.cuh" for a definition of a header.
  std::string place_of_line(int line) const;

 private:
  void take(const SyntaxNode& node);
  void take_function(const SyntaxNode& node);
  void take_declaration(const SyntaxNode& node);
  void take_parameter(const SyntaxNode& node);
  void take_write(const SyntaxNode& node);
  void take_loop(const SyntaxNode& node);
  void take_macro(const SyntaxNode& node);
  void take_call(const SyntaxNode& node);
  void take_alias(const SyntaxNode& node);
  bool takes_place_of(const std::string& name, const SyntaxNode& definition);
  void take_structure(const SyntaxNode& node);
  void add(ValueEvent event);

  std::vector<FunctionDefinition> functions_;
  std::vector<int> outer_functions_;
  std::vector<BorrowedLines> borrowed_;
  std::vector<ValueEvent> events_;
  std::vector<SourceMacro> macros_;
  std::vector<SyntaxNode> launches_, includes_, instances_, returns_;
  std::map<std::string, std::vector<std::size_t>> events_by_name_, functions_by_name_;
  std::map<std::string, std::vector<SyntaxNode>> calls_;
  std::map<std::string, std::vector<NamedArgument>> named_arguments_;
  std::map<std::string, std::size_t> macros_by_name_;
  std::map<std::string, std::string> aliases_;
  /// Names whose first definition stands in a branch that is not compiled.
  std::set<std::string> not_compiled_;
  std::map<std::string, SyntaxNode> structures_;
};

}  // namespace tilescope
