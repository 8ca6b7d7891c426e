#include "app/shell/sweep_task.hpp"

#include <fmt/format.h>

#include <utility>

namespace tilescope {

namespace {

// A kernel that kills its worker is a point; a worker that never starts is not a sweep.
constexpr std::size_t most_lost_in_a_row = 5;

}  // namespace

SweepTask::SweepTask(std::vector<Experiment> experiments) : experiments_(std::move(experiments)) {}

std::optional<Experiment> SweepTask::next() {
  if (cancelled_ || !gave_up_.empty() || asked_ == experiments_.size()) return std::nullopt;
  return experiments_[asked_++];
}

void SweepTask::record(const Measurement& point) {
  ++done_;
  if (point.status != Status::ok) ++failed_;
  lost_in_a_row_ = point.status == Status::worker_lost ? lost_in_a_row_ + 1 : 0;
  if (lost_in_a_row_ >= most_lost_in_a_row) {
    gave_up_ = fmt::format(
        "The sweep stopped after {} of {} points: the worker was lost {} times in a row. The last reason: {}",
        done(), total(), lost_in_a_row_, point.reason);
  }
}

void SweepTask::skip() {
  ++done_;
  ++skipped_;
}

double SweepTask::fraction() const {
  return total() == 0 ? 1.0 : static_cast<double>(done()) / static_cast<double>(total());
}

bool SweepTask::finished() const {
  const bool asks_no_more = cancelled_ || !gave_up_.empty() || asked_ == experiments_.size();
  return asks_no_more && asked_ == done_;
}

double SweepTask::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::optional<double> SweepTask::remaining_s() const {
  if (done_ == skipped_) return std::nullopt;
  return elapsed_s() / static_cast<double>(done_ - skipped_) *
         static_cast<double>(experiments_.size() - done_);
}

}  // namespace tilescope
