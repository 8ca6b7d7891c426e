#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/execution/simt/data_facts.hpp"
#include "profiler/execution/simt/machine_facts.hpp"

/// A kernel in the form that the interpreter executes: decoded once, then only read, by all cores at once.
namespace tilescope::simt {

inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

inline constexpr int lane_count = 32;
/// One bit per lane of a warp.
using LaneMask = std::uint32_t;
inline constexpr LaneMask all_lanes = 0xffffffffu;

/// The place of a register's 32 lanes, in units of slot_bytes: in the warp's register file or, when negative, among the
/// program's constants. 16-bit registers take one slot (32 x 2 B, lane after lane), 32-bit ones two, 64-bit ones four,
/// 128-bit ones eight, a predicate one (its first word is a LaneMask). An 8-bit register has lanes of 16 bits, whose
/// upper half is undefined: see lane_bytes_of. Registers of one size that are never live together share slots.
using Slot = std::int32_t;
inline constexpr Slot no_slot = INT32_MIN;
inline constexpr std::size_t slot_bytes = 64;

/// [B] The size of a register's lane in the register file, by the size of the register's type: handlers read and write
/// lanes of this size. 0 for a predicate.
constexpr int lane_bytes_of(int type_bytes) {
  return type_bytes == 1 ? 2 : type_bytes;
}

class Warp;
struct Instruction;
/// Executes an instruction for the lanes of Warp::exec, which is never empty.
using Handler = void (*)(Warp&, const Instruction&);

/// The bytes that `lane` is about to store, for an observer that sees an access before it happens. Bytes after the
/// access are 0.
using StoredBytes = std::array<std::byte, 16> (*)(const Warp&, const Instruction& store, unsigned lane);

/// The `flags` of a Flow::jump that is a call: a function of the driver may be its target.
inline constexpr std::uint8_t jump_is_call = 1;

/// Action of the interpreter's loop on an instruction.
enum class Flow : std::uint8_t {
  /// Handler, then the next instruction.
  next,
  /// Not of PTX: stands at the start of every basic block, which is counted there.
  enter_block,
  /// To `target` for the lanes of the guard.
  branch,
  /// To Program::branch_targets[immediate + lane's a]; `target` is their number.
  branch_table,
  /// Program::calls[immediate]; `target` is the first instruction of the function.
  call,
  /// Return of a function that is not a kernel: each lane continues after its call.
  call_return,
  /// Ends the lanes of the guard.
  exit,
  /// barrier, bar: see BarrierForm in block.hpp.
  block_barrier,
  /// bar.warp.sync: waits for the live lanes of `a`, at any bar.warp.sync.
  warp_barrier,
  /// Handler, as soon as all live lanes of the mask in `a` have arrived here (shfl.sync, mma.sync).
  warp_wide,
  /// trap, brkpt
  trap,
  /// Reports Program::probes[immediate] to the observer: a comment in the code of a step build, not an instruction of the
  /// kernel. Without a handler.
  probe,
  // Machine code only:
  /// Handler with all lanes in Warp::exec, for uniform registers, which a warp has once. Not executed when no lane is
  /// active.
  uniform,
  /// BSYNC: waits until all live lanes of the mask in `a` (a convergence barrier) wait at one with the same `a`; those
  /// that wait here continue together.
  converge,
  /// WARPSYNC: waits for the live lanes of the mask in `a`, at any WARPSYNC with the same `flags`; those that wait here
  /// continue together, with `flags` 1 only lanes with the same mask.
  warp_converge,
  /// BRA.DIV, BRA.CONV: to `target` when live lanes of the mask in `a` are elsewhere, or have a false guard (`flags` 0), or
  /// when there is none (1).
  branch_if_diverged,
  /// BRX, RET: each lane to the address in `a` plus `immediate` [B]: see Program::code_at_address.
  jump,
};

/// Which part of an SM executes an instruction, for the instruction mix.
enum class Pipe : std::uint8_t { fma, alu, mufu, lsu, tensor, control, fp64, convert, uniform, other };
inline constexpr int pipe_count = 10;
std::string_view name_of(Pipe pipe);

/// One instruction. `d` to `c`, `guard` and the slots in Program::operands are registers; each family defines the small
/// fields (profiler/execution/ptx/instructions, profiler/execution/sass/instructions).
struct Instruction {
  Handler execute = nullptr;
  Slot d = no_slot, a = no_slot, b = no_slot, c = no_slot;
  /// A predicate
  Slot guard = no_slot;
  /// An index into Program::code.
  std::uint32_t target = 0;
  /// An address's offset [B], a barrier's number, a table's bits ...
  std::int64_t immediate = 0;
  /// The first of its further slots in Program::operands.
  std::uint32_t operands = 0;
  std::uint16_t operand_count = 0;
  Flow flow = Flow::next;
  bool guard_negated = false;
  /// Type of the operands: for PTX a ptx::Type.
  std::uint8_t type = 0;
  /// [B] of one element, or a count.
  std::uint8_t width = 0;
  /// Elements of a vector, matrices of an ldmatrix.
  std::uint8_t count = 0;
  std::uint8_t flags = 0;
  /// Into Program::origins.
  std::uint32_t origin = 0;
};

/// A place in the CUDA source. The line of an inlined function refers to its call.
struct Location {
  /// The number of a file in Program::files
  std::uint32_t file = 0;
  /// From 1; 0 when the compiler knows none.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// Into Program::locations.
  std::uint32_t inlined_at = no_index;
  /// Demangled name of an inlined function; "" for the kernel itself.
  std::string function;
};

struct SourceFileName {
  std::uint32_t number = 0;
  std::string path;
};

/// Origin of an instruction.
struct Origin {
  /// 0 for machine code without line information.
  std::uint32_t ptx_line = 0;
  /// [B] Address of machine code, from the start of its function.
  std::uint32_t address = no_index;
  /// Into Program::locations.
  std::uint32_t location = no_index;
  /// Fields by which the compiler schedules machine code (sass::scheduling_of_bits).
  std::uint32_t scheduling = 0;
  Pipe pipe = Pipe::other;
  DataFacts data = {};
  /// Empty for PTX.
  MachineFacts facts = {};
  /// As written in the PTX, or by the disassembler.
  std::string text;
};

/// Straight code: entered at its first instruction, an enter_block, left at its last.
struct BasicBlock {
  /// Index of the enter_block.
  std::uint32_t first = 0;
  /// Without the enter_block.
  std::uint32_t instructions = 0;
  std::uint32_t loop_head_of = no_index;
  /// Number of the instructions that are Flow::probe.
  std::uint32_t probes = 0;
  /// Instructions that a warp issues.
  std::uint32_t issued() const { return instructions - probes; }
};

/// A part of shared memory that has a name in the PTX: a static array, or the dynamic memory (bytes 0).
struct SharedSymbol {
  /// As in the source: "partial" for an array of a function, whatever the function is.
  std::string name;
  /// [B] in the block's shared memory
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

/// A variable in global or constant memory, with its initial contents.
struct GlobalVariable {
  std::string name;
  std::uint64_t address = 0;
  std::vector<std::byte> initial;
  bool is_constant = false;
};

/// A variable in a constant bank of machine code.
struct ConstantVariable {
  std::string name;
  std::uint32_t bank = 0;
  /// [B] from the start of the bank
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  /// The code has a number that lies in the variable, so that a register may hold an address in it.
  bool may_be_in_register = false;
};

/// Registers whose values never change during a warp.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  total_smem_size,
  dynamic_smem_size,
};
/// A 32-bit register that the interpreter fills before the first instruction (gridid: 64 bits).
struct Preset {
  Special special = Special::tid_x;
  Slot slot = no_slot;
};

/// A register by its place and the bytes of a lane, 0 for a predicate.
struct RegisterPlace {
  Slot slot = no_slot;
  std::uint8_t bytes = 0;
};

/// A value that a call passes to a function or gets from it, for each lane.
struct CallCopy {
  struct Place {
    /// A register; no_slot: in the frame, at `offset`.
    Slot slot = no_slot;
    /// [B] from the frame's start
    std::uint32_t offset = 0;
    bool is_register() const { return slot != no_slot; }
  };
  Place from, to;
  /// 0 for a predicate
  std::uint32_t bytes = 0;
};

/// A call of a function by its name.
struct CallSite {
  /// Into Program::functions.
  std::uint32_t caller = 0, callee = 0;
  /// Into Program::code: after the call.
  std::uint32_t return_to = 0;
  std::vector<CallCopy> arguments, results;
  /// Registers of a caller that this call may enter again, saved on the stack meanwhile.
  std::vector<RegisterPlace> saved;
};

/// A register that holds the address of a variable in the frame, filled when the function is called.
struct FrameAddress {
  RegisterPlace place;
  /// [B] from the frame's start
  std::uint64_t offset = 0;
};

/// A function with a body: the kernel, or a function that it calls. Variables and parameters that are not registers lie
/// in its frame, in the thread's local memory. The kernel's frame begins at 0, every other one after its caller's.
struct CalledFunction {
  std::string name;
  std::uint32_t frame_bytes = 0;
  std::vector<FrameAddress> addresses;
};

/// A parameter of the kernel.
struct KernelParameter {
  /// [B] from the start of the kernel's parameters
  std::uint64_t offset = 0;
  /// [B]
  std::uint64_t bytes = 0;
};

/// A word of a constant bank. The launch gives bank 0: the values of special registers that do not change, and the
/// parameters.
struct LaunchConstant {
  /// Among the program's constants; 32 lanes of 32 bits.
  Slot slot = no_slot;
  /// [B] in the bank, a multiple of 4
  std::uint32_t offset = 0;
  std::uint32_t bank = 0;
};

/// A value that the kernel's source names for the panels: probe("m", row, value). Its Instruction has the flow `probe`,
/// and `immediate` is the probe's number in Program::probes.
struct Probe {
  /// "m"
  std::string name;
  /// 32-bit integers that say which value it is: a row, a row and a column.
  std::vector<Slot> indices;
  /// A 32-bit float.
  Slot value = no_slot;
};

/// A register of the PTX, shown when the user selects a lane.
struct NamedRegister {
  /// "%r12"
  std::string name;
  /// ".b32", as declared
  std::string type;
  RegisterPlace place;
  /// Into Program::code: before the instructions of [first, last] its place holds its value. Other registers have the
  /// place outside.
  std::uint32_t first = 0, last = 0;
};

/// A function that machine code calls and the driver has.
struct DriverFunction {
  /// "vprintf"
  std::string name;
  /// Executed for the lanes that call it, which continue behind the call; reads and writes the registers of the calling
  /// convention. nullptr where it is not executed.
  Handler execute = nullptr;
};

/// A size of a block, a grid or a cluster in the kernel's declaration; x is 0 where it declares none.
struct DeclaredSize {
  std::uint32_t x = 0, y = 1, z = 1;
};

struct Program {
  std::string name;
  /// "sm_89"
  std::string target;
  std::vector<Instruction> code;
  std::vector<Slot> operands;
  std::vector<std::uint32_t> branch_targets;
  /// Broadcast to 32 lanes each; slot -1 is the last slot_bytes.
  std::vector<std::byte> constants;
  /// For one warp.
  std::uint32_t register_slots = 0;
  std::vector<Preset> presets;
  std::vector<BasicBlock> blocks;
  /// The order in which divergent lanes run, by index into `code`: lower first. Loops are contiguous, and a join comes
  /// after its branches (Bourdoncle's weak topological order), so that lanes reconverge where paths join.
  std::vector<std::uint32_t> rank;
  std::vector<Origin> origins;
  std::vector<Location> locations;
  std::vector<SourceFileName> files;

