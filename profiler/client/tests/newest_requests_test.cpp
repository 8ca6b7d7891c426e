#include "profiler/client/newest_requests.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "profiler/requests/measure.hpp"
#include "profiler/requests/trace_window.hpp"
#include "sessions/json.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

class Newest : public testing::Test {
 protected:
  static Client::Options fake_worker() {
    Client::Options options;
    options.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
    options.cancel_grace = 60s;
    return options;
  }
  void ask(const std::string& kernel) {
    Experiment experiment;
    experiment.kernel = kernel;
    requests.ask<Measure>("point", {experiment},
                          [this](const Measurement& point) { points.push_back(point); });
  }
  template <class Condition>
  bool wait_for(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!condition() && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(1ms);
      mailbox.drain();
    }
    return condition();
  }

  Mailbox mailbox{[this] { ++wakes; }};
  std::atomic<int> wakes = 0;
  Client client{fake_worker()};
  NewestRequests requests{client, mailbox};
  std::vector<Measurement> points;
};

TEST_F(Newest, AnAnswerWaitsUntilTheMailboxIsDrained) {
  ask("quick");
  EXPECT_TRUE(requests.pending("point"));
  const auto limit = std::chrono::steady_clock::now() + 60s;
  while (requests.pending("point") && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(1ms);
  while (wakes == 0 && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(points.empty());
  EXPECT_TRUE(wait_for([&] { return points.size() == 1; }));
}

TEST_F(Newest, TheNewestOfATagReplacesTheOneThatRuns) {
  ask("slow");
  ASSERT_TRUE(wait_for([&] { return requests.activity() == "point: time"; }));
  for (int i = 0; i < 50; ++i) ask("slow");
  ask("quick");
  ASSERT_TRUE(wait_for([&] { return !points.empty(); }));
  EXPECT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].kernel, "quick");
  EXPECT_EQ(requests.activity(), "");
}

TEST_F(Newest, TagsDoNotReplaceEachOther) {
  Experiment experiment;
  experiment.kernel = "quick";
  int sweeps = 0;
  requests.ask<Measure>("sweep", {experiment}, [&](const Measurement&) { ++sweeps; });
  ask("quick");
  EXPECT_TRUE(wait_for([&] { return points.size() == 1 && sweeps == 1; }));
}

TEST_F(Newest, PartsComeInOrderAndNoneAfterACancel) {
  Experiment experiment;
  experiment.kernel = "quick";
  WindowSelection selection;
  selection.count = 300;
  std::mutex mutex;
  std::vector<std::uint64_t> seen;
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return seen.size();
  };
  bool done = false;
  const auto part = [&](const Json& accesses) {
    const std::lock_guard lock(mutex);
    for (const Json& access : accesses) seen.push_back(access.get<std::uint64_t>());
  };
  requests.ask<TraceWindow>(
      "window", {experiment, selection}, [&](const WindowSummary&) { done = true; }, part);
  ASSERT_TRUE(wait_for([&] { return done; }));
  ASSERT_EQ(seen.size(), 300U);
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i);

  seen.clear();
  experiment.kernel = "slow";
  requests.ask<TraceWindow>(
      "window", {experiment, selection}, [](const WindowSummary&) {}, part);
  ASSERT_TRUE(wait_for([&] { return count() > 0; }));
  requests.cancel("window");
  std::this_thread::sleep_for(50ms);  // One may have been under way.
  const std::size_t before = count();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace tilescope
