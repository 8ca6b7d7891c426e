#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "profiler/client/point_store.hpp"

namespace tilescope {

class Explorer;

/// The checkers for the configuration under the sliders: the same as `tilescope trace --check`. What they find is kept
/// for each configuration, and is no point of the session.
class CheckRun {
 public:
  /// Starts them, in place of those that run.
  void start(Explorer& explorer);
  void cancel(Explorer& explorer);
  bool running() const { return running_; }
  /// Whether an answer came since the last call: a panel brings it into view.
  bool take_answered() { return std::exchange(answered_, false); }
  /// "compile", "interpret"; "" while it waits.
  std::string stage(const Explorer& explorer) const;
  /// The traced point of the configuration under the sliders as its files are now; nullptr before it was checked.
  Point result(const Explorer& explorer) const;
  /// "" or why the checkers cannot run for the chosen kernel.
  static std::string why_not(const Explorer& explorer);

 private:
  PointStore checked_;
  bool running_ = false;
  bool answered_ = false;
  std::uint64_t last_run_ = 0;
  /// An answer may come after this object has gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace tilescope
