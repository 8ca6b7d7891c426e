#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/ptx/call_graph.hpp"
#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::ptx {

/// The places of one function's variables, by their index.
struct FunctionLayout {
  /// By Function::variables: offset in shared memory or, for local variables and parameters of calls, in the frame.
  std::vector<std::uint64_t> variables;
  /// By Function::parameters, then Function::results: offset in the frame. Empty for a kernel.
  std::vector<std::uint64_t> parameters;
  std::uint32_t frame_bytes = 0;
};

/// The places of the variables of a kernel, and of the functions that it calls, in their state spaces.
struct VariableLayout {
  /// By Module::variables: offset in shared memory, or address.
  std::vector<std::uint64_t> module_addresses;
  /// By CallGraph::functions.
  std::vector<FunctionLayout> functions;
  /// [B] a multiple of 16
  std::uint32_t static_shared_bytes = 0;
  /// [B] per thread, of all frames
  std::uint32_t local_bytes = 0;
  std::vector<SharedSymbol> shared_symbols;
  /// With addresses of other variables filled in.
  std::vector<GlobalVariable> globals;
};

/// [B] Local memory of a thread for the frames of a recursion, in addition to one frame per function.
inline constexpr std::uint32_t recursion_bytes = 16 * 1024;

/// Lays out the shared variables that the functions name, their local ones, and all global and constant ones of the
/// module. Dynamic shared memory (extern arrays) begins after the static one. Throws Unsupported for more than 48 KB of
/// static shared memory, the limit of every GPU, or more than 512 KB of local memory per thread.
VariableLayout lay_out_variables(const Module& module, const CallGraph& graph);

}  // namespace tilescope::ptx
