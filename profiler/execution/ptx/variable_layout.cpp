#include "profiler/execution/ptx/variable_layout.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "profiler/execution/ptx/text/function_name.hpp"
#include "profiler/execution/simt/address_space.hpp"

namespace tilescope::ptx {
namespace {

constexpr std::uint64_t most_static_shared = 48 * 1024;
constexpr std::uint64_t most_local = 512 * 1024;
constexpr std::uint64_t most_global = std::uint64_t{1} << 30;

std::uint64_t aligned(std::uint64_t offset, std::uint32_t alignment) {
  const std::uint64_t multiple = std::max<std::uint32_t>(alignment, 1);
  return (offset + multiple - 1) / multiple * multiple;
}

void collect_module_variables(const std::vector<OperandSyntax>& operands, std::set<std::uint32_t>& named) {
  for (const OperandSyntax& operand : operands) {
    if (operand.kind == OperandSyntax::Kind::variable && !operand.is_local && !operand.is_parameter) {
      named.insert(operand.index);
    }
    collect_module_variables(operand.elements, named);
  }
}

// A state space in which variables are placed one after the other.
struct Region {
  std::uint64_t most;
  const char* what;
  std::uint64_t end = 0;

  std::uint64_t place(const Variable& variable) {
    const std::uint64_t offset = aligned(end, variable.align);
    if (variable.bytes > most || offset > most - variable.bytes) {
      throw Unsupported("PTX line " + std::to_string(variable.position.line) + ": with '" +
                            std::string(variable.name) + "' the kernel's " + what + " exceeds " +
                            std::to_string(most) + " B",
                        variable.position);
    }
    end = offset + variable.bytes;
    return offset;
  }
};

class Layouter {
 public:
  Layouter(const Module& module, const CallGraph& graph) : module_(module), graph_(graph) {
    layout_.module_addresses.assign(module.variables.size(), 0);
    layout_.functions.resize(graph.functions.size());
  }

  VariableLayout run() {
    find_named_shared();
    place_module_variables();
    for (std::uint32_t position = 0; position < graph_.functions.size(); ++position) place_function(position);
    layout_.static_shared_bytes = static_cast<std::uint32_t>(aligned(shared_.end, 16));
    place_dynamic();
    place_frames();
    fill_globals();
    return std::move(layout_);
  }

 private:
  static bool is_dynamic(const Variable& variable) { return variable.is_extern && variable.bytes == 0; }

  void add_symbol(const Variable& variable, std::uint64_t offset) {
    layout_.shared_symbols.push_back({short_function_name(variable.name), static_cast<std::uint32_t>(offset),
                                      static_cast<std::uint32_t>(variable.bytes)});
  }

  const Function& function_at(std::uint32_t position) const {
    return module_.functions[graph_.functions[position]];
  }

  void find_named_shared() {
    std::set<std::uint32_t> named;
    for (std::uint32_t position = 0; position < graph_.functions.size(); ++position) {
      for (const InstructionSyntax& instruction : function_at(position).body) {
        collect_module_variables(instruction.operands, named);
      }
    }
    for (const std::uint32_t index : named) {
      if (module_.variables[index].space == Space::shared) named_shared_.insert(index);
    }
  }

  void place_module_variables() {
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      const Variable& variable = module_.variables[i];
      if (variable.space == Space::shared) {
        if (!named_shared_.contains(i) || is_dynamic(variable)) continue;
        layout_.module_addresses[i] = shared_.place(variable);
        add_symbol(variable, layout_.module_addresses[i]);
      } else {
        layout_.module_addresses[i] = module_memory_base + global_.place(variable);
        // A gap, so that an overrun does not reach the next variable.
        global_.end = aligned(global_.end, 256) + 256;
      }
    }
  }

