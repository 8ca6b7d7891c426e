#include "profiler/execution/ptx/build_program.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "profiler/execution/ptx/call_graph.hpp"
#include "profiler/execution/ptx/control_flow.hpp"
#include "profiler/execution/ptx/decoder.hpp"
#include "profiler/execution/ptx/instructions/float_facts.hpp"
#include "profiler/execution/ptx/instructions/memory/stored_bytes.hpp"
#include "profiler/execution/ptx/register_file.hpp"

namespace tilescope::ptx {
namespace {

// With one space in the place of each run of spaces, tabs and ends of lines: nvcc separates operands by tabs.
std::string in_one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

bool ends_block(const Instruction& instruction) {
  return instruction.flow == Flow::branch || instruction.flow == Flow::branch_table ||
         instruction.flow == Flow::call || instruction.flow == Flow::call_return ||
         instruction.flow == Flow::exit || instruction.flow == Flow::trap;
}

// Decodes the body of a kernel and of the functions that it calls, one after the other: first instruction by
// instruction, then into basic blocks, then with registers placed.
class ProgramBuilder {
 public:
  ProgramBuilder(const Module& module, const CallGraph& graph)
      : module_(module), graph_(graph), registers_(module, graph) {}

  Program build() {
    program_.static_shared_bytes = registers_.layout.static_shared_bytes;
    program_.shared_symbols = std::move(registers_.layout.shared_symbols);
    program_.local_bytes = registers_.layout.local_bytes;
    program_.variables = std::move(registers_.layout.globals);

    for (std::uint32_t position = 0; position < graph_.functions.size(); ++position)
      decode_function(position);
    complete_calls();
    find_blocks();
    lay_out_code();
    connect_blocks();
    order_blocks();
    place_registers();
    describe();
    return std::move(program_);
  }

 private:
  const Function& function_at(std::uint32_t position) const {
    return module_.functions[graph_.functions[position]];
  }

  void decode_function(std::uint32_t position) {
    const Function& function = function_at(position);
    function_start_.push_back(static_cast<std::uint32_t>(body_.size()));
    registers_.enter_function(position);
    for (const InstructionSyntax& syntax : function.body) decode_one(function, syntax);
    // Reaching the end of the body is a return.
    Instruction end;
    end.flow = function.is_entry ? Flow::exit : Flow::call_return;
    add(end, RegisterUse{}, Origin{});
    for (const auto& table : function.branch_tables) {
      for (const std::uint32_t label : table) branch_targets_.push_back(function_start_[position] + label);
    }
    for (std::size_t i = function_start_[position]; i < body_.size(); ++i) {
      if (body_[i].flow == Flow::call_return) read_results(position, uses_[i]);
    }
    CalledFunction& called = program_.functions.emplace_back();
    called.name = std::string(function.name);
    called.frame_bytes = registers_.layout.functions[position].frame_bytes;
  }

  void read_results(std::uint32_t position, RegisterUse& use) {
    for (const Parameter& result : function_at(position).results) {
      for (const std::uint32_t declared : result.registers) {
        use.reads.push_back(static_cast<std::uint32_t>(registers_.of(position, declared)));
      }
    }
  }

  void add(Instruction instruction, RegisterUse use, Origin origin) {
    instruction.origin = static_cast<std::uint32_t>(program_.origins.size());
    program_.origins.push_back(std::move(origin));
    body_.push_back(instruction);
    uses_.push_back(std::move(use));
  }

