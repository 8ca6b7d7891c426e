#include "profiler/execution/sass/build_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "profiler/execution/sass/constant_addresses.hpp"
#include "profiler/execution/sass/cubin_error.hpp"
#include "profiler/execution/sass/cubin_info.hpp"
#include "profiler/execution/sass/decoder.hpp"
#include "profiler/execution/sass/instructions/driver_functions.hpp"
#include "profiler/execution/sass/instructions/load_store.hpp"
#include "profiler/execution/sass/module_data.hpp"
#include "profiler/execution/sass/source_places.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using simt::Flow;

bool ends_block(Flow flow) {
  switch (flow) {
    case Flow::next:
    case Flow::uniform:
    case Flow::enter_block:
      return false;
    default:
      return true;
  }
}

bool goes_to_label(Flow flow) {
  return flow == Flow::branch || flow == Flow::branch_if_diverged;
}

// A section of code: the kernel's, or a function that it calls.
struct Section {
  const Function* text = nullptr;
  const CubinFunction* code = nullptr;
  /// [B] Offset of its address 0 in the joined addresses of all sections.
  std::uint32_t base = 0;
  /// Whether the kernel or what it calls goes there. The file may have functions of other kernels.
  bool is_reached = false;
};

// "_Z4halff" of "`(_Z4halff)", "32@lo(_Z4halff)" and "32@lo((_Z4halff + .L_x_2@srel))"; "" for other operands.
std::string_view named_in(std::string_view operand) {
  if (!operand.starts_with("`(") && !operand.starts_with("32@")) return "";
  operand.remove_prefix(operand.find('(') + 1);
  if (operand.starts_with('(')) operand.remove_prefix(1);
  return operand.substr(0, operand.find_first_of(" )"));
}

