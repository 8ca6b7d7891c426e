#include "profiler/execution/ptx/shared_uses.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

#include "profiler/execution/ptx/call_graph.hpp"
#include "profiler/execution/ptx/text/function_name.hpp"

namespace tilescope::ptx {
namespace {

/// A bit for each array that a register's value may come from, in the order of SharedUses::arrays.
using Sources = std::uint64_t;
// Arrays beyond these, and the extern one, share a bit that names none of them.
constexpr std::size_t most_arrays = 63;
constexpr Sources other = Sources{1} << most_arrays;

// They write values into registers that were read from memory: no known address.
constexpr std::array<std::string_view, 12> loads = {
    "ld", "ldu", "atom", "ldmatrix", "wmma", "mma", "wgmma", "tex", "suld", "call", "movmatrix", "mbarrier"};

bool is_load(const InstructionSyntax& instruction) {
  return instruction.words.empty() || std::ranges::find(loads, instruction.words.front()) != loads.end();
}

class Reader {
 public:
  Reader(const Module& module, std::uint32_t kernel) : module_(module), graph_(call_graph(module, kernel)) {}

  SharedUses read() {
    add_module_arrays();
    for (const std::uint32_t number : graph_.functions) {
      for (const Variable& variable : module_.functions[number].variables) add(variable);
    }
    for (const std::uint32_t number : graph_.functions) follow(module_.functions[number]);
    return std::move(uses_);
  }

 private:
  void add_module_arrays() {
    std::set<std::uint32_t> named;
    for (const std::uint32_t number : graph_.functions) {
      for (const InstructionSyntax& instruction : module_.functions[number].body)
        find_named(instruction.operands, named);
    }
    for (const std::uint32_t index : named) add(module_.variables[index]);
  }

  static void find_named(const std::vector<OperandSyntax>& operands, std::set<std::uint32_t>& named) {
    for (const OperandSyntax& operand : operands) {
      if (operand.kind == OperandSyntax::Kind::variable && !operand.is_local && !operand.is_parameter)
        named.insert(operand.index);
      find_named(operand.elements, named);
    }
  }

  void add(const Variable& variable) {
    if (variable.space != Space::shared) return;
    const std::string name = short_function_name(variable.name);
    if (variable.is_extern && variable.bytes == 0) {
      if (uses_.dynamic.empty()) uses_.dynamic = name;
      sources_[&variable] = other;
      return;
    }
    sources_[&variable] = uses_.arrays.size() < most_arrays ? Sources{1} << uses_.arrays.size() : other;
    uses_.arrays.push_back({unique(name), variable.bytes, variable.align});
  }

  std::string unique(const std::string& name) {
    const int count = ++names_[name];
    return count == 1 ? name : name + " (" + std::to_string(count) + ")";
  }

  Sources sources_of(const Function& function, const std::vector<Sources>& registers,
                     const OperandSyntax& operand) const {
    if (operand.kind == OperandSyntax::Kind::reg && operand.index < registers.size())
      return registers[operand.index];
    if (operand.kind == OperandSyntax::Kind::variable && !operand.is_parameter) {
      const std::vector<Variable>& variables = operand.is_local ? function.variables : module_.variables;
      const auto found =
          operand.index < variables.size() ? sources_.find(&variables[operand.index]) : sources_.end();
      return found == sources_.end() ? 0 : found->second;
    }
    Sources all = 0;
    for (const OperandSyntax& element : operand.elements) all |= sources_of(function, registers, element);
    return all;
  }

  static bool add_to(const OperandSyntax& target, Sources sources, std::vector<Sources>& registers) {
    bool is_new = false;
    if (target.kind == OperandSyntax::Kind::reg && target.index < registers.size()) {
      is_new = (registers[target.index] | sources) != registers[target.index];
      registers[target.index] |= sources;
    }
    for (const OperandSyntax& element : target.elements) is_new |= add_to(element, sources, registers);
    return is_new;
  }

  /// Until no register gets a further source: a loop may hand an address back.
  void follow(const Function& function) {
    std::vector<Sources> registers(function.registers.size());
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (const InstructionSyntax& instruction : function.body) {
        if (instruction.operands.size() < 2 || is_load(instruction)) continue;
        Sources sources = 0;
        for (std::size_t i = 1; i < instruction.operands.size(); ++i)
          sources |= sources_of(function, registers, instruction.operands[i]);
        if (sources != 0) is_new |= add_to(instruction.operands.front(), sources, registers);
      }
    }
    for (const InstructionSyntax& instruction : function.body) take_access(function, registers, instruction);
  }

  void take_access(const Function& function, const std::vector<Sources>& registers,
                   const InstructionSyntax& instruction) {
    Sources sources = 0;
    for (const OperandSyntax& operand : instruction.operands) {
      if (operand.kind == OperandSyntax::Kind::address) sources |= sources_of(function, registers, operand);
    }
    if (std::has_single_bit(sources) && sources != other)
      uses_.array_at[instruction.position.line] = static_cast<std::size_t>(std::countr_zero(sources));
  }

  const Module& module_;
  const CallGraph graph_;
  std::map<const Variable*, Sources> sources_;
  std::map<std::string, int> names_;
  SharedUses uses_;
};

}  // namespace

SharedUses shared_uses(const Module& module, std::string_view entry) {
  const auto kernel = std::ranges::find_if(module.functions, [&](const Function& function) {
    return function.is_entry && function.name == entry;
  });
  if (kernel == module.functions.end())
    throw PtxError("there is no kernel '" + std::string(entry) + "' in the PTX", {});
  return Reader(module, static_cast<std::uint32_t>(kernel - module.functions.begin())).read();
}

}  // namespace tilescope::ptx