  void decode_one(const Function& function, const InstructionSyntax& syntax) {
    Decoder decoder(module_, function, syntax, registers_);
    if (syntax.words.size() > 64 || syntax.operands.size() > 64) decoder.unsupported("it is too long");
    const Opcode* opcode = find_opcode(syntax.words[0]);
    if (opcode == nullptr) decoder.unsupported("the instruction is not known");
    registers_.pipe = opcode->pipe;
    registers_.data = {.use = opcode->use, .floats = float_facts(*opcode, syntax.words)};
    Instruction instruction;
    opcode->decode(decoder, instruction);
    decoder.check_all_taken();
    if (syntax.guard != no_index) {
      instruction.guard = registers_.of(syntax.guard);
      instruction.guard_negated = syntax.guard_negated;
      registers_.read(instruction.guard);
    }
    if (instruction.flow == Flow::next && instruction.execute == nullptr) {
      decoder.unsupported("this form of it is not known");
    }
    registers_.check_layout(instruction);
    if (instruction.flow == Flow::branch) instruction.target += function_start_.back();
    if (instruction.flow == Flow::branch_table) instruction.immediate = first_of_table(function, instruction);
    RegisterUse use = registers_.take_use();
    use.may_not_write = syntax.guard != no_index;
    add(instruction, std::move(use),
        Origin{.ptx_line = syntax.position.line,
               .location = syntax.location,
               .pipe = registers_.pipe,
               .data = registers_.data,
               .text = in_one_line(syntax.text)});
  }

  // Replaces a table's number, which the decoder left, by its place in branch_targets_, and appends the function's
  // tables there.
  std::int64_t first_of_table(const Function& function, const Instruction& instruction) const {
    std::size_t first = branch_targets_.size();
    for (std::size_t table = 0; table < static_cast<std::size_t>(instruction.immediate); ++table)
      first += function.branch_tables[table].size();
    return static_cast<std::int64_t>(first);
  }

  // Fills in what is known only after all functions are decoded.
  void complete_calls() {
    program_.calls = std::move(registers_.calls);
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (body_[i].flow != Flow::call) continue;
      for (const FrameAddress& address : registers_.frame_addresses[body_[i].target]) {
        uses_[i].writes.push_back(static_cast<std::uint32_t>(address.place.slot));
      }
    }
  }

  void find_blocks() {
    leader_.assign(body_.size() + 1, false);
    for (const std::uint32_t start : function_start_) leader_[start] = true;
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (!ends_block(body_[i])) continue;
      leader_[i + 1] = true;
      if (body_[i].flow == Flow::branch) leader_[body_[i].target] = true;
    }
    for (const std::uint32_t target : branch_targets_) leader_[target] = true;
  }

