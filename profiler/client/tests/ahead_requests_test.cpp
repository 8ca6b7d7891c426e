#include "profiler/client/ahead_requests.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/client/wait.hpp"
#include "profiler/requests/kernels.hpp"

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
