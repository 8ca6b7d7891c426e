#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/execution/ptx/shared_uses.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/measure/caches/disassembly_cache.hpp"
#include "profiler/measure/files/input_file.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// There is no kernel of the name, or no name and several kernels: the message lists them.
class UnknownEntry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A __constant__ variable of a cubin, whose contents are a part of a constant bank.
struct ConstantVariable {
  std::string name;
  /// Into simt::Program::constant_banks.
  std::size_t bank = 0;
  /// [B] In the bank.
  std::uint64_t offset = 0, bytes = 0;
  /// See simt::ConstantVariable.
  bool may_be_in_register = false;
};

/// A kernel of a file in the interpreter's form.
struct FileProgram {
  /// None with a status and a reason.
  std::optional<simt::Program> program;
  Status status = Status::ok;
  /// A sentence; "" when ok.
  std::string reason;
  /// As far as they are known when the file cannot be decoded.
  std::string entry, target;
  /// Registers and static shared memory of a cubin's kernel.
  Resources resources;
  /// Filled for a cubin; PTX has its __constant__ variables among Program::variables.
  std::vector<ConstantVariable> constant_variables;
  /// Arrays of a cubin's kernel. Several static ones have no place in shared memory yet: FileLaunch::place_shared_arrays().
  ptx::SharedUses shared{};
};

/// Decodes PTX, or a cubin with nvdisasm's help. `wanted` may be empty when there is only one kernel. Throws UnknownEntry.
/// Errors of the file are a status: compile_failed for invalid PTX, else unsupported.
FileProgram decode_file(const std::string& contents, InputFile file, const std::string& wanted,
                        DisassemblyCache& disassemblies);

}  // namespace tilescope