  // Each block with its enter_block before it.
  void lay_out_code() {
    code_index_.assign(body_.size(), 0);
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (leader_[i]) begin_block();
      code_index_[i] = static_cast<std::uint32_t>(program_.code.size());
      program_.code.push_back(body_[i]);
      code_uses_.push_back(std::move(uses_[i]));
      ++program_.blocks.back().instructions;
      if (body_[i].flow == Flow::probe) ++program_.blocks.back().probes;
    }
    for (const BasicBlock& block : program_.blocks) {
      Instruction& enter = program_.code[block.first];
      enter.immediate = block.issued();
      enter.origin = program_.code[block.first + 1].origin;
    }
    for (const std::uint32_t target : branch_targets_) program_.branch_targets.push_back(block_start(target));
    for (std::uint32_t at = 0; at < program_.code.size(); ++at) {
      Instruction& instruction = program_.code[at];
      if (instruction.flow == Flow::branch) instruction.target = block_start(instruction.target);
      if (instruction.flow != Flow::call) continue;
      program_.calls[static_cast<std::size_t>(instruction.immediate)].return_to = at + 1;
      instruction.target = block_start(function_start_[instruction.target]);
    }
  }

  void begin_block() {
    Instruction enter;
    enter.flow = Flow::enter_block;
    enter.target = static_cast<std::uint32_t>(program_.blocks.size());
    program_.blocks.push_back({static_cast<std::uint32_t>(program_.code.size()), 0});
    program_.code.push_back(enter);
    code_uses_.emplace_back();
  }

  // The enter_block before an instruction of the body; a label after a function's last instruction is its end.
  std::uint32_t block_start(std::uint32_t body_index) const { return code_index_[body_index] - 1; }

  std::uint32_t block_at(std::uint32_t code_index) const { return program_.code[code_index].target; }
  std::uint32_t first_block(std::uint32_t position) const {
    return block_at(block_start(function_start_[position]));
  }
  std::uint32_t end_block(std::uint32_t position) const {
    const bool is_last = position + 1 == function_start_.size();
    return is_last ? static_cast<std::uint32_t>(program_.blocks.size()) : first_block(position + 1);
  }
  const Instruction& last_of(std::uint32_t block) const {
    return program_.code[program_.blocks[block].first + program_.blocks[block].instructions];
  }

  // The graph of each function, in which a call continues at the next instruction.
  void connect_blocks() {
    graph_of_blocks_.resize(program_.blocks.size());
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      const Instruction& last = last_of(b);
      const bool goes_on = !ends_block(last) || last.flow == Flow::call || last.guard != no_slot;
      if (goes_on && b + 1 < program_.blocks.size()) graph_of_blocks_[b].push_back(b + 1);
      if (last.flow == Flow::branch) graph_of_blocks_[b].push_back(block_at(last.target));
      if (last.flow == Flow::branch_table) {
        for (std::uint32_t i = 0; i < last.target; ++i) {
          const auto entry = static_cast<std::size_t>(last.immediate) + i;
          graph_of_blocks_[b].push_back(block_at(program_.branch_targets[entry]));
        }
      }
    }
  }

  // Functions before their callers, so that lanes in a call run until they are back where the others wait.
  void order_blocks() {
    program_.rank.assign(program_.code.size(), 0);
    std::uint32_t rank = 0;
    for (const std::uint32_t position : graph_.callees_first()) {
      const std::uint32_t first = first_block(position);
      ControlFlowGraph function(graph_of_blocks_.begin() + first,
                                graph_of_blocks_.begin() + end_block(position));
      for (auto& successors : function) {
        for (std::uint32_t& successor : successors) successor -= first;
      }
      for (const std::uint32_t b : weak_topological_order(function)) {
        const BasicBlock& block = program_.blocks[first + b];
        for (std::uint32_t i = 0; i <= block.instructions; ++i) program_.rank[block.first + i] = rank++;
      }
    }
  }

  // The graph of blocks with edges for calls and returns: a caller's live registers are live in the functions that it
  // calls.
  ControlFlowGraph graph_with_calls() const {
    ControlFlowGraph graph = graph_of_blocks_;
    std::vector<std::vector<std::uint32_t>> returns(
        function_start_.size());  // blocks behind the calls of a function
    for (std::uint32_t b = 0; b < graph.size(); ++b) {
      const Instruction& last = last_of(b);
      if (last.flow != Flow::call) continue;
      const std::uint32_t callee = program_.calls[static_cast<std::size_t>(last.immediate)].callee;
      returns[callee].push_back(b + 1);
      if (last.guard == no_slot) graph[b].clear();
      graph[b].push_back(first_block(callee));
    }
    for (std::uint32_t position = 0; position < function_start_.size(); ++position) {
      for (std::uint32_t b = first_block(position); b < end_block(position); ++b) {
        if (last_of(b).flow != Flow::call_return) continue;
        graph[b].insert(graph[b].end(), returns[position].begin(), returns[position].end());
      }
    }
    return graph;
  }

  void place_registers() {
    std::vector<InstructionRange> ranges;
    ranges.reserve(program_.blocks.size());
    for (const BasicBlock& block : program_.blocks) {
      ranges.push_back({block.first, block.first + block.instructions + 1});
    }
    std::vector<std::uint32_t> at_start;
    at_start.reserve(registers_.presets.size());
    for (const Preset& preset : registers_.presets)
      at_start.push_back(static_cast<std::uint32_t>(preset.slot));
    const RegisterAllocation allocation =
        allocate_registers(registers_.lane_bytes, code_uses_, ranges, graph_with_calls(), at_start);
    const auto place = [&](Slot& slot) {
      if (slot >= 0) slot = allocation.slot_of[static_cast<std::size_t>(slot)];
    };
    for (Instruction& instruction : program_.code) {
      for (Slot* slot :
           {&instruction.d, &instruction.a, &instruction.b, &instruction.c, &instruction.guard}) {
        place(*slot);
      }
    }
    program_.operands = std::move(registers_.operands);
    std::ranges::for_each(program_.operands, place);
    program_.probes = std::move(registers_.probes);
    for (Probe& probe : program_.probes) {
      std::ranges::for_each(probe.indices, place);
      place(probe.value);
    }
    name_registers(allocation);
    program_.presets = std::move(registers_.presets);
    for (Preset& preset : program_.presets) place(preset.slot);
    program_.register_slots = allocation.slots;
    program_.constants = registers_.constant_pool();
    for (std::uint32_t position = 0; position < program_.functions.size(); ++position) {
      program_.functions[position].addresses = std::move(registers_.frame_addresses[position]);
      for (FrameAddress& address : program_.functions[position].addresses) place(address.place.slot);
    }
    for (CallSite& site : program_.calls) {
      for (auto* copies : {&site.arguments, &site.results}) {
        for (CallCopy& copy : *copies) {
          place(copy.from.slot);
          place(copy.to.slot);
        }
      }
      if (graph_.reaches(site.callee, site.caller)) site.saved = places_of(site.caller, allocation);
    }
  }

  void name_registers(const RegisterAllocation& allocation) {
    for (std::uint32_t position = 0; position < function_start_.size(); ++position) {
      const std::vector<RegisterDeclaration>& declared = function_at(position).registers;
      for (std::uint32_t i = 0; i < declared.size(); ++i) {
        const Slot slot = registers_.known(position, i);
        if (slot == no_slot) continue;
        const auto r = static_cast<std::size_t>(slot);
        if (allocation.live[r].first == no_index) continue;
        NamedRegister& named = program_.registers.emplace_back();
        named.name = std::string(declared[i].name);
        if (declared[i].number != no_index) named.name += std::to_string(declared[i].number);
        named.type.assign(".").append(name_of(declared[i].type));
        named.place = {allocation.slot_of[r], registers_.lane_bytes[r]};
        named.first = allocation.live[r].first;
        named.last = allocation.live[r].last;
      }
    }
  }

  std::vector<RegisterPlace> places_of(std::uint32_t position, const RegisterAllocation& allocation) const {
    std::vector<RegisterPlace> places;
    for (std::size_t r = 0; r < registers_.owner.size(); ++r) {
      if (registers_.owner[r] != position) continue;
      const RegisterPlace place = {allocation.slot_of[r], registers_.lane_bytes[r]};
      const bool is_known = std::ranges::any_of(places, [&](const RegisterPlace& known) {
        return known.slot == place.slot && known.bytes == place.bytes;
      });
      if (!is_known) places.push_back(place);
    }
    return places;
  }

  void describe() {
    const Function& kernel = function_at(0);
    program_.name = std::string(kernel.name);
    program_.target = std::string(module_.target);
    program_.locations = module_.locations;
    program_.files = module_.files;
    program_.max_threads = kernel.max_threads;
    program_.shared_grain = registers_.shared_grain;
    program_.stored_bytes = stored_bytes;
    program_.has_global_atomics = registers_.has_global_atomics;
    program_.prints = registers_.prints;
    program_.required_block = kernel.required_block;
    program_.cluster = kernel.cluster;
    for (const Parameter& parameter : kernel.parameters) {
      program_.parameters.push_back({parameter.offset, parameter.bytes});
      program_.parameter_bytes = std::max(program_.parameter_bytes, parameter.offset + parameter.bytes);
    }
  }

  const Module& module_;
  const CallGraph& graph_;
  Decoder::Registers registers_;
  Program program_;
  std::vector<Instruction> body_;
  std::vector<RegisterUse> uses_, code_uses_;
  std::vector<std::uint32_t> function_start_;  // of each function in body_
  std::vector<std::uint32_t> branch_targets_;  // of all tables, in body_
  std::vector<bool> leader_;
  std::vector<std::uint32_t> code_index_;
  ControlFlowGraph graph_of_blocks_;
};

}  // namespace

Program build_program(const Module& module, std::string_view entry) {
  const Function* function = module.find(entry);
  if (function == nullptr || !function->is_entry || !function->has_body) {
    std::string entries;
    for (const Function& candidate : module.functions) {
      if (candidate.is_entry) entries += (entries.empty() ? "" : ", ") + std::string(candidate.name);
    }
    throw PtxError(
        "the PTX has no kernel '" + std::string(entry) + "'; it has " + (entries.empty() ? "none" : entries),
        {});
  }
  const auto index = static_cast<std::uint32_t>(function - module.functions.data());
  return ProgramBuilder(module, call_graph(module, index)).build();
}

}  // namespace tilescope::ptx
