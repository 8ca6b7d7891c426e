#include <string>

#include "profiler/kernels/cuda_source/cpp_types.hpp"
#include "profiler/kernels/cuda_source/evaluator.hpp"
#include "profiler/kernels/cuda_source/evaluator_level.hpp"

namespace tilescope {

bool Evaluator::is_type(const std::string& name) const {
  if (arithmetic_type(name) || size_of_type(name) || !index_.alias(name).empty()) return true;
  return index_.events_of(name).empty() && !index_.macro(name);
}

/// The type behind aliases, macros and the template parameters of the function: the name itself if there is none.
std::string Evaluator::resolved_type(const std::string& type, const Place& place) {
  const Level level(*this);
  std::string name = plain_type(type);
  if (level.is_too_deep() || arithmetic_type(name) || size_of_type(name)) return name;
  for (const Frame* frame = place.frame; frame; frame = frame->outer) {
    const auto& functions = index_.functions();
    if (frame->function < 0) continue;
    for (const SyntaxNode& parameter :
         functions[static_cast<std::size_t>(frame->function)].template_parameters.operands()) {
      if (template_parameter_name(parameter) != name) continue;
      if (!frame->is_bound) binding(*frame, name);
      if (instance_ == open_instance && frame->is_one_of_several) return name;
      if (const Bound* bound = binding(*frame, name); bound && bound->value.text() != name)
        return resolved_type(bound->value.text(), bound->place);
      if (const SyntaxNode by_default = parameter.child("default_type"))
        return resolved_type(by_default.text(), place);
    }
  }
  if (const std::string alias = index_.alias(name);
      !alias.empty() && alias != name && alias.find('{') == std::string::npos)
    return resolved_type(alias, place);
  const SourceMacro* macro = index_.macro(name);
  if (macro && !macro->has_parameters && size_of_type(macro->body)) return macro->body;
  return name;
}

Evaluator::Number Evaluator::size_of(const SyntaxNode& node, const Place& place) {
  const auto sized = [&](const std::string& type) { return bytes_of_type(type, place); };
  SyntaxNode operand = node.child("type") ? node.child("type") : node.child("value");
  while (operand.is("parenthesized_expression") && operand.operands().size() == 1)
    operand = operand.operands()[0];
  const bool is_element = operand.is("subscript_expression") || operand.is("pointer_expression");
  const SyntaxNode object = is_element ? operand.child("argument") : operand;
  const ValueEvent* declaration = object.is("identifier") ? declaration_of(object.text(), place) : nullptr;
  Number result;
  if (!declaration) {
    if (!is_element) result = sized(operand.text());
  } else if (is_element) {
    const std::string type = declaration->type.ends_with('*')
                                 ? declaration->type.substr(0, declaration->type.size() - 1)
                                 : declaration->type;
    result = sized(type);
  } else if (!declaration->is_array) {
    result = sized(declaration->type);
  } else if (const std::size_t count = declaration->value.operands().size(); count > 0) {
    const Number element = sized(declaration->type);
    if (element) result = combine(*element, "*", CppNumber::of_size(static_cast<std::int64_t>(count)));
  }
  return result ? result : opaque(node, place);
}

/// A number, or a type behind its aliases.
std::string Evaluator::template_argument(const SyntaxNode& node, const Place& place) {
  steps_ = 0;
  const std::string type = resolved_type(node.text(), place);
  Number number;
  if (!size_of_type(type)) number = root_value(node, place);
  facts_.clear();
  unknown_.clear();
  return number ? number->text() : type;
}

}  // namespace tilescope
