#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/service/client/point_store.hpp"

namespace tilescope {

/// Which points a campaign measures. A sweep knows all of them beforehand, a search decides by what came back.
class CampaignPlan {
 public:
  virtual ~CampaignPlan() = default;
  /// Nothing when there is no more to ask for.
  virtual std::optional<Experiment> next() = 0;
  /// Experiments that next() will hand out, `count` of them at most, as far as they are known.
  virtual std::vector<Experiment> upcoming(std::size_t /*count*/) const { return {}; }
  /// A point came back, or was in the store already.
  virtual void record(const Measurement& /*point*/) {}
  /// How many points there will be, as far as is known.
  virtual std::size_t size() const = 0;
};

/// A plan that is a list.
std::unique_ptr<CampaignPlan> plan_of(std::vector<Experiment> experiments);

/// Many points, measured one after the other: what is done, what comes next, how long it will take, and when to give
/// up. Hands out experiments one at a time, so that a slider moved meanwhile waits for one point at most. A campaign
/// that is started again resumes: points that the store has are not measured again.
class Campaign {
 public:
  /// Their mean is the rate: the first points of a sweep say little of the last ones.
  static constexpr std::size_t rate_points = 20;
  using Clock = std::chrono::steady_clock;
  /// Looks an experiment up in the store.
  using Lookup = std::function<std::optional<PointStore::Found>(const Experiment&)>;

  /// `now` is the clock of rate and time left.
  explicit Campaign(std::unique_ptr<CampaignPlan> plan, std::function<Clock::time_point()> now = Clock::now)
      : plan_(std::move(plan)), now_(std::move(now)), start_(now_()) {}

  /// The next experiment to measure, past those whose final point `lookup` finds. Nothing when the plan is at
  /// its end, the campaign is cancelled or gave up, or `may_go_on` (asked before each) says no: finished()
  /// distinguishes these.
  std::optional<Experiment> next(const Lookup& lookup, const std::function<bool()>& may_go_on = {});
  /// The experiments that next() will hand out, `count` of them at most, past those whose final point `lookup` finds:
  /// what to compile meanwhile. It looks a bounded way ahead.
  std::vector<Experiment> upcoming(std::size_t count, const Lookup& lookup) const;
  /// The point of the experiment that next() handed out last came back.
  void record(const SharedMeasurement& point);
  void cancel() { cancelled_ = true; }

  std::size_t total() const { return plan_->size(); }
  std::size_t done() const { return done_; }
  /// Number of done() points that the store had.
  std::size_t reused() const { return reused_; }
  /// Number of measured points for which the store had a point of another source of the kernel.
  std::size_t outdated() const { return outdated_; }
  /// Number of done() points with a status other than ok.
  std::size_t failed() const { return failed_; }
  /// 0 to 1
  double fraction() const;
  bool cancelled() const { return cancelled_; }
  /// Nothing more is asked for and nothing is in flight.
  bool finished() const { return ended() && !in_flight_; }
  /// Why the campaign stopped by itself: several points in a row failed for a reason of the machine. "" otherwise.
  const std::string& gave_up() const { return gave_up_; }
  /// [s]
  double elapsed_s() const;
  /// How many points are measured in a second, by the last rate_points of them; points from the store do not
  /// count. Nothing before the first measured point.
  std::optional<double> points_per_second() const;
  /// [s] at that rate.
  std::optional<double> remaining_s() const;
  /// Points in the order of the plan, including points from the store, without cancelled ones.
  const std::vector<SharedMeasurement>& points() const { return points_; }

 private:
  bool ended() const { return at_end_ || cancelled_ || !gave_up_.empty(); }
  void keep(const SharedMeasurement& point);

  std::unique_ptr<CampaignPlan> plan_;
  std::vector<SharedMeasurement> points_;
  std::size_t done_ = 0;
  std::size_t reused_ = 0;
  std::size_t outdated_ = 0;
  std::size_t failed_ = 0;
  std::size_t failed_in_a_row_ = 0;
  bool in_flight_ = false;
  bool at_end_ = false;
  bool cancelled_ = false;
  std::string gave_up_;
  std::function<Clock::time_point()> now_;
  Clock::time_point start_;
  /// When the first point was handed out, and when the points came back: of the last rate_points, and the time before.
  std::deque<Clock::time_point> measured_at_;
};

}  // namespace tilescope
