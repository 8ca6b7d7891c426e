#include "profiler/kernels/cuda_source/launch_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/kernels/cuda_source/api_launches.hpp"

namespace tilescope {
namespace {

/// The kernel's expression: of a variable, "auto kernel = softmax<float, 64>", it is the value.
SyntaxNode kernel_expression(const SourceIndex& index, const SyntaxNode& call) {
  SyntaxNode node = is_api_launch(call) ? api_launch_kernel(call) : call.child("function");
  for (int steps = 0; steps < 100 && (node.is("parenthesized_expression") || node.is("pointer_expression"));
       ++steps) {
    const auto operands = node.operands();
    if (operands.size() != 1) break;
    node = operands[0];
  }
  if (!node.is("identifier")) return node;
  const int function = index.function_of(call);
  const auto& events = index.events_of(node.text());
  for (auto i = events.rbegin(); i != events.rend(); ++i) {
    const ValueEvent& event = index.events()[*i];
    if (event.function != function || event.node.end() > call.begin() || !event.value) continue;
    SyntaxNode value = event.value;
    if (value.is("pointer_expression")) value = value.child("argument");
    const SyntaxNode named = value.is("call_expression") ? value.child("function") : value;
    if (!index.functions_named(short_name_of(named)).empty()) return value;
  }
  return node;
}

/// Kernels that a function of the file names, as one does that chooses an instance.
std::vector<std::string> kernels_named_in(const SourceIndex& index, const FunctionDefinition& function) {
  std::vector<std::string> kernels;
  for (std::uint32_t i = function.node.index(); i < function.node.past(); ++i) {
    const SyntaxNode node = function.node.tree().node(i);
    if (!node.is("identifier")) continue;
    for (const std::size_t named : index.functions_named(node.text())) {
      const FunctionDefinition& kernel = index.functions()[named];
      if (kernel.is_kernel && std::ranges::find(kernels, kernel.name) == kernels.end())
        kernels.push_back(kernel.name);
    }
  }
  return kernels;
}

std::string written_name(SyntaxNode node) {
  std::string name = node.text();
  const std::size_t arguments = name.find('<');
  if (arguments != std::string::npos && node.source().ends_with('>')) name.resize(arguments);
  while (name.ends_with(' ')) name.pop_back();
  if (name.starts_with("::")) name.erase(0, 2);
  return name;
}

/// Name of the file's kernel that a name means, the name itself if there is none.
std::string resolved_kernel(const SourceIndex& index, const SyntaxNode& expression, const SyntaxNode& call) {
  const std::string written = written_name(expression);
  std::string found;
  std::size_t best = 0;
  const std::string around = qualification_of(call);
  for (const std::size_t i : index.functions_named(short_name_of(expression))) {
    const FunctionDefinition& function = index.functions()[i];
    if (!function.is_kernel || !("::" + function.name).ends_with("::" + written)) continue;
    const auto same = std::mismatch(around.begin(), around.end(), function.name.begin(), function.name.end());
    const auto depth = static_cast<std::size_t>(same.first - around.begin()) + 1;
    if (depth > best) found = function.name;
    best = std::max(best, depth);
  }
  return found.empty() ? written : found;
}

SyntaxNode template_arguments_of(SyntaxNode node) {
  for (int steps = 0; steps < 100 && node.is("qualified_identifier"); ++steps) node = node.child("name");
  if (node.is("field_expression")) node = node.child("field");
  return node.is("template_function") || node.is("template_method") ? node.child("arguments") : SyntaxNode();
}

}  // namespace

LaunchNodes launch_nodes(const SourceIndex& index, const SyntaxNode& call) {
  LaunchNodes nodes;
  nodes.call = call;
  nodes.template_place = kernel_expression(index, call);
  nodes.template_arguments = template_arguments_of(nodes.template_place).operands();
  if (is_api_launch(call)) {
    read_api_launch(index, nodes);
    return nodes;
  }
  const auto configuration = call.child_of_type("kernel_call_syntax").operands();
  const std::array<SyntaxNode*, 4> places = {&nodes.grid, &nodes.block, &nodes.shared, &nodes.stream};
  for (std::size_t i = 0; i < std::min(places.size(), configuration.size()); ++i)
    *places[i] = configuration[i];
  nodes.arguments = call.child("arguments").operands();
  return nodes;
}

std::vector<std::string> chosen_kernels(const SourceIndex& index, const SyntaxNode& call) {
  const SyntaxNode expression = kernel_expression(index, call);
  std::vector<std::string> kernels;
  if (!expression.is("call_expression")) return kernels;
  for (const std::size_t i : index.functions_named(short_name_of(expression.child("function")))) {
    const FunctionDefinition& function = index.functions()[i];
    if (function.is_kernel || !kernels.empty()) continue;
    kernels = kernels_named_in(index, function);
  }
  return kernels;
}

SourceLaunch read_launch(const SourceIndex& index, const SyntaxNode& call) {
  const LaunchNodes nodes = launch_nodes(index, call);
  SourceLaunch launch;
  launch.kernel = resolved_kernel(index, nodes.template_place, call);
  for (const SyntaxNode& argument : nodes.template_arguments)
    launch.template_arguments.push_back(argument.text());
  const int function = index.function_of(call);
  if (function >= 0) launch.host_function = index.functions()[static_cast<std::size_t>(function)].name;
  launch.line = call.line();
  launch.grid = nodes.grid.text();
  launch.block = nodes.block.text();
  launch.shared = nodes.shared.text();
  launch.stream = nodes.stream.text();
  for (const SyntaxNode& argument : nodes.arguments) launch.arguments.push_back(argument.text());
  launch.is_cooperative = short_name_of(call.child("function")) == "cudaLaunchCooperativeKernel";
  launch.position = call.begin();
  return launch;
}

}  // namespace tilescope
