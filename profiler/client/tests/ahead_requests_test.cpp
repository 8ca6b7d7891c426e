#include "profiler/client/ahead_requests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "profiler/client/wait.hpp"
#include "profiler/requests/kernels.hpp"
#include "profiler/requests/measure.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

std::vector<Experiment> experiments(const std::vector<std::string>& kernels) {
  std::vector<Experiment> made(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) made[i].kernel = kernels[i];
  return made;
}

class Ahead : public testing::Test {
 protected:
  static Client::Options options() {
    Client::Options made;
    made.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
    made.start_limit = made.cancel_grace =
        60s;  // Far beyond what anything here takes, also under sanitizers.
    return made;
  }
  /// What the fake worker was given last, and how many lists it got; requests are served in their order.
  Json seen() { return ask_and_wait<Kernels>(client, {}).catalogue; }

  Status measure(const std::string& kernel) {
    return ask_and_wait<Measure>(client, {experiments({kernel}).front()}).status;
  }

  Client client{options()};
  AheadRequests ahead{client};
};

TEST_F(Ahead, TheNewestListReplacesTheFormerAndIsSentOnce) {
  ahead.stop();
  EXPECT_EQ(seen()["ahead_lists"], 0) << "there is nothing to stop";
  ahead.name(experiments({"a", "b"}));
  ahead.name(experiments({"a", "b"}));
  EXPECT_EQ(seen()["ahead"], Json({"a", "b"}));
  EXPECT_EQ(seen()["ahead_lists"], 1);
  ahead.name(experiments({"b", "c"}));
  EXPECT_EQ(seen()["ahead"], Json({"b", "c"}));
  ahead.name({});
  EXPECT_EQ(seen()["ahead"], Json({"b", "c"})) << "nothing more to name stops nothing";
  ahead.stop();
  ahead.stop();
  EXPECT_EQ(seen()["ahead"], Json::array());
  EXPECT_EQ(seen()["ahead_lists"], 3);
}

TEST_F(Ahead, AWorkerThatRefusesIsNotAskedForEver) {
  for (int i = 0; i < 10; ++i) {
    ahead.name(experiments({"throws", std::to_string(i)}));
    seen();
  }
  EXPECT_EQ(seen()["ahead_lists"], 2);
}

TEST_F(Ahead, AListThatFailedIsSentAgainAndAMeasuredPointForgivesFailures) {
  const auto refused = experiments({"throws", "a"});
  for (int i = 0; i < 3; ++i) {
    ahead.name(refused);
    seen();
  }
  EXPECT_EQ(seen()["ahead_lists"], 2) << "again once, and then no more";
  EXPECT_FALSE(ahead.take_blame(Status::ok));
  ahead.name(experiments({"a"}));
  EXPECT_EQ(seen()["ahead"], Json({"a"}));
}

TEST_F(Ahead, ANewWorkerIsNamedTheSameListAgain) {
  ahead.name(experiments({"a", "b"}));
  seen();
  ahead.stop();
  EXPECT_EQ(measure("exit"), Status::worker_lost);
  EXPECT_FALSE(ahead.take_blame(Status::worker_lost)) << "nothing was being compiled any more";
  ahead.name(experiments({"a", "b"}));
  EXPECT_EQ(seen()["ahead"], Json({"a", "b"}));
}

/// As a sweep does.
TEST_F(Ahead, OnePointThatKillsTheCompilerCostsItselfAlone) {
  std::vector<Experiment> plan = experiments({"1", "2", "3", "4", "kills_compiler", "5", "6", "7", "8", "9"});
  std::vector<Status> statuses;
  int asked = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto next = plan.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    ahead.name({next, next + std::min<std::ptrdiff_t>(3, plan.end() - next)});
    statuses.push_back(measure(plan[i].kernel));
    ++asked;
    if (!ahead.take_blame(statuses.back())) continue;
    statuses.back() = measure(plan[i].kernel);
    ++asked;
    EXPECT_FALSE(ahead.take_blame(statuses.back()));
  }
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), Status::worker_lost), 1);
  EXPECT_EQ(statuses[4], Status::worker_lost);
  EXPECT_LE(asked, 12) << "one more when it was compiled ahead, one when it was asked for";
  EXPECT_GT(seen()["ahead_lists"], 1) << "others are compiled ahead afterwards";
}

TEST_F(Ahead, APointThatKillsTheWorkerByItselfBlamesNoOther) {
  const auto next = experiments({"a", "b"});
  ahead.name(next);
  EXPECT_TRUE(ahead.take_blame(measure("exit")));
  ahead.name(experiments({"c"}));
  EXPECT_FALSE(ahead.take_blame(measure("exit"))) << "with nothing named";
  EXPECT_EQ(seen()["ahead_lists"], 0) << "of the new worker";
  ahead.name(next);
  EXPECT_EQ(seen()["ahead"], Json({"a", "b"}));
}

TEST_F(Ahead, WhatIsBlamedIsNamedAgainOnceTheKernelsChanged) {
  ahead.name(experiments({"a", "kills_compiler"}));
  EXPECT_TRUE(ahead.take_blame(measure("quick")));
  EXPECT_FALSE(ahead.take_blame(measure("quick")));
  ahead.name(experiments({"a", "b"}));
  EXPECT_EQ(seen()["ahead"], Json({"b"}));
  ahead.trust_all();
  ahead.name(experiments({"a", "b"}));
  EXPECT_EQ(seen()["ahead"], Json({"a", "b"}));
}

TEST(AheadElsewhere, TheSourceGoesWithEachExperimentToAWorkerThatDoesNotSeeTheFiles) {
  Client::Options options;
  options.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
  options.find_source = [](const Experiment& asked) {
    return SourceFile{"k.cu", "source of " + asked.kernel, {}};
  };
  Client client(options);
  AheadRequests ahead(client);
  ahead.name(experiments({"a", "b"}));
  EXPECT_EQ(ask_and_wait<Kernels>(client, {}).catalogue["ahead"], Json({"source of a", "source of b"}));
}

TEST(PointsCompiledAhead, AreBounded) {
  EXPECT_GE(points_compiled_ahead(), 4U);
  EXPECT_LE(points_compiled_ahead(), 64U);
}

}  // namespace
}  // namespace tilescope
