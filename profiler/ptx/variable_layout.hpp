#pragma once

#include <cstdint>
#include <vector>

#include "profiler/ptx/program.hpp"
#include "profiler/ptx/syntax.hpp"

namespace tilescope::ptx {

/// Where the variables of a kernel lie in their state spaces.
struct VariableLayout {
  std::vector<std::uint64_t>
      module_addresses;  ///< By Module::variables: offset in shared memory, or address.
  std::vector<std::uint64_t>
      function_addresses;                 ///< By Function::variables: offset in shared or local memory.
  std::uint32_t static_shared_bytes = 0;  ///< [B] a multiple of 16
  std::uint32_t local_bytes = 0;          ///< [B] per thread
  std::vector<SharedSymbol> shared_symbols;
  std::vector<GlobalVariable> globals;  ///< With addresses of other variables filled in.
};

/// Lays out the shared variables that the kernel names, its local ones, and all global and constant ones of the module.
/// Dynamic shared memory (extern arrays) begins behind the static one. Throws Unsupported for more than the 48 KB of
/// static shared memory that any GPU takes, or more than 512 KB of local memory a thread.
VariableLayout lay_out_variables(const Module& module, const Function& function);

}  // namespace tilescope::ptx
