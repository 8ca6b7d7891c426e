#include "profiler/service/client/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

// A kernel that kills its worker is a point; a worker that never starts is not a campaign.
constexpr std::size_t most_failures_in_a_row = 5;

// Experiments of a plan that are searched for each one that upcoming() is to find: where the store has the
// rest, nothing is gained by going through thousands of them for every point.
constexpr std::size_t searched_for_each = 16;

class ListPlan : public CampaignPlan {
 public:
  explicit ListPlan(std::vector<Experiment> experiments) : experiments_(std::move(experiments)) {}
  std::optional<Experiment> next() override {
    if (asked_ == experiments_.size()) return std::nullopt;
    return experiments_[asked_++];
  }
  std::vector<Experiment> upcoming(std::size_t count) const override {
    const auto first = experiments_.begin() + static_cast<std::ptrdiff_t>(asked_);
    const std::size_t left = std::min(count, experiments_.size() - asked_);
    return {first, first + static_cast<std::ptrdiff_t>(left)};
  }
  std::size_t size() const override { return experiments_.size(); }

 private:
  std::vector<Experiment> experiments_;
  std::size_t asked_ = 0;
};

}  // namespace

std::unique_ptr<CampaignPlan> plan_of(std::vector<Experiment> experiments) {
  return std::make_unique<ListPlan>(std::move(experiments));
}

std::optional<Experiment> Campaign::next(const Lookup& lookup, const std::function<bool()>& may_go_on) {
  while (!ended() && !in_flight_) {
    if (may_go_on && !may_go_on()) return std::nullopt;
    std::optional<Experiment> experiment = plan_->next();
    if (!experiment) {
      at_end_ = true;
      return std::nullopt;
    }
    const auto found = lookup(*experiment);
    if (found && found->standing == Standing::final) {
      ++reused_;
      keep(found->point);
      continue;
    }
    if (found && found->standing == Standing::older_source) ++outdated_;
    in_flight_ = true;
    if (measured_at_.empty()) measured_at_.push_back(now_());
    return experiment;
  }
  return std::nullopt;
}

std::vector<Experiment> Campaign::upcoming(std::size_t count, const Lookup& lookup) const {
  std::vector<Experiment> missing;
  if (ended() || count == 0) return missing;
  for (Experiment& experiment : plan_->upcoming(searched_for_each * count)) {
    const auto found = lookup(experiment);
    if (found && found->standing == Standing::final) continue;
    missing.push_back(std::move(experiment));
    if (missing.size() == count) break;
  }
  return missing;
}

void Campaign::record(const SharedMeasurement& point) {
  in_flight_ = false;
  if (point->status == Status::cancelled) return;
  measured_at_.push_back(now_());
  if (measured_at_.size() > rate_points + 1) measured_at_.pop_front();
  keep(point);
  failed_in_a_row_ = is_about_the_machine(point->status) ? failed_in_a_row_ + 1 : 0;
  if (failed_in_a_row_ >= most_failures_in_a_row) {
    gave_up_ = fmt::format(
        "Stopped after {} of {} points: {} in a row failed for a reason of the machine, not of the kernel. "
        "The "
        "last reason: {}",
        done(), total(), failed_in_a_row_, point->reason);
  }
}

void Campaign::keep(const SharedMeasurement& point) {
  ++done_;
  if (point->status != Status::ok) ++failed_;
  points_.push_back(point);
  plan_->record(*point);
}

double Campaign::fraction() const {
  return total() == 0 ? 1.0 : static_cast<double>(done()) / static_cast<double>(total());
}

double Campaign::elapsed_s() const {
  return std::chrono::duration<double>(now_() - start_).count();
}

std::optional<double> Campaign::points_per_second() const {
  if (measured_at_.size() < 2) return std::nullopt;
  const double seconds = std::chrono::duration<double>(measured_at_.back() - measured_at_.front()).count();
  if (!(seconds > 0)) return std::nullopt;
  return static_cast<double>(measured_at_.size() - 1) / seconds;
}

std::optional<double> Campaign::remaining_s() const {
  const auto rate = points_per_second();
  if (!rate || done_ > total()) return std::nullopt;
  return static_cast<double>(total() - done_) / *rate;
}

}  // namespace tilescope
