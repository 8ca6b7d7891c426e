#include "profiler/execution/ptx/call_graph.hpp"

#include <algorithm>
#include <utility>

namespace tilescope::ptx {

std::uint32_t CallGraph::position_of(std::uint32_t function) const {
  const auto found = std::ranges::find(functions, function);
  return found == functions.end() ? no_index : static_cast<std::uint32_t>(found - functions.begin());
}

bool CallGraph::reaches(std::uint32_t from, std::uint32_t to) const {
  std::vector<bool> seen(functions.size(), false);
  std::vector<std::uint32_t> open = {from};
  while (!open.empty()) {
    const std::uint32_t caller = open.back();
    open.pop_back();
    for (const std::uint32_t callee : calls[caller]) {
      if (callee == to) return true;
      if (!seen[callee]) open.push_back(callee);
      seen[callee] = true;
    }
  }
  return false;
}

bool CallGraph::is_recursive() const {
  for (std::uint32_t position = 0; position < functions.size(); ++position) {
    if (reaches(position, position)) return true;
  }
  return false;
}

std::vector<std::uint32_t> CallGraph::callees_first() const {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(functions.size(), false);
  std::vector<std::pair<std::uint32_t, std::size_t>> path = {{0, 0}};  // a position, the next of its calls
  seen[0] = true;
  while (!path.empty()) {
    auto& [caller, next] = path.back();
    if (next == calls[caller].size()) {
      order.push_back(caller);
      path.pop_back();
      continue;
    }
    const std::uint32_t callee = calls[caller][next++];
    if (!seen[callee]) path.emplace_back(callee, 0);
    seen[callee] = true;
  }
  return order;
}

CallGraph call_graph(const Module& module, std::uint32_t kernel) {
  CallGraph graph;
  graph.functions = {kernel};
  for (std::size_t caller = 0; caller < graph.functions.size(); ++caller) {
    std::vector<std::uint32_t>& calls = graph.calls.emplace_back();
    for (const InstructionSyntax& instruction : module.functions[graph.functions[caller]].body) {
      if (instruction.words[0] != "call") continue;
      for (const OperandSyntax& operand : instruction.operands) {
        if (operand.kind != OperandSyntax::Kind::function || operand.index == no_index) continue;
        if (!module.functions[operand.index].has_body) continue;
        std::uint32_t position = graph.position_of(operand.index);
        if (position == no_index) {
          position = static_cast<std::uint32_t>(graph.functions.size());
          graph.functions.push_back(operand.index);
        }
        if (std::ranges::find(calls, position) == calls.end()) calls.push_back(position);
      }
    }
  }
  return graph;
}

}  // namespace tilescope::ptx
