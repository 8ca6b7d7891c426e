#include "profiler/service/client/prefetch_requests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/json_reader.hpp"
#include "profiler/service/client/wait.hpp"
#include "profiler/service/requests/compile_ahead.hpp"
#include "profiler/service/requests/kernels.hpp"
#include "profiler/service/requests/measure.hpp"

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
  /// The last list that the fake worker got, and the number of lists; requests are served in their order.
  Json seen() { return ask_and_wait<Kernels>(client, {}).catalogue; }

  Status measure(const std::string& kernel) {
    return ask_and_wait<Measure>(client, {experiments({kernel}).front()}).status;
  }

  Client client{options()};
  PrefetchRequests ahead{client};
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
  const auto looked_up = std::make_shared<std::atomic<int>>(0);
  Client::Options options;
  options.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
  options.find_source = [looked_up](const std::string& kernel) {
    ++*looked_up;
    return SourceFile{"k.cu", "source of " + kernel, {}};
  };
  Client client(options);
  PrefetchRequests ahead(client);
  ahead.name(experiments({"a", "b", "a", "a"}));
  EXPECT_EQ(ask_and_wait<Kernels>(client, {}).catalogue["ahead"],
            Json({"source of a", "source of b", "source of a", "source of a"}));
  EXPECT_EQ(*looked_up, 2) << "each kernel once";
}

TEST(AheadElsewhere, EachDifferentSourceIsWrittenOnce) {
  CompileAhead::Params params{experiments({"a", "b", "c", "a"})};
  EXPECT_FALSE(Json(params).contains("sources")) << "where the worker sees the files";
  params.experiments[0].source = params.experiments[3].source = SourceFile{"a.cu", "text of a", {}};
  params.experiments[1].source = SourceFile{"a.cu", "text of a", {{"h.cuh", "another header"}}};
  const Json json = params;
  EXPECT_EQ(json["sources"].size(), 2U);
  EXPECT_EQ(json["source_of"], Json({0, 1, -1, 0}));
  EXPECT_FALSE(json["experiments"][0].contains("source"));
  CompileAhead::Params read;
  from_json(json, read);
  EXPECT_EQ(read.experiments, params.experiments);
}

TEST(AheadElsewhere, ASourceThatIsNotThereIsRefusedWithThePlace) {
  CompileAhead::Params params{experiments({"a", "b"})};
  params.experiments[0].source = SourceFile{"a.cu", "text of a", {}};
  const auto complaint = [&](const Json& source_of) {
    Json json = params;
    json["source_of"] = source_of;
    CompileAhead::Params read;
    try {
      from_json(json, read);
    } catch (const DocumentError& error) {
      return error.place();
    }
    return std::string("none");
  };
  EXPECT_EQ(complaint({0, -1}), "none");
  EXPECT_EQ(complaint({0, 1}), "/source_of/1");
  EXPECT_EQ(complaint({-2, -1}), "/source_of/0");
  EXPECT_EQ(complaint(Json::array({0})), "/source_of");
  EXPECT_EQ(complaint("a"), "/source_of");
}

TEST(PointsCompiledAhead, AreBounded) {
  EXPECT_GE(points_compiled_ahead(), 4U);
  EXPECT_LE(points_compiled_ahead(), 64U);
}

}  // namespace
}  // namespace tilescope
