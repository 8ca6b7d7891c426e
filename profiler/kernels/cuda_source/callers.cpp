#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/cuda_source/evaluator.hpp"

namespace tilescope {
namespace {

std::size_t required_parameters(const SyntaxNode& parameters) {
  std::size_t count = 0;
  for (const SyntaxNode& parameter : parameters.operands())
    count += parameter.is("parameter_declaration") ? 1 : 0;
  return count;
}

// "<float, 4>" of "run<float, 4>(x)"; "" without them.
std::string template_arguments_of(const SyntaxNode& call) {
  SyntaxNode function = call.child("function");
  for (int steps = 0; steps < 100 && function.is("qualified_identifier"); ++steps)
    function = function.child("name");
  return function.is("template_function") ? function.child("arguments").text() : "";
}

bool fits(const FunctionDefinition& function, std::size_t arguments) {
  return arguments >= required_parameters(function.parameters) &&
         arguments <= function.parameters.operands().size();
}

}  // namespace

Evaluator::Frame& Evaluator::frame_of_function(int function) {
  Frame*& frame = function_frames_[function];
  if (!frame) {
    const SyntaxNode owner =
        function < 0 ? SyntaxNode() : index_.functions()[static_cast<std::size_t>(function)].node;
    frame = &new_frame(function, owner);
  }
  return *frame;
}

Evaluator::Place Evaluator::place_of(const SyntaxNode& node) {
  return {&frame_of_function(node ? index_.function_of(node) : -1), node.begin()};
}

/// A call in the file, see find_call; a call in a function that has this one as its argument; or the first call
/// that hands the function to a helper with its arguments behind it: benchmark(repeats, launch, grid, n).
void Evaluator::find_caller(Frame& frame) {
  frame.is_bound = true;
  if (frame.function < 0) return;
  const FunctionDefinition& function = index_.functions()[static_cast<std::size_t>(frame.function)];
  if (const SyntaxNode call = find_call(frame)) {
    frame.call_line = call.line();
    bind(frame, function.parameters, call.child("arguments").operands(), place_of(call));
    return bind_template(frame, function.template_parameters, call, place_of(call));
  }
  if (find_caller_through_parameter(frame)) return;
  for (const NamedArgument& argument : index_.arguments_named(function.short_name)) {
    auto arguments = argument.arguments.operands();
    while (!arguments.empty() && !(arguments.front() == argument.node)) arguments.erase(arguments.begin());
    if (arguments.size() < 2 || !fits(function, arguments.size() - 1)) continue;
    arguments.erase(arguments.begin());
    frame.call_line = argument.node.line();
    bind(frame, function.parameters, arguments, place_of(argument.node));
    return bind_template(frame, function.template_parameters, argument.node, place_of(argument.node));
  }
}

/// The first call that fits and is not behind a condition that is false; the first one if all are. Among calls with
/// several lists of template arguments the one of the chosen instance.
SyntaxNode Evaluator::find_call(Frame& frame) {
  constexpr std::size_t max_tried = 20;
  const FunctionDefinition& function = index_.functions()[static_cast<std::size_t>(frame.function)];
  SyntaxNode first;
  std::map<std::string, SyntaxNode> instances;
  std::vector<SyntaxNode> ordered;
  std::size_t tried = 0;
  for (const SyntaxNode& call : index_.calls_of(function.short_name)) {
    const Place place = place_of(call);
    if (place.frame == &frame || !fits(function, call.child("arguments").operands().size())) continue;
    if (!first) first = call;
    const SyntaxNode owner = place.frame->owner;
    const std::string arguments = template_arguments_of(call);
    // Suggestions must not leave out instances, which are known by their number.
    const bool before = std::exchange(without_suggestions_, without_suggestions_ || !arguments.empty());
    const bool is_never =
        owner && ++tried <= max_tried && reach(call, {place.frame, owner.end() - 1}) == Reach::never;
    without_suggestions_ = before;
    if (is_never) continue;
    if (arguments.empty() && ordered.empty()) return call;
    if (!arguments.empty() && instances.emplace(arguments, call).second) ordered.push_back(call);
  }
  if (ordered.empty()) return first;
  frame.is_one_of_several = ordered.size() > 1;
  has_instances_ |= frame.is_one_of_several;
  const auto wanted = static_cast<std::size_t>(std::max(instance_, 0));
  return ordered[std::min(wanted, ordered.size() - 1)];
}

/// A call of a parameter in a function of the file that gets this function as its argument:
/// void measure(Launch f, int n) { f(x, n); } ... measure(launch, 1024);
bool Evaluator::find_caller_through_parameter(Frame& frame) {
  const FunctionDefinition& function = index_.functions()[static_cast<std::size_t>(frame.function)];
  for (const NamedArgument& argument : index_.arguments_named(function.short_name)) {
    const SyntaxNode outer_call = argument.arguments.parent();
    const auto outer_arguments = argument.arguments.operands();
    const auto position = std::find(outer_arguments.begin(), outer_arguments.end(), argument.node);
    for (const std::size_t i : index_.functions_named(short_name_of(outer_call.child("function")))) {
      const FunctionDefinition& helper = index_.functions()[i];
      const auto parameters = helper.parameters.operands();
      const auto at = static_cast<std::size_t>(position - outer_arguments.begin());
      if (at >= parameters.size()) continue;
      const std::string name = declared_name(parameters[at].child("declarator")).text();
      for (const SyntaxNode& call : index_.calls_of(name)) {
        const auto arguments = call.child("arguments").operands();
        if (index_.function_of(call) != static_cast<int>(i) || !fits(function, arguments.size())) continue;
        Frame& between = new_frame(static_cast<int>(i), helper.node);
        between.is_bound = true;
        between.call_line = outer_call.line();
        bind(between, helper.parameters, outer_arguments, place_of(outer_call));
        bind_template(between, helper.template_parameters, outer_call, place_of(outer_call));
        frame.call_line = call.line();
        bind(frame, function.parameters, arguments, {&between, call.begin()});
        bind_template(frame, function.template_parameters, argument.node, place_of(argument.node));
        return true;
      }
    }
  }
  return false;
}

const Evaluator::Bound* Evaluator::binding(const Frame& frame, const std::string& name) {
  // Frames are this object's own; they are const where they are only looked at.
  if (!frame.is_bound) find_caller(const_cast<Frame&>(frame));
  const auto found = frame.bindings.find(name);
  return found == frame.bindings.end() ? nullptr : &found->second;
}

}  // namespace tilescope
