#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// A grid of points being measured: what is done, what comes next, how long it will take. Hands out
/// experiments one at a time, so that a slider moved during a sweep waits for one point at most.
class SweepTask {
 public:
  using Clock = std::chrono::steady_clock;

  explicit SweepTask(std::vector<Experiment> experiments);

  /// The next experiment to ask for, nothing when all are asked for, the task is cancelled, or it gave up.
  std::optional<Experiment> next();
  /// A point came back.
  void record(const Measurement& point);
  /// The session holds the point that next() handed out last: it is not measured again.
  void skip();
  void cancel() { cancelled_ = true; }

  std::size_t total() const { return experiments_.size(); }
  std::size_t done() const { return done_; }
  std::size_t skipped() const { return skipped_; }  ///< Of done().
  std::size_t failed() const { return failed_; }    ///< Of done(), with a status other than ok.
  double fraction() const;                          ///< 0 to 1
  bool cancelled() const { return cancelled_; }
  /// Nothing is asked for and nothing is in flight.
  bool finished() const;
  /// Why the sweep stopped by itself: the worker was lost several times in a row. "" otherwise.
  const std::string& gave_up() const { return gave_up_; }
  double elapsed_s() const;  ///< [s]
  /// [s] from the mean so far; nothing before the first point.
  std::optional<double> remaining_s() const;

 private:
  std::vector<Experiment> experiments_;
  std::size_t asked_ = 0;
  std::size_t done_ = 0;
  std::size_t skipped_ = 0;
  std::size_t failed_ = 0;
  std::size_t lost_in_a_row_ = 0;
  bool cancelled_ = false;
  std::string gave_up_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace tilescope