bool calls_indirectly(const Instruction& one) {
  return one.opcode.starts_with("CALL") && !one.operands.empty() && named_in(one.operands.back()).empty();
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Cubin& cubin, const Disassembly& disassembly, const CubinKernel& kernel)
      : cubin_(cubin), kernel_(kernel), places_(disassembly), state_(register_count(kernel)) {
    state_.architecture = architecture_number(cubin.architecture);
    state_.reserved_shared_bytes = kernel.reserved_shared_bytes;
    check_sizes();
    find_sections(disassembly);
  }

  simt::Program build() {
    section_addresses_ = add_module_data(cubin_, kernel_.name, labels_, program_);
    for (const Section& section : sections_) {
      if (section.is_reached) decode_section(section);
    }
    constant_addresses_.mark(program_);
    find_blocks();
    lay_out_code();
    describe();
    return std::move(program_);
  }

 private:
  static int register_count(const CubinKernel& kernel) {
    constexpr std::uint32_t fewest = 2, most = 255;
    if (kernel.registers > most) {
      throw CubinError(fmt::format("kernel {} has {} registers; a thread has at most {}", kernel.name,
                                   kernel.registers, most));
    }
    return static_cast<int>(std::max(kernel.registers, fewest));
  }

  // More than any GPU has is an error of the file, for which no memory is taken.
  void check_sizes() const {
    constexpr std::uint32_t most_local = 512 * 1024, most_shared = 256 * 1024;
    const std::uint32_t stack = kernel_.stack_bytes.value_or(0);
    if (stack > most_local || kernel_.static_shared_bytes > most_shared) {
      throw CubinError(
          fmt::format("kernel {} needs {} B of stack and {} B of shared memory, more than a GPU has",
                      kernel_.name, stack, kernel_.static_shared_bytes));
    }
  }

  // The kernel first, then functions that are not kernels.
  void find_sections(const Disassembly& disassembly) {
    add_section(disassembly, cubin_.functions[kernel_.function]);
    for (const CubinFunction& function : cubin_.functions) {
      if (!function.is_kernel) add_section(disassembly, function);
    }
    reach(0);
  }

  // Marks a section and those that its code names. A call through a register may go to every function of which data has
  // the address.
  void reach(std::size_t index) {
    if (std::exchange(sections_[index].is_reached, true)) return;
    for (const Instruction& one : sections_[index].text->instructions) {
      for (const std::string& operand : one.operands) {
        if (const std::string_view name = named_in(operand); !name.empty()) reach(name);
      }
      if (calls_indirectly(one) && !std::exchange(reaches_addresses_, true)) reach_addresses();
    }
  }
  void reach(std::string_view name) {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].code->name == name) return reach(i);
    }
  }
  void reach_addresses() {
    const auto reach_symbols = [&](const DataSection& data) {
      for (const Relocation& relocation : data.relocations) {
        const CubinSymbol& symbol = cubin_.symbols.at(relocation.symbol);
        if (symbol.kind == SymbolKind::function) reach(symbol.name);
      }
    };
    for (const DataSection& section : cubin_.global_sections) reach_symbols(section);
    for (const ConstantBank& bank : cubin_.constant_banks) {
      if (cubin_.constant_bank(bank.number, kernel_.name) == &bank) reach_symbols(bank.data);
    }
  }

  void add_section(const Disassembly& disassembly, const CubinFunction& code) {
    const Function* text = disassembly.find(code.name);
    if (text == nullptr) throw CubinError("the disassembly has no function '" + code.name + "'");
    for (const Instruction& one : text->instructions) {
      if (one.address % simt::Program::instruction_bytes != 0 ||
          one.address / simt::Program::instruction_bytes >= code.words.size()) {
        throw CubinError(
            fmt::format("the instruction at {:#06x} is outside of '{}'", one.address, code.name));
      }
    }
    sections_.push_back({text, &code, next_base_, false});
    next_base_ += static_cast<std::uint32_t>(code.bytes());
    for (const Label& label : text->labels) {
      const bool is_end = label.before >= text->instructions.size();
      const std::uint64_t address = is_end ? code.bytes() : text->instructions[label.before].address;
      labels_.emplace(label.name, sections_.back().base + static_cast<std::uint32_t>(address));
    }
    labels_.emplace(code.name, sections_.back().base);
  }

  void decode_section(const Section& section) {
    for (const Instruction& written : section.text->instructions) {
      const Instruction text = with_linked_addresses(section, written);
      const InstructionWord& word = section.code->words[text.address / simt::Program::instruction_bytes];
      decode_one(section, text, word);
    }
    // Code that runs off its end.
    simt::Instruction end;
    end.flow = Flow::trap;
    add(end, {.address = static_cast<std::uint32_t>(section.code->bytes()), .text = "the end of the code"},
        next_base_);
  }

  // A linker leaves addresses of code in the relocations: "32@lo((kernel + .L_x_0@srel))" is the place that a call returns
  // to.
  Instruction with_linked_addresses(const Section& section, Instruction text) const {
    for (std::string& operand : text.operands) {
      const bool is_low = operand.starts_with("32@lo("), is_high = operand.starts_with("32@hi(");
      if (!is_low && !is_high) continue;
      const std::string_view wanted = is_low ? "R_CUDA_ABS32_LO_32" : "R_CUDA_ABS32_HI_32";
      for (const Relocation& relocation : section.code->relocations) {
        if (relocation.offset != text.address || relocation_name(relocation.type) != wanted) continue;
        const auto symbol = address_of(cubin_.symbols.at(relocation.symbol));
        if (!symbol) continue;
        const auto address = *symbol + static_cast<std::uint64_t>(relocation.addend.value_or(0));
        operand = fmt::format("{:#x}", is_low ? address & 0xffff'ffff : address >> 32);
        break;
      }
    }
    return text;
  }

  // A function or a variable; one in a constant bank has its place in the bank.
  std::optional<std::uint64_t> address_of(const CubinSymbol& symbol) const {
    if (const auto code = labels_.find(symbol.name); code != labels_.end()) return code->second;
    if (symbol.section.starts_with(".nv.constant")) return symbol.offset;
    const auto section = section_addresses_.find(symbol.section);
    if (section == section_addresses_.end()) return std::nullopt;
    return section->second + symbol.offset;
  }

  void decode_one(const Section& section, const Instruction& text, const InstructionWord& word) {
    Decoder decoder(text, word, state_);
    const Opcode& opcode = decoder.known_opcode();
    decoder.set_pipe(opcode.pipe);
    simt::Instruction instruction;
    opcode.decode(decoder, instruction);
    decoder.check_all_taken();
    const bool is_run = instruction.flow == Flow::next || instruction.flow == Flow::uniform;
    if (is_run && instruction.execute == nullptr) decoder.unsupported("this form of it is not known");
    decode_guard(decoder, instruction);
    const bool is_to_driver = goes_to_label(instruction.flow) && call_driver(decoder, instruction);
    if (goes_to_label(instruction.flow)) instruction.target = label_address(decoder);
    if (instruction.flow == Flow::jump && !is_to_driver) instruction.immediate += jump_base(decoder, section);
    if (decoder.opcode() == "LEPC") instruction.immediate = loaded_address(decoder, section);
    if (instruction.flow == Flow::jump) has_jumps_ = true;
    note_addresses(text);
    constant_addresses_.add(program_, decoder.parts());
    add(instruction,
        {.ptx_line = text.ptx_line,
         .address = static_cast<std::uint32_t>(text.address),
         .location = places_.location(text.chain),
         .scheduling = scheduling_bits(word),
         .pipe = decoder.pipe(),
         .facts = facts_of(opcode, decoder.parts()),
         .text = text_of(text)},
        section.base + static_cast<std::uint32_t>(text.address));
  }

  // "@!P0"
  void decode_guard(Decoder& decoder, simt::Instruction& instruction) const {
    std::string_view guard = decoder.text().predicate;
    if (guard.empty()) return;
    guard.remove_prefix(1);
    const auto operand = parse_operand(guard);
    if (!operand) decoder.unsupported("its guard is not known");
    instruction.guard_negated = operand->is_not;
    const bool is_uniform = operand->kind == Operand::Kind::uniform_predicate;
    if (operand->index == true_predicate) {
      instruction.guard = decoder.true_mask();
    } else {
      instruction.guard = is_uniform ? state_.registers.uniform_predicate(operand->index)
                                     : state_.registers.predicate(operand->index);
    }
  }

  // CALL.ABS.NOINC `(vprintf): code of debug builds names the function, other code reads its address from a bank.
  bool call_driver(Decoder& decoder, simt::Instruction& instruction) {
    const std::string_view name = decoder.operand(decoder.operand_count() - 1).name;
    const auto& known = program_.driver_functions;
    const auto found = std::ranges::find(known, name, &simt::DriverFunction::name);
    if (decoder.opcode() != "CALL" || labels_.contains(name) || found == known.end()) return false;
    const auto index = static_cast<std::uint32_t>(found - known.begin());
    instruction.flow = Flow::jump;
    instruction.flags = simt::jump_is_call;
    instruction.a =
        decoder.constant(simt::Program::driver_functions_base + simt::Program::instruction_bytes * index);
    return true;
  }

  std::uint32_t label_address(const Decoder& decoder) const {
    const Operand& target = decoder.operand(decoder.operand_count() - 1);
    const auto label = labels_.find(target.name);
    if (label == labels_.end()) decoder.unsupported("its target '" + target.name + "' is not in the code");
    return label->second;
  }

  std::int64_t loaded_address(const Decoder& decoder, const Section& section) const {
    if (decoder.operand_count() > 1) return label_address(decoder);
    return section.base + static_cast<std::int64_t>(decoder.text().address);
  }

  // Base of a jump's register: nothing for .ABS, else a function that it names or the start of the section.
  std::int64_t jump_base(const Decoder& decoder, const Section& section) const {
    const std::string& opcode = decoder.text().opcode;
    if (opcode.find(".ABS") != std::string::npos || opcode.starts_with("JM")) return 0;
    const std::size_t last = decoder.operand_count() - 1;
    if (last > 0 && decoder.is(last, Operand::Kind::label)) return label_address(decoder);
    return section.base;
  }

  // Numbers that may be addresses to which a jump returns: a move puts them into a register. The instruction
  // after a call begins a basic block anyway.
  void note_addresses(const Instruction& text) {
    if (text.opcode.find("MOV") == std::string::npos) return;
    for (const std::string& operand : text.operands) {
      const auto parsed = parse_operand(operand);
      if (!parsed || parsed->kind != Operand::Kind::integer || parsed->value <= 0) continue;
      if (parsed->value % simt::Program::instruction_bytes == 0 && parsed->value < next_base_) {
        possible_targets_.push_back(static_cast<std::uint32_t>(parsed->value));
      }
    }
  }

  void add(simt::Instruction instruction, simt::Origin origin, std::uint32_t flat_address) {
    instruction.origin = static_cast<std::uint32_t>(program_.origins.size());
    program_.origins.push_back(std::move(origin));
    body_.push_back(instruction);
    flat_address_.push_back(flat_address);
  }

  void find_blocks() {
    std::map<std::uint32_t, std::size_t> index;
    for (std::size_t i = 0; i < body_.size(); ++i) index.emplace(flat_address_[i], i);
    leader_.assign(body_.size() + 1, false);
    leader_[0] = true;
    const auto lead = [&](std::uint32_t address) {
      const auto found = index.find(address);
      if (found != index.end()) leader_[found->second] = true;
    };
    for (const auto& [name, address] : labels_) lead(address);
    for (std::size_t i = 0; i < body_.size(); ++i)
      leader_[i + 1] = leader_[i + 1] || ends_block(body_[i].flow);
    if (has_jumps_) {
      for (const std::uint32_t address : possible_targets_) lead(address);
    }
    index_of_address_ = std::move(index);
  }

  void lay_out_code() {
    std::vector<std::uint32_t> enter_of(body_.size(), simt::no_index);
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (leader_[i]) enter_of[i] = begin_block(body_[i]);
      program_.code.push_back(body_[i]);
      ++program_.blocks.back().instructions;
    }
    for (const simt::BasicBlock& block : program_.blocks) {
      program_.code[block.first].immediate = block.instructions;
    }
    const auto place = [&](std::uint32_t address) {
      const auto found = index_of_address_.find(address);
      return found == index_of_address_.end() ? simt::no_index : enter_of[found->second];
    };
    for (simt::Instruction& instruction : program_.code) {
      if (!goes_to_label(instruction.flow)) continue;
      instruction.target = place(instruction.target);
      if (instruction.target == simt::no_index) {
        throw Unsupported("the machine code '" + program_.origins[instruction.origin].text +
                          "' is not executed: it goes to a place where no instruction begins");
      }
    }
    for (std::uint32_t address = 0; address < next_base_; address += simt::Program::instruction_bytes) {
      program_.code_at_address.push_back(place(address));
    }
    program_.rank.assign(program_.code.size(), 0);
  }

  std::uint32_t begin_block(const simt::Instruction& first) {
    simt::Instruction enter;
    enter.flow = Flow::enter_block;
    enter.target = static_cast<std::uint32_t>(program_.blocks.size());
    enter.origin = first.origin;
    const auto at = static_cast<std::uint32_t>(program_.code.size());
    program_.blocks.push_back({at, 0});
    program_.code.push_back(enter);
    return at;
  }

  void describe() {
    program_.name = kernel_.name;
    program_.target = cubin_.architecture;
    program_.operands = std::move(state_.operands);
    program_.register_slots = state_.registers.slots();
    program_.constants = state_.constants.pool();
    program_.launch_constants = state_.constants.of_launch();
    program_.is_machine_code = true;
    program_.parameter_base = kernel_.parameter_base;
    program_.parameter_bytes = kernel_.parameter_bytes;
    for (const KernelParameter& parameter : kernel_.parameters) {
      program_.parameters.push_back({parameter.offset, parameter.bytes});
    }
    program_.static_shared_bytes = kernel_.static_shared_bytes;
    program_.reserved_shared_bytes = kernel_.reserved_shared_bytes;
    for (const CubinSymbol& symbol : kernel_.shared_symbols) {
      program_.shared_symbols.push_back(
          {symbol.name, static_cast<std::uint32_t>(symbol.offset), static_cast<std::uint32_t>(symbol.bytes)});
    }
    program_.local_bytes = local_bytes();
    program_.functions.push_back({kernel_.name, program_.local_bytes, {}});
    program_.locations = places_.locations();
    program_.files = places_.files();
    program_.shared_grain = state_.shared_grain;
    program_.stored_bytes = stored_bytes;
    program_.has_global_atomics = state_.has_global_atomics;
    program_.prints = std::ranges::find(program_.driver_functions, "vprintf", &simt::DriverFunction::name) !=
                      program_.driver_functions.end();
    describe_launch();
  }

  void describe_launch() {
    const auto declared = [](const std::optional<std::array<std::uint32_t, 3>>& size) {
      return size ? simt::DeclaredSize{(*size)[0], (*size)[1], (*size)[2]} : simt::DeclaredSize{};
    };
    program_.registers_of_thread = kernel_.registers;
    program_.required_block = declared(kernel_.required_threads);
    program_.cluster = declared(kernel_.cluster);
    if (kernel_.max_threads) {
      const auto& [x, y, z] = *kernel_.max_threads;
      program_.max_threads = x * y * z;
    }
  }

  // The stack; where the file does not say how deep functions call each other, room for some calls.
  std::uint32_t local_bytes() const {
    constexpr std::uint32_t unknown_stack = 16 * 1024, alignment = 16;
    const bool has_stack = std::ranges::any_of(program_.origins, [](const simt::Origin& origin) {
      return origin.text.find("STL") != std::string::npos || origin.text.find("LDL") != std::string::npos;
    });
    const std::uint32_t stated = kernel_.stack_bytes.value_or(0);
    if (stated == 0 && has_stack) return unknown_stack;
    return (stated + alignment - 1) / alignment * alignment;
  }

  const Cubin& cubin_;
  const CubinKernel& kernel_;
  SourcePlaces places_;
  DecodeState state_;
  ConstantAddresses constant_addresses_;
  std::vector<Section> sections_;
  std::uint32_t next_base_ = 0;
  bool reaches_addresses_ = false;
  // [B] of the sections of variables
  std::map<std::string, std::uint64_t, std::less<>> section_addresses_;
  std::map<std::string, std::uint32_t, std::less<>> labels_;
  simt::Program program_;
  std::vector<simt::Instruction> body_;
  std::vector<std::uint32_t> flat_address_;
  std::vector<std::uint32_t> possible_targets_;
  std::vector<bool> leader_;
  std::map<std::uint32_t, std::size_t> index_of_address_;
  bool has_jumps_ = false;
};

