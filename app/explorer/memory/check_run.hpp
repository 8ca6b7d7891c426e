#pragma once

#include <string>
#include <utility>

#include "profiler/service/client/newest_requests.hpp"
#include "profiler/service/client/point_store.hpp"

namespace tilescope {

class Board;

/// Runs the checkers of `tilescope trace --check` on the configuration under the sliders. Findings are kept
/// per configuration and are not a point of the session.
class CheckRun {
 public:
  explicit CheckRun(const Board& board) : board_(board) {}

  /// Starts them, in place of those that run.
  void start();
  void cancel() { request_.cancel(); }
  bool running() const { return request_.waits(); }
  /// Whether an answer came since the last call: a panel brings it into view.
  bool take_answered() { return std::exchange(answered_, false); }
  /// "compile", "interpret"; "" while it waits.
  std::string stage() const { return request_.stage(); }
  /// The checked point of the configuration under the sliders as its files are now; nullptr before it was checked.
  SharedMeasurement result() const;

 private:
  const Board& board_;
  PointStore checked_;
  bool answered_ = false;
  NewestRequests::Handle request_;
};

}  // namespace tilescope
