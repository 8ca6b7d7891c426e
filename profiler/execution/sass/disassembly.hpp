#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Machine code as nvdisasm prints it (`nvdisasm -c -gi -gp`), instruction by instruction.
namespace tilescope::sass {

inline constexpr std::uint32_t no_index = 0xffff'ffff;

/// A line of the CUDA source.
struct Place {
  /// As in the line table of the binary: a path.
  std::string file;
  /// From 1; 0 where the compiler knows none.
  std::uint32_t line = 0;

  bool operator==(const Place&) const = default;
};

struct Instruction {
  /// [B] from the start of the function's section
  std::uint64_t address = 0;
  /// "@P0", "@!UP1"; "" for none.
  std::string predicate;
  /// "IMAD.MOV.U32"
  std::string opcode;
  /// "R4", "-R5.reuse", "c[0x0][0x28]", "[R2.64+0x10]", "`(.L_x_0)"
  std::vector<std::string> operands;
  /// Remark of nvdisasm, without its brackets: "SpillRefill"; "" for none.
  std::string remark;
  /// Into Disassembly::chains; no_index without line info.
  std::uint32_t chain = no_index;
  /// The line of the PTX that it was made from; 0 without line info.
  std::uint32_t ptx_line = 0;
};

/// "@!P0 IMAD.IADD R0, R0, 0x1, -R5"
std::string text_of(const Instruction& instruction);

struct Label {
  /// ".L_x_3"
  std::string name;
  /// Into Function::instructions: it stands before this one, or behind the last one.
  std::size_t before = 0;
};

struct Function {
  std::string name;
  /// Launched from the host; else called from device code.
  bool is_kernel = false;
  std::vector<Instruction> instructions;
  /// In the order of the text. The function's own name is none of them.
  std::vector<Label> labels;
};

struct Disassembly {
  /// "sm_89"
  std::string architecture;
  /// The places of an inlined instruction, innermost first: the last one is in the function that the section is named
  /// after.
  std::vector<std::vector<Place>> chains;
  std::vector<Function> functions;

  /// nullptr for a function that the binary does not have.
  const Function* find(std::string_view function) const;
};

/// A line that is not understood: what() has its number and its text.
class DisassemblyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the output of nvdisasm. Every line must be one that is known: an instruction, a label, a directive or a remark
/// about the source. Throws DisassemblyError.
Disassembly parse_disassembly(std::string_view text);

/// Reads one instruction as text_of() writes it. Throws DisassemblyError.
Instruction parse_instruction(std::string_view text);

}  // namespace tilescope::sass