  std::uint64_t parameter_bytes = 0;
  std::vector<KernelParameter> parameters;
  /// Dynamic shared memory begins here, aligned.
  std::uint32_t static_shared_bytes = 0;
  std::vector<SharedSymbol> shared_symbols;
  /// Per thread, of all frames that can be open together.
  std::uint32_t local_bytes = 0;
  /// The first is the kernel.
  std::vector<CalledFunction> functions;
  std::vector<CallSite> calls;
  /// Sentences on what the kernel does but the interpreter does not.
  std::vector<std::string> notes;
  /// Addresses from module_memory_base on.
  std::vector<GlobalVariable> variables;
  /// Values that the PTX names.
  std::vector<Probe> probes;
  /// All registers of the kernel and of the functions that it calls; PTX only.
  std::vector<NamedRegister> registers;
  std::uint32_t max_threads = 0;
  /// The block that it must be launched with (.reqntid), and the blocks of a cluster (.reqnctapercluster).
  DeclaredSize required_block, cluster;
  /// Registers of a thread; 0 for PTX, where they are not known.
  std::uint32_t registers_of_thread = 0;
  /// Whether it calls printf: its blocks then run one after the other, so that the same texts are kept in every run.
  bool prints = false;
  /// Whether blocks communicate through atomics on global memory: they then run one after the other.
  bool has_global_atomics = false;
  /// Code of a GPU, else PTX. Lanes that have diverged then meet again where the code says so, not wherever they reach
  /// the same instruction.
  bool is_machine_code = false;
  /// Machine code only: instruction i of the code is code[code_at_address[i]], an enter_block, or no_index where no
  /// jump may go.
  std::vector<std::uint32_t> code_at_address;
  /// [B] of each instruction of machine code.
  static constexpr std::uint32_t instruction_bytes = 16;
  /// Functions of the driver that machine code may call. Their addresses in the code begin here, one instruction each.
  static constexpr std::uint32_t driver_functions_base = 0x7000'0000;
  std::vector<DriverFunction> driver_functions;
  /// [B] The parts of machine code that the compiler calls for divisions, roots and the like.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> compiler_functions;
  /// Constants that the launch writes into constant bank 0 of machine code, and where the parameters begin in
  /// it [B].
  std::vector<LaunchConstant> launch_constants;
  std::uint32_t parameter_base = 0;
  /// [B] Bytes of the system, behind which machine code's addresses of shared memory begin. Accesses are reported
  /// without them.
  std::uint32_t reserved_shared_bytes = 0;
  /// Constant banks of machine code by their numbers. Bank 0 is empty here: see Block::constant_bank.
  std::vector<std::vector<std::byte>> constant_banks;
  /// The variables in them that have a name, of one bank after the other, by offset.
  std::vector<ConstantVariable> constant_variables;

  /// [B] The smallest element of a shared access: the granularity of the checkers.
  std::uint32_t shared_grain = 4;
  /// For a store to shared memory.
  StoredBytes stored_bytes = nullptr;
};

/// The line of an instruction in the kernel's own file; for an inlined function the line of its call there.
struct SourceLine {
  /// Without its folder.
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;
};
/// All lines of an instruction, innermost first: the inlined function's line, then the lines of its calls. Empty when
/// the PTX was compiled without line information.
std::vector<SourceLine> source_lines(const Program& program, std::uint32_t location);
/// The innermost of them in `main_file` (a name without folder); else the outermost; line 0 for none.
SourceLine kernel_line(const Program& program, std::uint32_t location, std::string_view main_file);
/// `lines`: a location's source_lines().
SourceLine kernel_line(const std::vector<SourceLine>& lines, std::string_view main_file);
/// "flash_scalar.cu:120", or "PTX line 812" without line information.
std::string describe_place(const Program& program, const Instruction& instruction);
/// As describe_place(), for Program::origins[number].
std::string describe_origin(const Program& program, std::uint32_t number);

}  // namespace tilescope::simt
