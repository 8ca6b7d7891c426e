#include "profiler/kernels/cuda_source/api_launches.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/kernels/cuda_source/host_names.hpp"
#include "profiler/kernels/cuda_source/syntax_names.hpp"

namespace tilescope {
namespace {

bool is_extended(const SyntaxNode& call) {
  return short_name_of(call.child("function")) == "cudaLaunchKernelEx";
}

/// The newest value that a variable or its member has before a launch in its function, none if it has none.
SyntaxNode value_before(const SourceIndex& index, const std::string& name, const std::string& field,
                        const SyntaxNode& call) {
  constexpr int max_steps = 10'000;
  const auto& events = index.events_of(name);
  const int function = index.function_of(call);
  int steps = 0;
  for (auto i = events.rbegin(); i != events.rend() && ++steps < max_steps; ++i) {
    const ValueEvent& event = index.events()[*i];
    if (event.function == function && event.value && event.field == field && event.node.end() <= call.begin())
      return event.value;
  }
  return {};
}

/// Variable behind an address: `a` of "(void*)&a".
SyntaxNode addressed(const SyntaxNode& address) {
  const SyntaxNode node = without_casts(address);
  const bool is_address = node.is("pointer_expression") && node.child("operator").source() == "&";
  return is_address ? node.child("argument") : SyntaxNode();
}

std::vector<SyntaxNode> addressed_arguments(const SourceIndex& index, const SyntaxNode& array,
                                            const SyntaxNode& call) {
  const SyntaxNode node = without_casts(array);
  const SyntaxNode list = node.is("identifier") ? value_before(index, node.text(), "", call) : node;
  std::vector<SyntaxNode> arguments;
  if (list.is("initializer_list"))
    for (const SyntaxNode& address : list.operands()) arguments.push_back(addressed(address));
  return arguments;
}

/// A member of a cudaLaunchConfig_t: as it is assigned, or the one of its initializer.
SyntaxNode configured(const SourceIndex& index, const std::string& name, const SyntaxNode& call,
                      std::size_t member) {
  constexpr std::array<const char*, 4> members = {"gridDim", "blockDim", "dynamicSmemBytes", "stream"};
  if (const SyntaxNode assigned = value_before(index, name, members[member], call)) return assigned;
  const SyntaxNode list = value_before(index, name, "", call);
  if (!list.is("initializer_list")) return {};
  const auto operands = list.operands();
  for (const SyntaxNode& one : operands)
    if (one.is("initializer_pair") && one.child("designator").text() == std::string(".") + members[member])
      return one.child("value");
  const bool has_it = member < operands.size() && !operands[member].is("initializer_pair");
  return has_it && operands.size() > 1 ? operands[member] : SyntaxNode();
}

}  // namespace

bool is_api_launch(const SyntaxNode& call) {
  const std::string name = short_name_of(call.child("function"));
  if (!name.starts_with("cudaLaunch")) return false;
  const std::size_t arguments = call.child("arguments").operands().size();
  if (name == "cudaLaunchKernelEx") return arguments >= 2;
  return (name == "cudaLaunchKernel" || name == "cudaLaunchCooperativeKernel") && arguments >= 4;
}

SyntaxNode api_launch_kernel(const SyntaxNode& call) {
  SyntaxNode kernel = without_casts(call.child("arguments").operands()[is_extended(call) ? 1 : 0]);
  if (kernel.is("pointer_expression")) kernel = kernel.child("argument");
  return kernel;
}

void read_api_launch(const SourceIndex& index, LaunchNodes& nodes) {
  const auto operands = nodes.call.child("arguments").operands();
  const std::array<SyntaxNode*, 4> parts = {&nodes.grid, &nodes.block, &nodes.shared, &nodes.stream};
  if (!is_extended(nodes.call)) {
    constexpr std::array<std::size_t, 4> places = {1, 2, 4, 5};
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (places[i] < operands.size()) *parts[i] = operands[places[i]];
    nodes.arguments = addressed_arguments(index, operands[3], nodes.call);
    return;
  }
  nodes.arguments.assign(operands.begin() + 2, operands.end());
  const SyntaxNode address = addressed(operands[0]);
  const std::string config = (address ? address : operands[0]).text();
  for (std::size_t i = 0; i < parts.size(); ++i) *parts[i] = configured(index, config, nodes.call, i);
}

}  // namespace tilescope
