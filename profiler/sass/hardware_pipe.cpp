#include "profiler/sass/hardware_pipe.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace tilescope::sass {
namespace {

using Pipe = HardwarePipe;

struct OpcodesOfPipe {
  Pipe pipe;
  std::span<const std::string_view> names;
};

constexpr std::string_view adu_names[] = {"B2R", "BAR", "CGAERRBAR", "LDC", "MATCH", "REDUX"};
constexpr std::string_view alu_names[] = {
    "BMSK",     "CS2R",      "F2FP",   "F2IP",      "FMNMX",  "FSEL",    "FSET",  "FSETP", "HMNMX2", "HSET2",
    "HSETP2",   "I2FP",      "I2I",    "I2IP",      "IABS",   "IADD3",   "IMNMX", "ISETP", "LEA",    "LOP3",
    "MOV",      "MOV32I",    "P2R",    "PLOP3",     "PRMT",   "R2P",     "R2UR",  "SEL",   "SGXT",   "SHF",
    "VABSDIFF", "VABSDIFF4", "VHMNMX", "VIADDMNMX", "VIMNMX", "VIMNMX3", "VOTE",  "VOTEU"};
constexpr std::string_view cbu_names[] = {"BREAK", "BRX", "BSSY", "BSYNC", "CALL", "EXIT", "RET", "WARPSYNC"};
constexpr std::string_view light_names[] = {"FADD", "FFMA", "FMUL"};
constexpr std::string_view heavy_names[] = {"IDP", "IMAD", "VIADD"};
constexpr std::string_view half_names[] = {"HADD2", "HFMA2", "HMUL2"};
constexpr std::string_view fp64_names[] = {"DADD", "DFMA", "DMUL", "DSETP"};
constexpr std::string_view lsu_names[] = {"ATOM",   "ATOMG", "ATOMS", "CCTL", "LD",     "LDG",  "LDGDEPBAR",
                                          "LDGSTS", "LDL",   "LDS",   "LDSM", "MEMBAR", "MOVM", "RED",
                                          "REDG",   "SHFL",  "ST",    "STG",  "STL",    "STS",  "STSM"};
constexpr std::string_view tensor_names[] = {"HMMA", "IMMA"};
constexpr std::string_view xu_names[] = {"BREV", "F2F", "F2I", "FCHK", "FLO", "FRND", "I2F", "MUFU", "POPC"};

constexpr OpcodesOfPipe opcodes_of_pipes[] = {
    {Pipe::adu, adu_names},   {Pipe::alu, alu_names}, {Pipe::cbu, cbu_names},       {Pipe::fma, light_names},
    {Pipe::fp64, fp64_names}, {Pipe::lsu, lsu_names}, {Pipe::tensor, tensor_names}, {Pipe::xu, xu_names}};

HardwarePipes set_of(std::initializer_list<Pipe> pipes) {
  HardwarePipes set;
  for (const Pipe pipe : pipes) set.set(static_cast<std::size_t>(pipe));
  return set;
}

bool is_in(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// S2R and S2UR: threads know their index in the block and their lane; other special registers are read in the ADU.
HardwarePipes special_register_pipes(std::string_view operands) {
  const std::string_view source = operands.substr(operands.rfind(' ') + 1);
  const bool is_of_thread = source.starts_with("SR_TID") || source == "SR_LANEID";
  return set_of({is_of_thread ? Pipe::lsu : Pipe::adu});
}

HardwarePipes multiply_add_pipes(const InstructionText& instruction, int architecture) {
  const bool is_half = is_in(instruction.name(), half_names);
  if (is_half && instruction.has("MMA") && architecture >= 90) return set_of({Pipe::tensor});
  if (is_half && architecture == 80) return set_of({Pipe::fp16});
  // Packed halves take both halves of the pipe; to convert one to 32 bits takes the heavy one.
  if (is_half && !instruction.has("F32")) return set_of({Pipe::fma});
  return set_of({Pipe::fma, Pipe::fma_heavy});
}

// RET, BRX, and WARPSYNC of a mask in a register read an address or a mask in the ADU, too.
bool reads_in_adu(const InstructionText& instruction) {
  if (instruction.name() == "WARPSYNC") return instruction.operands().starts_with('R');
  return instruction.name() == "RET" || instruction.name() == "BRX";
}

}  // namespace

std::string_view name_of(HardwarePipe pipe) {
  constexpr std::array<std::string_view, hardware_pipe_count> names = {
      "adu", "alu", "cbu", "fma", "fma heavy", "fp16", "fp64", "lsu", "tensor", "uniform", "xu"};
  return names[static_cast<std::size_t>(pipe)];
}

InstructionText::InstructionText(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  const std::size_t end = std::min(text.find(' '), text.size());
  opcode_ = text.substr(0, end);
  operands_ = text.substr(std::min(end + 1, text.size()));
}

std::string_view InstructionText::name() const {
  return opcode_.substr(0, opcode_.find('.'));
}

std::string_view InstructionText::modifiers() const {
  return opcode_.substr(std::min(name().size() + 1, opcode_.size()));
}

bool InstructionText::has(std::string_view modifier) const {
  for (std::string_view rest = modifiers(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    if (rest.substr(0, end) == modifier) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

HardwarePipes pipes_of(const InstructionText& instruction, int architecture) {
  const std::string_view name = instruction.name();
  if (name == "S2R" || name == "S2UR") return special_register_pipes(instruction.operands());
  if (is_in(name, heavy_names) || is_in(name, half_names))
    return multiply_add_pipes(instruction, architecture);
  for (const OpcodesOfPipe& opcodes : opcodes_of_pipes) {
    if (!is_in(name, opcodes.names)) continue;
    HardwarePipes pipes = set_of({opcodes.pipe});
    if (reads_in_adu(instruction)) pipes |= set_of({Pipe::adu});
    return pipes;
  }
  // ULDC and UMOV are not counted as of any pipe.
  if (name.starts_with('U') && name != "ULDC" && name != "UMOV") return set_of({Pipe::uniform});
  return {};
}

}  // namespace tilescope::sass
