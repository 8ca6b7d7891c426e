#include "profiler/client/campaign.hpp"

#include <fmt/format.h>

#include <utility>

namespace tilescope {
namespace {

// A kernel that kills its worker is a point; a worker that never starts is not a campaign.
constexpr std::size_t most_failures_in_a_row = 5;

class ListPlan : public CampaignPlan {
 public:
  explicit ListPlan(std::vector<Experiment> experiments) : experiments_(std::move(experiments)) {}
  std::optional<Experiment> next() override {
    if (asked_ == experiments_.size()) return std::nullopt;
    return experiments_[asked_++];
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
    return experiment;
  }
  return std::nullopt;
}

void Campaign::record(const Point& point) {
  in_flight_ = false;
  if (point->status == Status::cancelled) return;
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

void Campaign::keep(const Point& point) {
  ++done_;
  if (point->status != Status::ok) ++failed_;
  points_.push_back(point);
  plan_->record(*point);
}

double Campaign::fraction() const {
  return total() == 0 ? 1.0 : static_cast<double>(done()) / static_cast<double>(total());
}

double Campaign::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::optional<double> Campaign::remaining_s() const {
  if (done_ == reused_ || done_ > total()) return std::nullopt;
  return elapsed_s() / static_cast<double>(done_ - reused_) * static_cast<double>(total() - done_);
}

}  // namespace tilescope
