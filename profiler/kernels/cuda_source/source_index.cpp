#include "profiler/kernels/cuda_source/source_index.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "profiler/kernels/cuda_source/api_launches.hpp"
#include "profiler/kernels/cuda_source/undefined_branches.hpp"

namespace tilescope {
namespace {

template <typename Map>
const typename Map::mapped_type& found_or_empty(const Map& map, const std::string& name) {
  static const typename Map::mapped_type empty;
  const auto found = map.find(name);
  return found == map.end() ? empty : found->second;
}

/// A declaration's type with its qualifiers, without its storage: "const int".
std::string declared_type(const SyntaxNode& node) {
  std::string type;
  for (const SyntaxNode& part : node.operands())
    if (part.is("type_qualifier") || part.field() == "type") type += (type.empty() ? "" : " ") + part.text();
  return type;
}

bool has_constant_qualifier(const SyntaxNode& node) {
  for (const SyntaxNode& part : node.operands())
    if (part.is("type_qualifier") && (part.source() == "const" || part.source() == "constexpr")) return true;
  return false;
}

bool contains_type(SyntaxNode declarator, std::string_view type) {
  for (std::uint32_t i = declarator.index(); declarator && i < declarator.past(); ++i) {
    const SyntaxNode node = declarator.tree().node(i);
    if (node.is(type)) return true;
    if (node.is("argument_list") || node.is("initializer_list") || node.is("parameter_list")) return false;
  }
  return false;
}

SyntaxNode block_of(const SyntaxNode& node) {
  return ancestor(node, {"compound_statement", "for_statement", "for_range_loop", "if_statement",
                         "while_statement", "lambda_expression", "function_definition", "translation_unit"});
}

}  // namespace

SourceIndex::SourceIndex(const SyntaxTree& tree, std::vector<BorrowedLines> borrowed)
    : borrowed_(std::move(borrowed)) {
  for (std::uint32_t i = 0; i < tree.size();) {
    const SyntaxNode node = tree.node(i);
    if (is_dead_branch(node)) {
      const SyntaxNode alternative = node.child("alternative");
      i = alternative ? alternative.index() : node.past();
      continue;
    }
    if (node.is_named()) take(node);
    ++i;
  }
}

void SourceIndex::take(const SyntaxNode& node) {
  const std::string_view type = node.type();
  if (type == "function_definition") return take_function(node);
  if (type == "declaration" || type == "field_declaration" || type == "enumerator")
    return take_declaration(node);
  if (type == "parameter_declaration" || type == "optional_parameter_declaration")
    return take_parameter(node);
  if (type == "assignment_expression" || type == "update_expression" || type == "pointer_expression")
    return take_write(node);
  if (type == "for_range_loop") return take_loop(node);
  if (type == "preproc_def" || type == "preproc_function_def") return take_macro(node);
  if (type == "call_expression") return take_call(node);
  if (type == "struct_specifier" || type == "class_specifier") return take_structure(node);
  if (type == "alias_declaration" || type == "type_definition") return take_alias(node);
  if (type == "preproc_include") includes_.push_back(node);
  if (type == "template_instantiation") instances_.push_back(node);
  if (type == "return_statement") returns_.push_back(node);
}

void SourceIndex::take_function(const SyntaxNode& node) {
  FunctionDefinition function;
  function.node = node;
  function.declarator = node.child("declarator");
  while (function.declarator && !function.declarator.is("function_declarator"))
    function.declarator = function.declarator.child("declarator");
  const SyntaxNode name = declared_name(function.declarator);
  if (!name) return;
  function.parameters = function.declarator.child("parameters");
  if (node.parent().is("template_declaration"))
    function.template_parameters = node.parent().child("parameters");
  function.short_name = short_name_of(name);
  function.name = qualification_of(node) + name.text();
  function.is_kernel = static_cast<bool>(node.child_of_type("__global__"));
  function.is_on_device = function.is_kernel || node.child_of_type("__device__");
  function.is_on_host = !function.is_on_device || node.child_of_type("__host__");
  outer_functions_.push_back(function_of(node));
  functions_by_name_[function.short_name].push_back(functions_.size());
  functions_.push_back(std::move(function));
}

void SourceIndex::take_declaration(const SyntaxNode& node) {
  const bool is_member = node.is("field_declaration");
  ValueEvent event;
  event.type = declared_type(node);
  event.scope = block_of(node);
  event.is_constant = has_constant_qualifier(node);
  if (node.is("enumerator")) {
    event.kind = ValueEvent::enumerator;
    event.name = node.child("name").text();
    event.node = node;
    event.value = node.child("value");
    return add(std::move(event));
  }
  if (is_member) {
    event.kind = ValueEvent::member;
    event.owner = ancestor(node, {"struct_specifier", "class_specifier"}).child("name").text();
  }
  for (const SyntaxNode& declarator : node.children()) {
    if (declarator.field() != "declarator") continue;
    ValueEvent one = event;
    const SyntaxNode name = declared_name(declarator);
    one.name = name.text();
    one.node = declarator;
    one.value = is_member ? node.child("default_value") : declarator.child("value");
    // A variable with names as its arguments, dim3 grid(M, N), reads like the declaration of a function.
    if (!one.value && declarator.is("function_declarator")) one.value = declarator.child("parameters");
    one.is_array = contains_type(declarator, "array_declarator");
    if (contains_type(declarator, "pointer_declarator")) one.type += "*";
    if (name) add(std::move(one));
  }
}

void SourceIndex::take_parameter(const SyntaxNode& node) {
  // Up to the function or lambda whose own list it is in: not a prototype's, not a function pointer's.
  const SyntaxNode list = node.parent();
  SyntaxNode owner = list.parent();
  const SyntaxNode name = declared_name(node.child("declarator"));
  if (!list.is("parameter_list") || !name) return;
  for (int steps = 0; steps < max_syntax_climb && owner; ++steps) {
    if (owner.is("function_definition") || owner.is("lambda_expression")) break;
    if (!owner.type().ends_with("declarator") || owner.parent().is("declaration")) return;
    owner = owner.parent();
  }
  ValueEvent event;
  event.kind = ValueEvent::parameter;
  event.name = name.text();
  event.type = declared_type(node);
  if (contains_type(node.child("declarator"), "pointer_declarator")) event.type += "*";
  event.node = node;
  event.value = node.child("default_value");
  event.scope = owner;
  add(std::move(event));
}

void SourceIndex::take_write(const SyntaxNode& node) {
  ValueEvent event;
  event.kind = ValueEvent::assignment;
  SyntaxNode target = node.child(node.is("assignment_expression") ? "left" : "argument");
  event.operation = node.child("operator").text();
  if (node.is("assignment_expression")) event.value = node.child("right");
  if (node.is("pointer_expression")) {
    const SyntaxNode above = node.parent().is("cast_expression") ? node.parent().parent() : node.parent();
    if (event.operation != "&" || !above.is("argument_list")) return;
    event.kind = ValueEvent::address_taken;
  }
  if (target.is("field_expression")) {
    event.field = target.child("field").text();
    target = target.child("argument");
  }
  if (!target.is("identifier")) return;
  event.name = target.text();
  event.node = node;
  add(std::move(event));
}

void SourceIndex::take_loop(const SyntaxNode& node) {
  const SyntaxNode name = declared_name(node.child("declarator"));
  if (!name) return;
  ValueEvent event;
  event.kind = ValueEvent::range_loop;
  event.name = name.text();
  event.type = declared_type(node);
  event.node = name;
  event.value = node.child("right");
  event.scope = node;
  add(std::move(event));
}

void SourceIndex::take_macro(const SyntaxNode& node) {
  SourceMacro macro;
  macro.name = node.child("name").text();
  macro.line = node.line();
  const SyntaxNode parameters = node.child("parameters");
  macro.has_parameters = static_cast<bool>(parameters);
  for (const SyntaxNode& parameter : parameters.operands()) macro.parameters.push_back(parameter.text());
  macro.body = without_comments(node.child("value").text());
  macro.position = node.child("value").begin();
  const bool takes_place = takes_place_of(macro.name, node);
  const auto [place, is_new] = macros_by_name_.emplace(macro.name, macros_.size());
  if (takes_place && !is_new) place->second = macros_.size();
  macros_.push_back(std::move(macro));
}

void SourceIndex::take_call(const SyntaxNode& node) {
  if (node.child_of_type("kernel_call_syntax")) {
    launches_.push_back(node);
    return;
  }
  if (is_api_launch(node)) launches_.push_back(node);
  const std::string name = short_name_of(node.child("function"));
  if (!name.empty()) calls_[name].push_back(node);
  const SyntaxNode arguments = node.child("arguments");
  for (const SyntaxNode& argument : arguments.operands()) {
    if (argument.is("identifier") || argument.is("template_function"))
      named_arguments_[short_name_of(argument)].push_back({argument, arguments});
  }
}

void SourceIndex::take_alias(const SyntaxNode& node) {
  const SyntaxNode name = node.child(node.is("alias_declaration") ? "name" : "declarator");
  if (!name.is("type_identifier")) return;
  const auto [alias, is_new] = aliases_.emplace(name.text(), node.child("type").text());
  if (!takes_place_of(name.text(), node) || is_new) return;
  alias->second = node.child("type").text();
}

/// Whether a definition goes before the first one of its name, which stands in a branch that is not compiled.
bool SourceIndex::takes_place_of(const std::string& name, const SyntaxNode& definition) {
  const auto is_defined = [this](const std::string& macro) { return macros_by_name_.contains(macro); };
  if (is_in_undefined_branch(definition, is_defined)) {
    not_compiled_.insert(name);
    return false;
  }
  return not_compiled_.erase(name) > 0;
}

void SourceIndex::take_structure(const SyntaxNode& node) {
  if (!node.child("body")) return;
  if (const SyntaxNode name = node.child("name")) structures_.emplace(name.text(), node);
  const SyntaxNode alias =
      node.parent().is("type_definition") ? node.parent().child("declarator") : SyntaxNode();
  if (alias.is("type_identifier")) structures_.emplace(alias.text(), node);
}

void SourceIndex::add(ValueEvent event) {
  event.function = function_of(event.node);
  events_by_name_[event.name].push_back(events_.size());
  events_.push_back(std::move(event));
}

const std::vector<std::size_t>& SourceIndex::events_of(const std::string& name) const {
  return found_or_empty(events_by_name_, name);
}
const std::vector<std::size_t>& SourceIndex::functions_named(const std::string& short_name) const {
  return found_or_empty(functions_by_name_, short_name);
}
const std::vector<SyntaxNode>& SourceIndex::calls_of(const std::string& short_name) const {
  return found_or_empty(calls_, short_name);
}
const std::vector<NamedArgument>& SourceIndex::arguments_named(const std::string& name) const {
  return found_or_empty(named_arguments_, name);
}
const SourceMacro* SourceIndex::macro(const std::string& name) const {
  const auto found = macros_by_name_.find(name);
  return found == macros_by_name_.end() ? nullptr : &macros_[found->second];
}
SyntaxNode SourceIndex::structure(const std::string& name) const {
  return found_or_empty(structures_, name);
}
std::string SourceIndex::alias(const std::string& name) const {
  return found_or_empty(aliases_, name);
}

int SourceIndex::function_of(const SyntaxNode& node) const {
  const auto behind = std::upper_bound(
      functions_.begin(), functions_.end(), node.index(),
      [](std::uint32_t index, const FunctionDefinition& function) { return index < function.node.index(); });
  int function = static_cast<int>(behind - functions_.begin()) - 1;
  while (function >= 0 && functions_[static_cast<std::size_t>(function)].node.past() <= node.index())
    function = outer_functions_[static_cast<std::size_t>(function)];
  return function;
}

std::string SourceIndex::place_of_line(int line) const {
  if (is_own(line)) return "line " + std::to_string(line);
  const BorrowedLines& from =
      *std::prev(std::ranges::upper_bound(borrowed_, line, {}, &BorrowedLines::first));
  return "line " + std::to_string(from.line + line - from.first) + " of " + from.header;
}

}  // namespace tilescope
