#include "profiler/ptx/decode.hpp"

#include <algorithm>
#include <string>

#include "profiler/ptx/control_flow.hpp"
#include "profiler/ptx/decoder.hpp"
#include "profiler/ptx/register_file.hpp"
#include "profiler/ptx/variable_layout.hpp"

namespace tilescope::ptx {
namespace {

bool ends_block(const Instruction& instruction) {
  return instruction.flow == Flow::branch || instruction.flow == Flow::branch_table ||
         instruction.flow == Flow::exit || instruction.flow == Flow::trap;
}

// Decodes the body of one function: first instruction by instruction, then as basic blocks, then with registers placed.
class BodyDecoder {
 public:
  BodyDecoder(const Module& module, const Function& function)
      : module_(module), function_(function), registers_(function) {}

  Program decode() {
    VariableLayout layout = lay_out_variables(module_, function_);
    registers_.module_addresses = std::move(layout.module_addresses);
    registers_.function_addresses = std::move(layout.function_addresses);
    program_.static_shared_bytes = layout.static_shared_bytes;
    program_.shared_symbols = std::move(layout.shared_symbols);
    program_.local_bytes = layout.local_bytes;
    program_.variables = std::move(layout.globals);

    decode_instructions();
    find_blocks();
    lay_out_code();
    order_blocks();
    place_registers();
    describe();
    return std::move(program_);
  }

 private:
  void decode_instructions() {
    for (const InstructionSyntax& syntax : function_.body) decode_one(syntax);
    // Running off the end is a return.
    Instruction end;
    end.flow = Flow::exit;
    add(end, RegisterUse{}, Origin{});
  }

  void add(Instruction instruction, RegisterUse use, Origin origin) {
    instruction.origin = static_cast<std::uint32_t>(program_.origins.size());
    program_.origins.push_back(std::move(origin));
    body_.push_back(instruction);
    uses_.push_back(std::move(use));
  }

  void decode_one(const InstructionSyntax& syntax) {
    Decoder decoder(module_, function_, syntax, registers_);
    if (syntax.words.size() > 64 || syntax.operands.size() > 64) decoder.unsupported("it is too long");
    const Opcode* opcode = find_opcode(syntax.words[0]);
    if (opcode == nullptr) decoder.unsupported("the instruction is not known");
    registers_.pipe = opcode->pipe;
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
    RegisterUse use = registers_.take_use();
    use.may_not_write = syntax.guard != no_index;
    add(instruction, std::move(use),
        Origin{syntax.position.line, syntax.location, registers_.pipe, std::string(syntax.text)});
  }

  void find_blocks() {
    leader_.assign(body_.size() + 1, false);
    leader_[0] = true;
    const auto mark = [&](std::uint32_t index) {
      leader_[std::min<std::size_t>(index, body_.size() - 1)] = true;
    };
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (!ends_block(body_[i])) continue;
      leader_[i + 1] = true;
      if (body_[i].flow == Flow::branch) mark(body_[i].target);
    }
    for (const auto& table : function_.branch_tables) std::ranges::for_each(table, mark);
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
    }
    for (const BasicBlock& block : program_.blocks) {
      Instruction& enter = program_.code[block.first];
      enter.immediate = block.instructions;
      enter.origin = program_.code[block.first + 1].origin;
    }
    for (const auto& table : function_.branch_tables) {
      table_start_.push_back(static_cast<std::uint32_t>(program_.branch_targets.size()));
      for (const std::uint32_t label : table) program_.branch_targets.push_back(block_start(label));
    }
    for (Instruction& instruction : program_.code) {
      if (instruction.flow == Flow::branch) instruction.target = block_start(instruction.target);
      if (instruction.flow == Flow::branch_table) {
        instruction.immediate = table_start_[static_cast<std::size_t>(instruction.immediate)];
      }
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

  // The enter_block that stands before an instruction of the body; a label behind the last one is the end.
  std::uint32_t block_start(std::uint32_t body_index) const {
    return code_index_[std::min<std::size_t>(body_index, body_.size() - 1)] - 1;
  }

  std::uint32_t block_at(std::uint32_t code_index) const { return program_.code[code_index].target; }

  void order_blocks() {
    graph_.resize(program_.blocks.size());
    for (std::uint32_t b = 0; b < program_.blocks.size(); ++b) {
      const BasicBlock& block = program_.blocks[b];
      const Instruction& last = program_.code[block.first + block.instructions];
      const bool goes_on = !ends_block(last) || last.guard != no_slot;
      if (goes_on && b + 1 < program_.blocks.size()) graph_[b].push_back(b + 1);
      if (last.flow == Flow::branch) graph_[b].push_back(block_at(last.target));
      if (last.flow == Flow::branch_table) {
        for (std::uint32_t i = 0; i < last.target; ++i) {
          const auto entry = static_cast<std::size_t>(last.immediate) + i;
          graph_[b].push_back(block_at(program_.branch_targets[entry]));
        }
      }
    }
    program_.rank.assign(program_.code.size(), 0);
    std::uint32_t rank = 0;
    for (const std::uint32_t b : weak_topological_order(graph_)) {
      const BasicBlock& block = program_.blocks[b];
      for (std::uint32_t i = 0; i <= block.instructions; ++i) program_.rank[block.first + i] = rank++;
    }
  }

  void place_registers() {
    std::vector<InstructionRange> ranges;
    for (const BasicBlock& block : program_.blocks) {
      ranges.push_back({block.first, block.first + block.instructions + 1});
    }
    std::vector<std::uint32_t> at_start;
    for (const Preset& preset : registers_.presets)
      at_start.push_back(static_cast<std::uint32_t>(preset.slot));
    const RegisterAllocation allocation =
        allocate_registers(registers_.lane_bytes, code_uses_, ranges, graph_, at_start);
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
    program_.presets = std::move(registers_.presets);
    for (Preset& preset : program_.presets) place(preset.slot);
    program_.register_slots = allocation.slots;
    program_.constants = registers_.constant_pool();
  }

  void describe() {
    program_.name = std::string(function_.name);
    program_.target = std::string(module_.target);
    program_.locations = module_.locations;
    program_.files = module_.files;
    program_.max_threads = function_.max_threads;
    program_.shared_grain = registers_.shared_grain;
    program_.has_global_atomics = registers_.has_global_atomics;
    program_.parameters = function_.parameters;
    for (Parameter& parameter : program_.parameters) {
      program_.parameter_bytes = std::max(program_.parameter_bytes, parameter.offset + parameter.bytes);
      parameter.name = {};  // it points into the text, which the program outlives
    }
  }

  const Module& module_;
  const Function& function_;
  Decoder::Registers registers_;
  Program program_;
  std::vector<Instruction> body_;
  std::vector<RegisterUse> uses_, code_uses_;
  std::vector<bool> leader_;
  std::vector<std::uint32_t> code_index_, table_start_;
  ControlFlowGraph graph_;
};

}  // namespace

std::string_view name_of(Pipe pipe) {
  constexpr std::array<std::string_view, pipe_count> names = {"fma",     "alu",  "mufu",    "lsu",  "tensor",
                                                              "control", "fp64", "convert", "other"};
  return names[static_cast<std::size_t>(pipe)];
}

Program decode(const Module& module, std::string_view entry) {
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
  return BodyDecoder(module, *function).decode();
}

}  // namespace tilescope::ptx
