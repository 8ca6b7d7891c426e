#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/ptx/syntax.hpp"

namespace tilescope::ptx {

/// A static array in shared memory, as its PTX declares it.
struct DeclaredSharedArray {
  /// As in Program::shared_symbols.
  std::string name;
  /// [B]
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
};

/// The arrays of a kernel in shared memory, and which of them its instructions access. ptxas writes no names into machine
/// code and orders the arrays as it likes, but says from which line of the PTX an instruction comes.
struct SharedUses {
  /// Static ones, in the kernel and in the functions that it calls. Equal names get a number: "buffer", "buffer (2)".
  std::vector<DeclaredSharedArray> arrays;
  /// The extern array; "" for none.
  std::string dynamic;
  /// By line of the PTX, into `arrays`: instructions whose address comes from one array alone.
  std::map<std::uint32_t, std::size_t> array_at;
};

/// Throws PtxError when there is no such entry.
SharedUses shared_uses(const Module& module, std::string_view entry);

}  // namespace tilescope::ptx
