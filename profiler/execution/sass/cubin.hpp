#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/cubin_error.hpp"
#include "profiler/execution/sass/cubin_info.hpp"
#include "profiler/execution/sass/instruction_word.hpp"

/// The file that ptxas writes (a cubin, ELF) for sm_80 to sm_90a: machine code and what its execution needs. NVIDIA
/// does not document the format: what is said here was read off files of CUDA 12.9 and 13.0, beside what cuobjdump and
/// nvdisasm print for them.
namespace tilescope::sass {

enum class SymbolKind : std::uint8_t { other, section, variable, function, kernel };

struct CubinSymbol {
  /// As in the file, mangled. "$_Z5scalePf$_Z4halff" is a function inside the code of kernel _Z5scalePf.
  std::string name;
  SymbolKind kind = SymbolKind::other;
  /// Name of the section it is in; "" for one that the file does not define, such as vprintf.
  std::string section;
  /// [B] from the start of the section
  std::uint64_t offset = 0;
  /// [B]
  std::uint64_t bytes = 0;
};

/// A place of a section into which a value is written when the file is loaded.
struct Relocation {
  /// [B] from the start of the section
  std::uint64_t offset = 0;
  /// Its name: relocation_name() in cubin_info.hpp.
  std::uint32_t type = 0;
  /// Into Cubin::symbols.
  std::size_t symbol = 0;
  /// Is added to the symbol's address; nullopt where the place itself holds it (.rel sections).
  std::optional<std::int64_t> addend;
};

/// A section of data in constant or global memory.
struct DataSection {
  /// ".nv.constant3", ".nv.global.init"
  std::string name;
  /// [B]
  std::uint64_t bytes = 0;
  /// [B]
  std::uint64_t alignment = 1;
  /// Contents of the first bytes; the bytes behind them, and all of .nv.global, are zero.
  std::vector<char> contents;
  std::vector<Relocation> relocations;
};

/// Constant bank N is section .nv.constantN or .nv.constantN.KERNEL. Bank 0 holds what the driver writes for a launch,
/// parameters included, and is zero in the file. Bank 2 holds a kernel's own constants and jump tables, bank 3
/// __constant__ variables, bank 4 addresses of variables and of the driver's functions.
struct ConstantBank {
  unsigned number = 0;
  /// The kernel that it is for; "" for all of the file.
  std::string kernel;
  DataSection data;
};

/// A section of code, .text.NAME: a kernel with the functions that only it calls, or a function of several callers.
struct CubinFunction {
  /// "flash_scalar"
  std::string name;
  bool is_kernel = false;
  /// Instruction i is at address 16 * i.
  std::vector<InstructionWord> words;
  std::vector<Relocation> relocations;
  /// The functions in it, each at its offset, the one that the section is named after included.
  std::vector<CubinSymbol> entries;

  /// [B]
  std::uint64_t bytes() const { return 16 * words.size(); }
};

struct KernelParameter {
  /// [B] from CubinKernel::parameter_base
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;

  bool operator==(const KernelParameter&) const = default;
};

/// A BRX with the addresses that it may go to, from the start of the section of code.
struct IndirectBranch {
  std::uint32_t address = 0;
  std::vector<std::uint32_t> targets;

  bool operator==(const IndirectBranch&) const = default;
};

struct CubinKernel {
  std::string name;
  /// Its code: into Cubin::functions.
  std::size_t function = 0;

  /// [B] in constant bank 0: 0x160 on sm_8x (0x1a80 for more than 4096 bytes of parameters), 0x210 on sm_90;
  /// 0 for a kernel without parameters.
  std::uint32_t parameter_base = 0;
  /// [B] of all parameters, gaps included
  std::uint32_t parameter_bytes = 0;
  /// In the order of the declaration.
  std::vector<KernelParameter> parameters;

  /// Registers of a thread; the hardware rounds up.
  std::uint32_t registers = 0;
  /// Block barriers that it uses: 0 to 16.
  std::uint32_t barriers = 0;

  /// [B] at the start of a block's shared memory that belong to the system: 1024 on sm_90, 0 before. Static arrays
  /// follow, then dynamic shared memory. The code has this number in it as a literal (UMOV UR4, 0x400).
  std::uint32_t reserved_shared_bytes = 0;
  /// [B] of static arrays, without the reserved ones; what ptxas reports as smem.
  std::uint32_t static_shared_bytes = 0;
  /// [B]
  std::uint32_t shared_alignment = 1;
  /// Static arrays, offsets from the end of the reserved bytes. Most files have none: ptxas leaves the names out
  /// unless it is called with --preserve-relocs.
  std::vector<CubinSymbol> shared_symbols;

  /// [B] of local memory that a thread's stack needs, functions that it calls included. nullopt where the file says
  /// that it is unknown. 0 can be too little on sm_90: a recursive function in the kernel's own section is not counted.
  std::optional<std::uint32_t> stack_bytes;

  /// __launch_bounds__ (its first number along x); nullopt without.
  std::optional<std::array<std::uint32_t, 3>> max_threads;
  /// The block that the kernel must be launched with (.reqntid).
  std::optional<std::array<std::uint32_t, 3>> required_threads;
  /// Blocks in a cluster (__cluster_dims__).
  std::optional<std::array<std::uint32_t, 3>> cluster;

  /// Addresses in the section of code, ascending.
  std::vector<std::uint32_t> exits;
  std::vector<IndirectBranch> indirect_branches;
  /// Functions of the driver that it calls, such as vprintf: into Cubin::symbols.
  std::vector<std::size_t> externs;
  /// All of .nv.info.KERNEL, those above included.
  std::vector<InfoAttribute> attributes;
};

struct Cubin {
  /// "sm_89", "sm_90a"
  std::string architecture;
  std::vector<CubinKernel> kernels;
  std::vector<CubinFunction> functions;
  std::vector<ConstantBank> constant_banks;
  /// .nv.global.init and .nv.global, where they are there.
  std::vector<DataSection> global_sections;
  /// __device__ and __constant__ variables, each in its section.
  std::vector<CubinSymbol> variables;
  /// As in the file, its symbol 0 included.
  std::vector<CubinSymbol> symbols;

  /// Throws CubinError, which names the kernels that there are.
  const CubinKernel& kernel(std::string_view name) const;
  /// nullptr for a section of code that is not there.
  const CubinFunction* function(std::string_view name) const;
  /// The bank as `kernel` and all that it calls see it: its own one, else the one of the file; nullptr for none.
  const ConstantBank* constant_bank(unsigned number, std::string_view kernel) const;
  /// nullptr unless the section is a constant bank or lies in global memory.
  const DataSection* data_section(std::string_view name) const;
};

/// 89 of "sm_89", 90 of "sm_90a"
int architecture_number(std::string_view architecture);

/// Throws CubinError.
Cubin read_cubin(std::span<const char> file);

}  // namespace tilescope::sass
