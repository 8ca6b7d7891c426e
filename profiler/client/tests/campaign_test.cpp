#include "profiler/client/campaign.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Point point_with(Status status) {
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

TEST(Campaign, KnowsNoRemainingTimeBeforeTheFirstPoint) {
  Campaign campaign = campaign_of(2);
  EXPECT_FALSE(campaign.remaining_s());
  campaign.next(nothing);
  campaign.record(point_with(Status::ok));
  EXPECT_TRUE(campaign.remaining_s());
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
}

}  // namespace
}  // namespace tilescope
