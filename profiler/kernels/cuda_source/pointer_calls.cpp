#include <algorithm>
#include <set>
#include <string>

#include "profiler/kernels/cuda_source/buffer_finder.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"
#include "profiler/kernels/cuda_source/syntax_names.hpp"

namespace tilescope {
namespace {

/// Methods of vectors, tensors and pointers that keep the memory, or its size.
const std::set<std::string> transparent_methods = {"data",           "data_ptr", "mutable_data_ptr",
                                                   "const_data_ptr", "get",      "contiguous",
                                                   "clone",          "cuda",     "view",
                                                   "reshape",        "flatten",  "detach",
                                                   "transpose",      "permute",  "squeeze",
                                                   "unsqueeze",      "to",       "value",
                                                   "begin",          "zero_",    "t"};

SyntaxNode written_types(SyntaxNode function) {
  if (function.is("field_expression")) function = function.child("field");
  for (int steps = 0; steps < 100 && function.is("qualified_identifier"); ++steps)
    function = function.child("name");
  return function.child("arguments");
}

}  // namespace

BufferFinder::Found BufferFinder::call(const SyntaxNode& node, const Place& place) {
  const SyntaxNode function = node.child("function");
  const std::string name = short_name_of(function);
  const auto arguments = node.child("arguments").operands();
  if (is_named_cast(name) && arguments.size() == 1) {
    const auto types = function.child("arguments").operands();
    return cast(arguments[0], types.empty() ? SyntaxNode() : types[0], place);
  }
  if ((name == "raw_pointer_cast" || name == "move" || name == "get_if") && arguments.size() == 1)
    return pointer(arguments[0], place);
  if (function.is("field_expression") && !name.starts_with("new_")) return method(node, place);
  if (Found found = tensor(name, node, place)) return found;
  if (is_vector(function.text(), place)) return vector(function.text(), node.child("arguments"), node, place);
  if (const SourceMacro* macro = index_.macro(name); macro && macro->has_parameters)
    if (const SyntaxNode expanded = evaluator_.expressions_.expand(*macro, arguments))
      return pointer(expanded, place);
  return returned(node, place);
}

BufferFinder::Found BufferFinder::method(const SyntaxNode& node, const Place& place) {
  const SyntaxNode function = node.child("function");
  if (!transparent_methods.contains(short_name_of(function))) return std::nullopt;
  Found found = pointer(function.child("argument"), place);
  if (!found) return found;
  const auto types = written_types(function).operands();
  if (!types.empty()) {
    found->element = evaluator_.resolved_type(types[0].text(), place);
    if (!found->bytes) found->scalar = found->element;
  }
  if (short_name_of(function) == "to" && !found->bytes)
    if (const std::string scalar = scalar_of(node.child("arguments").operands(), place); !scalar.empty())
      found->scalar = scalar;
  return found;
}

/// The pointer that a host function of the file returns.
BufferFinder::Found BufferFinder::returned(const SyntaxNode& node, const Place& place) {
  const auto arguments = node.child("arguments").operands();
  for (const std::size_t i : index_.functions_named(short_name_of(node.child("function")))) {
    const FunctionDefinition& function = index_.functions()[i];
    if (!function.is_on_host || arguments.size() > function.parameters.operands().size()) continue;
    Evaluator::Frame& frame = evaluator_.new_frame(static_cast<int>(i), function.node);
    frame.is_bound = true;
    evaluator_.bind(frame, function.parameters, arguments, place);
    evaluator_.bind_template(frame, function.template_parameters, node, place);
    const auto& returns = index_.returns();
    auto one = std::lower_bound(returns.begin(), returns.end(), function.node.index(),
                                [](const SyntaxNode& at, std::uint32_t index) { return at.index() < index; });
    for (; one != returns.end() && one->index() < function.node.past() && !is_spent(); ++one) {
      take_step();
      const auto operands = one->operands();
      if (operands.size() != 1 || index_.function_of(*one) != frame.function) continue;
      if (Found found = pointer(operands[0], {&frame, one->begin()})) {
        found->name.clear();
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tilescope