void check_driver_function(const std::string& name, const CubinKernel& kernel) {
  if (name == "malloc" || name == "free") {
    throw Unsupported(
        "the machine code calls '" + name +
        "': memory that a kernel allocates itself is not provided here; give it a buffer instead");
  }
  if (driver_function(name) == nullptr)
    throw Unsupported("the machine code calls '" + name + "', which the driver has");
  if (kernel.registers < registers_of_call) {
    throw CubinError(fmt::format("kernel {} calls '{}' and has {} registers; a call needs {}", kernel.name,
                                 name, kernel.registers, registers_of_call));
  }
}

}  // namespace

simt::Program build_program(const Cubin& cubin, const Disassembly& disassembly, std::string_view entry) {
  const CubinKernel& kernel = cubin.kernel(entry);
  for (const std::size_t symbol : kernel.externs)
    check_driver_function(cubin.symbols.at(symbol).name, kernel);
  return ProgramBuilder(cubin, disassembly, kernel).build();
}

std::vector<InstructionCount> instruction_counts(const simt::Program& program,
                                                 const simt::RunResult& result) {
  std::vector<InstructionCount> counts;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const simt::BasicBlock& block = program.blocks[b];
    for (std::uint32_t i = 1; i <= block.instructions; ++i) {
      const std::uint32_t at = block.first + i;
      const simt::Instruction& instruction = program.code[at];
      const bool is_guarded = instruction.guard != simt::no_slot;
      counts.push_back({program.origins[instruction.origin].address, at, result.block_executions[b],
                        result.block_lanes[b],
                        is_guarded ? result.guarded_lanes[at] : result.block_lanes[b]});
    }
  }
  return counts;
}

}  // namespace tilescope::sass
