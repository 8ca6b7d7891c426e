#include "profiler/service/client/campaign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>

namespace tilescope {
namespace {

SharedMeasurement point_with(Status status) {
  return std::make_shared<const Measurement>(failed_measurement(Experiment{}, status, "because"));
}

std::optional<PointStore::Found> nothing(const Experiment&) {
  return std::nullopt;
}

Campaign campaign_of(std::size_t points) {
  return Campaign(plan_of(std::vector<Experiment>(points)));
}

TEST(Campaign, HandsOutEachExperimentOnceAndOneAtATime) {
  Campaign campaign = campaign_of(3);
  EXPECT_EQ(campaign.total(), 3U);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(campaign.next(nothing));
    EXPECT_FALSE(campaign.next(nothing)) << "one is in flight";
    EXPECT_FALSE(campaign.finished());
    campaign.record(point_with(Status::ok));
  }
  EXPECT_FALSE(campaign.next(nothing));
  EXPECT_TRUE(campaign.finished());
  EXPECT_DOUBLE_EQ(campaign.fraction(), 1.0);
  EXPECT_EQ(campaign.failed(), 0U);
  EXPECT_EQ(campaign.points().size(), 3U);
}

TEST(Campaign, CountsWhatFailedAndGoesOn) {
  Campaign campaign = campaign_of(2);
  campaign.next(nothing);
  campaign.record(point_with(Status::timed_out));
  EXPECT_EQ(campaign.failed(), 1U);
  EXPECT_TRUE(campaign.next(nothing));
  EXPECT_EQ(campaign.gave_up(), "");
}

TEST(Campaign, GivesUpWhenTheMachineFailsAgainAndAgain) {
  for (const Status status : {Status::worker_lost, Status::unsupported}) {
    Campaign campaign = campaign_of(100);
    int asked = 0;
    while (campaign.next(nothing)) {
      ++asked;
      campaign.record(point_with(status));
    }
    EXPECT_EQ(asked, 5);
    EXPECT_TRUE(campaign.finished());
    EXPECT_NE(campaign.gave_up().find("because"), std::string::npos) << campaign.gave_up();
  }
}

TEST(Campaign, OneGoodPointForgivesTheFailedOnes) {
  Campaign campaign = campaign_of(100);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(campaign.next(nothing)) << i;
    campaign.record(point_with(i % 4 == 3 ? Status::ok : Status::worker_lost));
  }
  EXPECT_EQ(campaign.gave_up(), "");
}

TEST(Campaign, ACancelledOneEndsWhenItsPointIsBack) {
  Campaign campaign = campaign_of(3);
  campaign.next(nothing);
  campaign.cancel();
  EXPECT_FALSE(campaign.next(nothing));
  EXPECT_FALSE(campaign.finished());
  campaign.record(point_with(Status::cancelled));
  EXPECT_TRUE(campaign.finished());
  EXPECT_TRUE(campaign.points().empty());
  EXPECT_EQ(campaign.done(), 0U);
}

TEST(Campaign, TakesFinalPointsFromTheStoreAndMeasuresTheOthers) {
  std::vector<Experiment> experiments(4);
  for (std::size_t i = 0; i < experiments.size(); ++i) experiments[i].seed = i;
  const auto there = [](const Experiment& experiment) -> std::optional<PointStore::Found> {
    if (experiment.seed == 1) return PointStore::Found{point_with(Status::ok), Standing::final};
    if (experiment.seed == 2) return PointStore::Found{point_with(Status::ok), Standing::older_source};
    return std::nullopt;
  };
  Campaign campaign(plan_of(experiments));
  std::vector<std::uint64_t> measured;
  while (const auto experiment = campaign.next(there)) {
    measured.push_back(experiment->seed);
    campaign.record(point_with(Status::ok));
  }
  EXPECT_EQ(measured, (std::vector<std::uint64_t>{0, 2, 3}));
  EXPECT_EQ(campaign.reused(), 1U);
  EXPECT_EQ(campaign.outdated(), 1U);
  EXPECT_EQ(campaign.done(), 4U);
  EXPECT_EQ(campaign.points().size(), 4U);
}

TEST(Campaign, StopsBetweenTwoPointsOfTheStoreWhenItsTimeIsOver) {
  Campaign campaign = campaign_of(10);
  const auto there = [](const Experiment&) {
    return std::optional(PointStore::Found{point_with(Status::ok), Standing::final});
  };
  int calls = 0;
  EXPECT_FALSE(campaign.next(there, [&] { return ++calls <= 4; }));
  EXPECT_FALSE(campaign.finished());
  EXPECT_EQ(campaign.done(), 4U);
  EXPECT_FALSE(campaign.remaining_s()) << "nothing was measured: nothing is known of the time";
  EXPECT_FALSE(campaign.next(there));
  EXPECT_TRUE(campaign.finished());
}

/// A clock that stands until it is moved.
class StoppedClock {
 public:
  void pass(double seconds) {
    now_ += std::chrono::duration_cast<Campaign::Clock::duration>(std::chrono::duration<double>(seconds));
  }
  std::function<Campaign::Clock::time_point()> reading() const {
    return [this] { return now_; };
  }

 private:
  Campaign::Clock::time_point now_{};
};