  // Parameters that are not registers lie in the frame too: a call copies them there.
  void place_function(std::uint32_t position) {
    const Function& function = function_at(position);
    FunctionLayout& layout = layout_.functions[position];
    Region frame{most_local, "local memory a thread"};
    layout.variables.assign(function.variables.size(), 0);
    for (std::uint32_t i = 0; i < function.variables.size(); ++i) {
      const Variable& variable = function.variables[i];
      if (variable.space == Space::local || variable.space == Space::param) {
        layout.variables[i] = frame.place(variable);
        frame_alignment_ = std::max(frame_alignment_, variable.align);
      } else if (variable.space == Space::shared && !is_dynamic(variable)) {
        layout.variables[i] = shared_.place(variable);
        add_symbol(variable, layout.variables[i]);
      }
    }
    if (!function.is_entry) {
      for (const auto* parameters : {&function.parameters, &function.results}) {
        for (const Parameter& parameter : *parameters) {
          Variable variable;
          variable.name = parameter.name;
          variable.align = parameter.align;
          variable.bytes = parameter.registers.empty() ? parameter.bytes : 0;
          variable.position = function.position;
          layout.parameters.push_back(frame.place(variable));
          frame_alignment_ = std::max(frame_alignment_, parameter.align);
        }
      }
    }
    layout.frame_bytes = static_cast<std::uint32_t>(frame.end);
  }

  void place_frames() {
    std::uint64_t all = graph_.is_recursive() ? recursion_bytes : 0;
    for (FunctionLayout& layout : layout_.functions) {
      layout.frame_bytes = static_cast<std::uint32_t>(aligned(layout.frame_bytes, frame_alignment_));
      all += layout.frame_bytes;
    }
    if (all > most_local) {
      const Function& kernel = function_at(0);
      throw Unsupported("PTX line " + std::to_string(kernel.position.line) + ": the local memory of '" +
                            std::string(kernel.name) + "' and of the functions that it calls exceeds " +
                            std::to_string(most_local) + " B a thread",
                        kernel.position);
    }
    layout_.local_bytes = static_cast<std::uint32_t>(all);
  }

  void place_dynamic() {
    for (std::uint32_t position = 0; position < graph_.functions.size(); ++position) {
      const Function& function = function_at(position);
      for (std::uint32_t i = 0; i < function.variables.size(); ++i) {
        if (function.variables[i].space != Space::shared || !is_dynamic(function.variables[i])) continue;
        layout_.functions[position].variables[i] = layout_.static_shared_bytes;
        add_symbol(function.variables[i], layout_.static_shared_bytes);
      }
    }
    for (const std::uint32_t i : named_shared_) {
      if (!is_dynamic(module_.variables[i])) continue;
      layout_.module_addresses[i] = layout_.static_shared_bytes;
      add_symbol(module_.variables[i], layout_.static_shared_bytes);
    }
  }

  void fill_globals() {
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      const Variable& variable = module_.variables[i];
      if (variable.space != Space::global && variable.space != Space::constant) continue;
      GlobalVariable global{std::string(variable.name), layout_.module_addresses[i], variable.initial,
                            variable.space == Space::constant};
      global.initial.resize(variable.bytes);
      for (const Variable::AddressOf& entry : variable.addresses) {
        if (entry.variable >= module_.variables.size() || entry.offset + 8 > global.initial.size()) continue;
        std::uint64_t address =
            layout_.module_addresses[entry.variable] + static_cast<std::uint64_t>(entry.addend);
        if (entry.generic && module_.variables[entry.variable].space == Space::shared)
          address += shared_window;
        std::memcpy(global.initial.data() + entry.offset, &address, sizeof address);
      }
      layout_.globals.push_back(std::move(global));
    }
  }

  const Module& module_;
  const CallGraph& graph_;
  VariableLayout layout_;
  std::set<std::uint32_t> named_shared_;
  Region shared_{most_static_shared, "static shared memory"};
  Region global_{most_global, "global variables"};
  std::uint32_t frame_alignment_ = 16;  // [B]
};

}  // namespace

VariableLayout lay_out_variables(const Module& module, const CallGraph& graph) {
  return Layouter(module, graph).run();
}

}  // namespace tilescope::ptx
