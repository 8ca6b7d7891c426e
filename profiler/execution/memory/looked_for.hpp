#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// What the checkers look for in a form of a kernel, and what they cannot see in it.
struct LookedFor {
  /// "races on shared memory", ...
  std::vector<std::string> families;
  std::vector<std::string> not_looked_for;

  bool operator==(const LookedFor&) const = default;
};
/// `knows_outputs`: it is known which buffers the kernel should fill.
LookedFor looked_for(const simt::Program& program, bool knows_outputs);

/// "Looked for: races on shared memory, ... Not looked for: ..."
std::string sentence_of(const LookedFor& checked);

}  // namespace tilescope
