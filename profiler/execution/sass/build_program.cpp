#include "profiler/execution/sass/build_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "profiler/execution/sass/code_layout.hpp"
#include "profiler/execution/sass/code_sections.hpp"
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

// More than any GPU has is an error of the file, for which no memory is taken.
void check_sizes(const CubinKernel& kernel) {
  constexpr std::uint32_t most_registers = 255, most_local = 512 * 1024, most_shared = 256 * 1024;
  if (kernel.registers > most_registers) {
    throw CubinError(fmt::format("kernel {} has {} registers; a thread has at most {}", kernel.name,
                                 kernel.registers, most_registers));
  }
  const std::uint32_t stack = kernel.stack_bytes.value_or(0);
  if (stack > most_local || kernel.static_shared_bytes > most_shared) {
    throw CubinError(
        fmt::format("kernel {} needs {} B of stack and {} B of shared memory, more than a GPU has",
                    kernel.name, stack, kernel.static_shared_bytes));
  }
}

int register_count(const CubinKernel& kernel) {
  constexpr std::uint32_t fewest = 2;
  return static_cast<int>(std::max(kernel.registers, fewest));
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Cubin& cubin, const Disassembly& disassembly, const CubinKernel& kernel)
      : cubin_(cubin),
        kernel_(kernel),
        places_(disassembly),
        state_(register_count(kernel)),
        sections_(cubin, kernel, disassembly) {
    state_.architecture = architecture_number(cubin.architecture);
    state_.reserved_shared_bytes = kernel.reserved_shared_bytes;
  }

  simt::Program build() {
    section_addresses_ = add_module_data(cubin_, kernel_.name, sections_.labels(), program_);
    for (const Section& section : sections_.all()) {
      if (section.is_reached) decode_section(section);
    }
    constant_addresses_.mark(program_);
    lay_out(decoded_, sections_, program_);
    describe();
    return std::move(program_);
  }

 private:
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
        sections_.end());
  }

  // A linker leaves addresses of code in the relocations: "32@lo((kernel + .L_x_0@srel))" is the place that a call
  // returns to.
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
    if (const auto code = sections_.labels().find(symbol.name); code != sections_.labels().end())
      return code->second;
    if (symbol.section.starts_with(".nv.constant")) return symbol.offset;
    const auto section = section_addresses_.find(symbol.section);
    if (section == section_addresses_.end()) return std::nullopt;
    return section->second + symbol.offset;
  }

  void decode_one(const Section& section, const Instruction& text, const InstructionWord& word) {
    Decoder decoder(text, word, state_);
    const Opcode& opcode = decoder.known_opcode();
    decoder.set_pipe(opcode.pipe);
    decoder.data() = data_facts_of(opcode, decoder.parts());
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
    if (instruction.flow == Flow::jump) decoded_.has_jumps = true;
    note_addresses(text);
    constant_addresses_.add(program_, decoder.parts());
    add(instruction,
        {.ptx_line = text.ptx_line,
         .address = static_cast<std::uint32_t>(text.address),
         .location = places_.location(text.chain),
         .scheduling = scheduling_bits(word),
         .pipe = decoder.pipe(),
         .data = decoder.data(),
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
    if (decoder.opcode() != "CALL" || sections_.labels().contains(name) || found == known.end()) return false;
    const auto index = static_cast<std::uint32_t>(found - known.begin());
    instruction.flow = Flow::jump;
    instruction.flags = simt::jump_is_call;
    instruction.a =
        decoder.constant(simt::Program::driver_functions_base + simt::Program::instruction_bytes * index);
    return true;
  }

  std::uint32_t label_address(const Decoder& decoder) const {
    const Operand& target = decoder.operand(decoder.operand_count() - 1);
    const auto label = sections_.labels().find(target.name);
    if (label == sections_.labels().end())
      decoder.unsupported("its target '" + target.name + "' is not in the code");
    return label->second;
  }

  std::int64_t loaded_address(const Decoder& decoder, const Section& section) const {
    if (decoder.operand_count() > 1) return label_address(decoder);
    return section.base + static_cast<std::int64_t>(decoder.text().address);
  }

  // Base of a jump's register: nothing for .ABS, else a function that it names or the start of the section.
  std::int64_t jump_base(const Decoder& decoder, const Section& section) const {
    if (decoder.parts().has("ABS") || decoder.opcode().starts_with("JM")) return 0;
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
      if (parsed->value % simt::Program::instruction_bytes == 0 && parsed->value < sections_.end()) {
        decoded_.possible_targets.push_back(static_cast<std::uint32_t>(parsed->value));
      }
    }
  }

  void add(simt::Instruction instruction, simt::Origin origin, std::uint32_t address) {
    instruction.origin = static_cast<std::uint32_t>(program_.origins.size());
    program_.origins.push_back(std::move(origin));
    decoded_.instructions.push_back(instruction);
    decoded_.addresses.push_back(address);
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
      const Opcode* opcode = origin.facts.opcode;
      return opcode != nullptr && (opcode->name == "STL" || opcode->name == "LDL");
    });
    const std::uint32_t stated = kernel_.stack_bytes.value_or(0);
    if (stated == 0 && has_stack) return unknown_stack;
    return (stated + alignment - 1) / alignment * alignment;
  }

  const Cubin& cubin_;
  const CubinKernel& kernel_;
  SourcePlaces places_;
  DecodeState state_;
  CodeSections sections_;
  ConstantAddresses constant_addresses_;
  // [B] of the sections of variables
  std::map<std::string, std::uint64_t, std::less<>> section_addresses_;
  simt::Program program_;
  DecodedCode decoded_;
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
  check_sizes(kernel);
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
