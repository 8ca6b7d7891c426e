#include "profiler/execution/ptx/control_flow.hpp"

#include <algorithm>
#include <utility>

#include "profiler/execution/simt/program.hpp"

namespace tilescope::ptx {
namespace {

// Loops nested deeper than this keep the order of their components: no compiler generates them.
constexpr int deepest_nesting = 100;

// Tarjan's strongly connected components of a part of the graph, without recursion: a kernel may be one long chain of
// blocks.
class Components {
 public:
  Components(const ControlFlowGraph& graph, const std::vector<std::uint32_t>& part_of, std::uint32_t part,
             std::uint32_t head)
      : graph_(graph),
        part_of_(part_of),
        part_(part),
        head_(head),
        number_(graph.size(), 0),
        low_(graph.size(), 0) {}

  // Adds the components that `root` reaches, in reverse topological order.
  void visit(std::uint32_t root) {
    if (number_[root] != 0) return;
    enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next < graph_[step.node].size()) {
        const std::uint32_t to = graph_[step.node][step.next++];
        // A back edge to the head of the loop that is being ordered: not part of the order inside it.
        if (to == head_ || part_of_[to] != part_) continue;
        if (number_[to] == 0) {
          enter(to);
        } else if (number_[to] != done) {
          low_[step.node] = std::min(low_[step.node], number_[to]);
        }
      } else {
        leave();
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> found;

 private:
  static constexpr std::uint32_t done = no_index;
  struct Step {
    std::uint32_t node;
    std::size_t next;
  };

  void enter(std::uint32_t node) {
    number_[node] = low_[node] = ++count_;
    open_.push_back(node);
    path_.push_back({node, 0});
  }

  void leave() {
    const std::uint32_t node = path_.back().node;
    path_.pop_back();
    if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
    if (low_[node] != number_[node]) return;
    std::vector<std::uint32_t>& component = found.emplace_back();
    std::uint32_t member = no_index;
    do {
      member = open_.back();
      open_.pop_back();
      number_[member] = done;
      component.push_back(member);
    } while (member != node);  // the component's first visited block, its entry, comes last
    std::ranges::reverse(component);
  }

  const ControlFlowGraph& graph_;
  const std::vector<std::uint32_t>& part_of_;
  std::uint32_t part_, head_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> number_, low_, open_;
  std::vector<Step> path_;
};

class Ordering {
 public:
  explicit Ordering(const ControlFlowGraph& graph) : graph_(graph), part_of_(graph.size(), 0) {}

  // Orders the blocks of a part: the whole graph (head: none), or the inside of a loop, its head first.
  void order(std::uint32_t part, std::uint32_t head, const std::vector<std::uint32_t>& blocks, int depth) {
    Components components(graph_, part_of_, part, head);
    for (const std::uint32_t block : blocks) components.visit(block);
    auto found = std::move(components.found);
    for (auto component = found.rbegin(); component != found.rend(); ++component) {
      if (component->size() == 1 || depth == deepest_nesting) {
        result.insert(result.end(), component->begin(), component->end());
        continue;
      }
      const std::uint32_t inner = ++parts_;
      for (const std::uint32_t block : *component) part_of_[block] = inner;
      order(inner, component->front(), *component, depth + 1);
    }
  }

  std::vector<std::uint32_t> result;

 private:
  const ControlFlowGraph& graph_;
  std::vector<std::uint32_t> part_of_;
  std::uint32_t parts_ = 0;
};

std::vector<std::uint32_t> reachable_from_entry(const ControlFlowGraph& graph) {
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> reached = {0};
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const std::uint32_t to : graph[reached[i]]) {
      if (!seen[to]) reached.push_back(to);
      seen[to] = true;
    }
  }
  return reached;
}

}  // namespace

std::vector<std::uint32_t> weak_topological_order(const ControlFlowGraph& graph) {
  if (graph.empty()) return {};
  Ordering ordering(graph);
  ordering.order(0, no_index, reachable_from_entry(graph), 0);
  std::vector<bool> placed(graph.size(), false);
  for (const std::uint32_t block : ordering.result) placed[block] = true;
  for (std::uint32_t block = 0; block < graph.size(); ++block) {
    if (!placed[block]) ordering.result.push_back(block);
  }
  return ordering.result;
}

}  // namespace tilescope::ptx
