#pragma once

#include "profiler/execution/simt/program.hpp"

namespace tilescope::simt {

/// An Observer that may follow values through registers derives from this as well. Instructions cost time only while it
/// follows some.
class ValueFollower {
 public:
  virtual ~ValueFollower() = default;
  /// A flag that is true while values are followed: come_to() and execute() are called then. Asked once, before the first
  /// block; nullptr for never.
  virtual const bool* is_following() const = 0;
  /// `lanes` of a warp come to an instruction; its guard has not been looked at.
  virtual void come_to(const Warp& warp, const Instruction& at, LaneMask lanes) = 0;
  /// Executes an instruction's handler in place of the interpreter, for the lanes of Warp::exec.
  virtual void execute(Warp& warp, const Instruction& at) = 0;
};

}  // namespace tilescope::simt
