#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope::simt {

/// Instructions that lanes may still execute from a place in the code: all paths, found when they are asked for.
class CodeReach {
 public:
  explicit CodeReach(const Program& program) : program_(program) {}

  /// Whether lanes at `from` go to their exit without a barrier on the way, and without code that lanes execute behind the
  /// block barrier at `barrier`: there they would wait for those. Both into Program::code.
  bool leaves(std::uint32_t from, std::uint32_t barrier);

 private:
  struct Reach {
    std::vector<bool> code;
    bool may_wait = false;  // at a barrier, or at an unknown place
  };
  const Reach& reach(std::uint32_t from);
  void add_next(std::uint32_t here, std::vector<std::uint32_t>& open, Reach& found) const;

  const Program& program_;
  std::map<std::uint32_t, Reach> known_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> leaves_;
};

}  // namespace tilescope::simt
