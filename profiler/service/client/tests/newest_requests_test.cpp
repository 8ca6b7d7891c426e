#include "profiler/service/client/newest_requests.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/record_block.hpp"

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
    point = requests.ask<Measure>("point", {experiment},
                                  {[this](const Measurement& answer) { points.push_back(answer); }});
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
  NewestRequests requests{&client, mailbox};
  NewestRequests::Handle point;
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
  const auto sweep = requests.ask<Measure>("sweep", {experiment}, {[&](const Measurement&) { ++sweeps; }});
  ask("quick");
  EXPECT_TRUE(wait_for([&] { return points.size() == 1 && sweeps == 1; }));
}

TEST_F(Newest, PartsComeInOrderAndNoneAfterACancel) {
  Experiment experiment;
  experiment.kernel = "quick";
  AccessSelection selection;
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
    return NewestRequests::Continuation();
  };
  auto recording = requests.ask<RecordBlock>("window", {experiment, selection},
                                             {[&](const RecordingSummary&) { done = true; }, {}, part});
  ASSERT_TRUE(wait_for([&] { return done; }));
  ASSERT_EQ(seen.size(), 300U);
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i);

  seen.clear();
  experiment.kernel = "slow";
  recording = requests.ask<RecordBlock>("window", {experiment, selection},
                                        {[](const RecordingSummary&) {}, {}, part});
  ASSERT_TRUE(wait_for([&] { return count() > 0; }));
  recording.cancel();
  std::this_thread::sleep_for(50ms);  // One may have been under way.
  const std::size_t before = count();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(count(), before);
}

TEST_F(Newest, AnAnswerThatWasFinishedBeforeItsRequestWasReplacedIsLate) {
  Experiment experiment;
  experiment.kernel = "quick";
  std::vector<std::string> heard;
  const auto hears = [&](const std::string& what) {
    return [&heard, what](const Measurement&) { heard.push_back(what); };
  };
  auto first = requests.ask<Measure>("point", {experiment}, {hears("first"), hears("first, late")});
  const auto limit = std::chrono::steady_clock::now() + 60s;
  while (requests.pending("point") && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(first.waits()) << "the mailbox was not drained";
  const auto second = requests.ask<Measure>("point", {experiment}, {hears("second"), hears("second, late")});
  EXPECT_FALSE(first.waits());
  ASSERT_TRUE(wait_for([&] { return !second.waits(); }));
  EXPECT_EQ(heard, (std::vector<std::string>{"first, late", "second"}));
}

TEST_F(Newest, ARequestEndsWithItsOwner) {
  bool is_answered = false;
  {
    Experiment experiment;
    experiment.kernel = "slow";
    const auto owned =
        requests.ask<Measure>("owned", {experiment}, {[&](const Measurement&) { is_answered = true; }});
    ASSERT_TRUE(wait_for([&] { return owned.stage() == "time"; }));
  }
  EXPECT_FALSE(requests.pending("owned"));
  ask("quick");
  ASSERT_TRUE(wait_for([&] { return points.size() == 1; }));
  EXPECT_FALSE(is_answered);
}

TEST_F(Newest, PartsAreTakenWhenTheMailboxIsDrained) {
  Experiment experiment;
  experiment.kernel = "quick";
  AccessSelection selection;
  selection.count = 300;
  std::size_t taken = 0;
  bool done = false;
  const auto part = [&](const Json& accesses) -> NewestRequests::Continuation {
    return [&taken, count = accesses.size()] { taken += count; };
  };
  const auto recording = requests.ask<RecordBlock>("window", {experiment, selection},
                                                   {[&](const RecordingSummary&) { done = true; }, {}, part});
  ASSERT_TRUE(wait_for([&] { return done; }));
  EXPECT_EQ(taken, 300U);
}

TEST_F(Newest, WithoutAClientTheAnswerIsUnsupported) {
  NewestRequests idle(nullptr, mailbox);
  std::optional<Status> status;
  const auto asked =
      idle.ask<Measure>("point", {}, {[&](const Measurement& answer) { status = answer.status; }});
  EXPECT_TRUE(asked.waits());
  mailbox.drain();
  EXPECT_EQ(status, Status::unsupported);
  EXPECT_FALSE(asked.waits());
}

}  // namespace
}  // namespace tilescope