TEST(Campaign, KnowsNoRateAndNoRemainingTimeBeforeTheFirstPoint) {
  StoppedClock clock;
  Campaign campaign(plan_of(std::vector<Experiment>(3)), clock.reading());
  EXPECT_FALSE(campaign.remaining_s());
  campaign.next(nothing);
  clock.pass(4);
  EXPECT_FALSE(campaign.points_per_second());
  campaign.record(point_with(Status::ok));
  ASSERT_TRUE(campaign.points_per_second());
  EXPECT_DOUBLE_EQ(*campaign.points_per_second(), 0.25);
  EXPECT_DOUBLE_EQ(campaign.remaining_s().value_or(0), 8);
}

TEST(Campaign, TheRateIsThatOfTheLastPoints) {
  StoppedClock clock;
  Campaign campaign(plan_of(std::vector<Experiment>(100)), clock.reading());
  const auto measure = [&](double seconds) {
    campaign.next(nothing);
    clock.pass(seconds);
    campaign.record(point_with(Status::ok));
  };
  for (int i = 0; i < 30; ++i) measure(2);
  EXPECT_DOUBLE_EQ(campaign.points_per_second().value_or(0), 0.5);
  for (std::size_t i = 0; i < Campaign::rate_points; ++i) measure(0.25);
  EXPECT_DOUBLE_EQ(campaign.points_per_second().value_or(0), 4) << "the slow ones are long ago";
  EXPECT_DOUBLE_EQ(campaign.remaining_s().value_or(0), 12.5);
  EXPECT_DOUBLE_EQ(campaign.elapsed_s(), 65);
}

TEST(Campaign, PointsOfTheStoreDoNotCountIntoTheRate) {
  StoppedClock clock;
  std::vector<Experiment> experiments(60);
  for (std::size_t i = 0; i < experiments.size(); ++i) experiments[i].seed = i;
  const auto first_forty = [](const Experiment& experiment) -> std::optional<PointStore::Found> {
    if (experiment.seed >= 40) return std::nullopt;
    return PointStore::Found{point_with(Status::ok), Standing::final};
  };
  Campaign campaign(plan_of(experiments), clock.reading());
  clock.pass(100);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(campaign.next(first_forty));
    clock.pass(3);
    campaign.record(point_with(Status::ok));
  }
  EXPECT_EQ(campaign.done(), 50U);
  EXPECT_DOUBLE_EQ(campaign.remaining_s().value_or(0), 30) << "10 points of 3 s";
}

TEST(Campaign, UpcomingAreThoseThatNextWillHandOut) {
  std::vector<Experiment> experiments(50);
  for (std::size_t i = 0; i < experiments.size(); ++i) experiments[i].seed = i;
  const auto even_ones = [](const Experiment& experiment) -> std::optional<PointStore::Found> {
    if (experiment.seed % 2 == 1) return std::nullopt;
    return PointStore::Found{point_with(Status::ok), Standing::final};
  };
  Campaign campaign(plan_of(experiments));
  std::vector<Experiment> foreseen;
  while (const auto experiment = campaign.next(even_ones)) {
    if (!foreseen.empty()) {
      EXPECT_EQ(*experiment, foreseen.front());
    }
    foreseen = campaign.upcoming(4, even_ones);
    EXPECT_EQ(foreseen.size(), std::min<std::size_t>(4, (49 - experiment->seed) / 2));
    for (std::size_t i = 0; i < foreseen.size(); ++i)
      EXPECT_EQ(foreseen[i].seed, experiment->seed + 2 * (i + 1)) << "past those of the store";
    campaign.record(point_with(Status::ok));
  }
  EXPECT_TRUE(campaign.upcoming(4, even_ones).empty());
  EXPECT_EQ(campaign.done(), 50U) << "looking ahead takes nothing";
}

TEST(Campaign, LooksABoundedWayAhead) {
  Campaign campaign(plan_of(std::vector<Experiment>(10'000)));
  int looked = 0;
  const auto there = [&looked](const Experiment&) {
    ++looked;
    return std::optional(PointStore::Found{point_with(Status::ok), Standing::final});
  };
  EXPECT_TRUE(campaign.upcoming(2, there).empty());
  EXPECT_LE(looked, 100);
  campaign.cancel();
  EXPECT_TRUE(campaign.upcoming(2, nothing).empty()) << "nothing comes after a cancel";
}

/// A plan that decides by what came back, as a search does.
class Halving : public CampaignPlan {
 public:
  std::optional<Experiment> next() override {
    if (at_ == 0) return std::nullopt;
    Experiment experiment;
    experiment.seed = at_;
    return experiment;
  }
  void record(const Measurement& point) override { at_ = point.provenance.seed / 2; }
  std::size_t size() const override { return 4; }

 private:
  std::uint64_t at_ = 8;
};

TEST(Campaign, APlanMayDecideByWhatCameBack) {
  Campaign campaign(std::make_unique<Halving>());
  std::vector<std::uint64_t> asked;
  while (const auto experiment = campaign.next(nothing)) {
    asked.push_back(experiment->seed);
    Measurement point;
    point.provenance.seed = experiment->seed;
    campaign.record(std::make_shared<const Measurement>(point));
  }
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{8, 4, 2, 1}));
  EXPECT_TRUE(campaign.finished());
  EXPECT_TRUE(campaign.upcoming(4, nothing).empty()) << "what a search will ask for is not known";
}

}  // namespace
}  // namespace tilescope
