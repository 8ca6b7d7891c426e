#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/program.hpp"

/// PTX as written, with its names resolved: the parser's output and the decoder's input. Views point into Module::text,
/// which the module owns.
namespace tilescope::ptx {

// The machine that decoded PTX runs on; it has the names that PTX uses.
using namespace simt;  // NOLINT(google-build-using-namespace)

/// A place in the PTX text, both from 1.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool operator==(const Position&) const = default;
};

/// Text that is not PTX, or PTX that is not supported: the message says which, with line and column.
class PtxError : public std::runtime_error {
 public:
  PtxError(const std::string& message, Position where) : std::runtime_error(message), position(where) {}
  Position position;
};
/// Valid PTX that the interpreter does not execute: its point has the status `unsupported`.
class Unsupported : public PtxError {
 public:
  using PtxError::PtxError;
};

/// The fundamental types of PTX (PTX ISA, "Types").
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
};
/// "u32" -> Type::u32; Type::none for a word that is not a type.
Type type_named(std::string_view word);
std::string_view name_of(Type type);
/// [B] of one value; 0 for pred and none.
int size_of(Type type);
bool is_signed(Type type);
/// f16 to f64, the packed ones too.
bool is_floating(Type type);

struct RegisterDeclaration {
  /// "%r" for `%r<100>`; `number` completes it.
  std::string_view name;
  std::uint32_t number = no_index;
  Type type = Type::none;
};

/// A variable of a state space: at module scope, or of a function (shared, local, param of a call).
struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  /// [B]
  std::uint32_t align = 1;
  /// 0 for an extern array without a size (dynamic shared memory).
  std::uint64_t bytes = 0;
  bool is_extern = false;
  /// Empty, or `bytes` long.
  std::vector<std::byte> initial;
  /// Places in `initial` that hold the address of another variable.
  struct AddressOf {
    /// [B] in `initial`; 8 bytes (4 in a .u32)
    std::uint64_t offset = 0;
    std::uint32_t variable = no_index;
    std::int64_t addend = 0;
    bool generic = false;
  };
  std::vector<AddressOf> addresses;
  Position position;
};

/// One operand, as written.
struct OperandSyntax {
  enum class Kind : std::uint8_t {
    /// %r1, or !%p1
    reg,
    /// %p1|%p2: `elements` are the two
    pair,
    /// 42, -1, 0xff
    integer,
    /// 0f3F800000, 0d..., 1.5
    real,
    /// %tid.x: `name`
    special,
    /// the address of a variable: `index`, and `offset` after it
    variable,
    /// a branch target: `index` of an instruction
    label,
    /// of a brx: `index` into Function::branch_tables
    table,
    /// `name`
    function,
    /// [base + offset]; the base, a reg or a variable (none for an absolute one), is elements[0]
    address,
    /// {a, b, ...}: `elements`; also the parenthesised lists of a call
    vector,
    /// _
    sink,
  };
  Kind kind = Kind::sink;
  /// !%p, or -%r where the form allows it
  bool negated = false;
  /// A real written as 0f: `bits` hold a float, else a double.
  bool is_single = false;
  /// For a reg an index into Function::registers; for a variable see `is_local`.
  std::uint32_t index = no_index;
  /// The variable is one of Function::variables or (see is_parameter), else of the module.
  bool is_local = false;
  /// The variable is one of Function::parameters.
  bool is_parameter = false;
  /// A literal's value: two's complement, or IEEE.
  std::uint64_t bits = 0;
  /// [B] Added to an address. Not used for a reg: the parser turns "%r1 + 4" into an add.
  std::int64_t offset = 0;
  /// As written.
  std::string_view name;
  std::vector<OperandSyntax> elements;
  Position position;
};

struct InstructionSyntax {
  /// "ld", "shared", "v4", "u32": the opcode and what follows it after dots ("ld.shared::cta.v4.u32" gives
  /// "shared::cta").
  std::vector<std::string_view> words;
  std::vector<OperandSyntax> operands;
  /// The register of @%p.
  std::uint32_t guard = no_index;
  bool guard_negated = false;
  /// Into Module::locations: the .loc that applies here.
  std::uint32_t location = no_index;
  Position position;
  /// The whole statement, from its guard to its semicolon.
  std::string_view text;
};

struct Parameter {
  std::string_view name;
  Type type = Type::b8;
  /// [B]
  std::uint32_t align = 1;
  /// [B] 160 of `.param .b8 p[160]`
  std::uint64_t bytes = 0;
  /// [B] from the start of the kernel's parameters
  std::uint64_t offset = 0;
  /// For a .reg parameter of a .func: indices into Function::registers (several for a vector). It then has no offset.
  std::vector<std::uint32_t> registers;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<Parameter> parameters;
  /// Results of a .func
  std::vector<Parameter> results;
  std::vector<RegisterDeclaration> registers;
  std::vector<Variable> variables;
  /// A label at the end stands for body.size().
  std::vector<InstructionSyntax> body;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  /// .maxntid or .reqntid, all dimensions multiplied; 0 where there is none.
  std::uint32_t max_threads = 0;
  /// .reqntid and .reqnctapercluster
  DeclaredSize required_block, cluster;
  Position position;
};

struct Module {
  std::shared_ptr<const std::string> text;
  int version_major = 0, version_minor = 0;
  /// "sm_89", "sm_90a"
  std::string_view target;
  /// 89, 90
  int target_number = 0;
  int address_size = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<SourceFileName> files;
  std::vector<Location> locations;

  const Function* find(std::string_view function) const;
  const std::string* file_path(std::uint32_t number) const;
};

}  // namespace tilescope::ptx
