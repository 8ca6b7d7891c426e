#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// Families of faults that the checkers look for in a form of a kernel, and those that they cannot see in it.
struct LookedFor {
  /// "races on shared memory", ...
  std::vector<std::string> families;
  std::vector<std::string> not_looked_for;

  bool operator==(const LookedFor&) const = default;
};
/// Knowledge about the buffers of a launch.
struct KnownBuffers {
  /// Which of them the kernel should fill.
  bool outputs = false;
  /// The types of their elements.
  bool types = false;
  /// Their values after the launch, of any of them; none where the checkers are not those that compare values.
  std::optional<bool> values = std::nullopt;
};
LookedFor looked_for(const simt::Program& program, const KnownBuffers& buffers);

/// "Looked for: races on shared memory, ... Not looked for: ..."
std::string sentence_of(const LookedFor& checked);

}  // namespace tilescope
