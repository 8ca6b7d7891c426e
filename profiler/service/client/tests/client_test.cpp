#include "profiler/service/client/client.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "profiler/service/client/tests/client_fixture.hpp"
#include "profiler/service/client/wait.hpp"
#include "profiler/service/requests/calibrate.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/devices.hpp"
#include "profiler/service/requests/kernels.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope::fake_worker {
namespace {

TEST(Client, MeasuresAndLists) {
  Client client(options());
  EXPECT_EQ(client.worker_pid(), 0) << "no worker before the first request";
  const Measurement point = ask(client, "quick").get();
  EXPECT_EQ(point.status, Status::ok);
  EXPECT_EQ(point.kernel, "quick");
  EXPECT_EQ(point.shape.Sq, 77);
  EXPECT_EQ(ask_and_wait<Devices>(client, {}).why_no_gpu, "this worker is a fake");
  EXPECT_EQ(ask_and_wait<Kernels>(client, {}).catalogue.at("pid"), client.worker_pid());
}

TEST(Client, Traces) {
  Client client(options());
  const auto point = ask_and_wait<CountKernel>(client, {experiment("quick"), {true, 5}}, {}, {}, 60s);
  EXPECT_EQ(point.status, Status::ok);
  ASSERT_EQ(point.notes.size(), 3U);
  EXPECT_EQ(point.notes[1], "seed 5");
  EXPECT_EQ(point.notes[2], "limit 60");
}

/// A calibration whose first progress is awaited.
struct Calibrating {
  Calibrating(Client& client, const std::string& device) {
    id = client.ask<Calibrate>({device},
                               {[this](Calibrate::Answer given) { answer.set_value(std::move(given)); },
                                [this](const RequestProgress& progress) {
                                  if (!std::exchange(seen, true)) started.set_value(progress);
                                }});
  }
  Client::RequestId id = 0;
  bool seen = false;
  std::promise<RequestProgress> started;
  std::promise<Calibrate::Answer> answer;
};

TEST(Client, CalibratesWithProgress) {
  Client client(options());
  Calibrating calibrating(client, "gpu:0");
  const RequestProgress progress = calibrating.started.get_future().get();
  EXPECT_EQ(progress.stage, "ffma");
  EXPECT_EQ(progress.fraction, 0.5);
  const Calibrate::Answer answer = calibrating.answer.get_future().get();
  EXPECT_EQ(answer.status, Status::ok);
  EXPECT_EQ(answer.report, (Json{{"device", "gpu:0"}, {"limit_s", 300.0}})) << "the limit of the request";
}

TEST(Client, ACalibrationIsCancelled) {
  Client client(options());
  Calibrating calibrating(client, "slow");
  calibrating.started.get_future().wait();
  client.cancel(calibrating.id);
  EXPECT_EQ(calibrating.answer.get_future().get().status, Status::cancelled);
}

TEST(Client, AWorkerThatDiesInACalibrationIsASentenceAndTheNextOneGoesOn) {
  Client client(options());
  Calibrating dying(client, "exit");
  const Calibrate::Answer lost = dying.answer.get_future().get();
  EXPECT_EQ(lost.status, Status::worker_lost);
  EXPECT_TRUE(has(lost.reason, "a microbenchmark faulted")) << lost.reason;
  Calibrating lying(client, "wrong_answer");
  EXPECT_EQ(lying.answer.get_future().get().status, Status::worker_lost);
  Calibrating again(client, "gpu:0");
  EXPECT_EQ(again.answer.get_future().get().status, Status::ok);
}

/// A worker that does not see this machine's files measures the source that goes with the experiment.
TEST(Client, CarriesTheSourceToAWorkerThatDoesNotSeeTheFiles) {
  auto carrying = options();
  carrying.find_source = [](const std::string& kernel) {
    return SourceFile{"k.cu", "source of " + kernel, {}};
  };
  carrying.shared_folder = std::string(TILESCOPE_SOURCE_DIR) + "/kernels";
  {
    Client client(carrying);
    EXPECT_EQ(ask(client, "quick").get().compiler_log, "source of quick");
  }
  ::setenv("FAKE_WORKER_FOLDER", carrying.shared_folder.c_str(), 1);
  {
    Client client(carrying);
    EXPECT_EQ(ask(client, "quick").get().compiler_log, "") << "it sees the same folder";
  }
  ::unsetenv("FAKE_WORKER_FOLDER");
}

/// Receives the answer to a recording's request piece by piece.
struct Window {
  Window(Client& client, const std::string& kernel, std::uint64_t count) {
    AccessSelection selection;
    selection.first = 7;
    selection.count = count;
    Client::Callbacks<RecordBlock> callbacks;
    callbacks.done = [this](RecordingSummary done) { summary.set_value(std::move(done)); };
    callbacks.part = [this](const Json& accesses) {
      for (const Json& access : accesses) seen.push_back(access.get<std::uint64_t>());
      if (seen.size() == 3) three.set_value();
    };
    id = client.ask<RecordBlock>({experiment(kernel), selection}, std::move(callbacks));
  }
  Client::RequestId id = 0;
  std::vector<std::uint64_t> seen;
  std::promise<void> three;
  std::promise<RecordingSummary> summary;
};

TEST(Client, StreamsAWindowInOrderBeforeItsSummary) {
  Client client(options());
  Window recording(client, "quick", 500);
  const RecordingSummary summary = recording.summary.get_future().get();
  EXPECT_EQ(summary.status, Status::ok);
  EXPECT_EQ(summary.sent, 500U);
  ASSERT_EQ(recording.seen.size(), 500U);
  for (std::size_t i = 0; i < recording.seen.size(); ++i) ASSERT_EQ(recording.seen[i], 7 + i);
}

TEST(Client, CancelsAWindowAndNamesAWorkerThatIsLostInOne) {
  Client client(options());
  Window slow(client, "slow", 100'000);
  slow.three.get_future().wait();
  client.cancel(slow.id);
  EXPECT_EQ(slow.summary.get_future().get().status, Status::cancelled);
  Window lost(client, "exit", 3);
  const RecordingSummary summary = lost.summary.get_future().get();
  EXPECT_EQ(summary.status, Status::worker_lost);
  EXPECT_TRUE(has(summary.reason, "7")) << summary.reason;
}

TEST(Client, PassesLogsOfMegabytesAndBytesThatAreNotUtf8) {
  Client client(options());
  EXPECT_EQ(ask(client, "log").get().compiler_log.size(), std::size_t{3} << 20);
  EXPECT_EQ(ask(client, "bytes").get().compiler_log, "not UTF-8: \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Client, ReportsProgress) {
  Client client(options());
  std::vector<RequestProgress> seen;
  Client::RequestId id = 0;
  std::promise<void> three;
  auto result = ask(client, "slow", &id, [&](const RequestProgress& progress) {
    seen.push_back(progress);
    if (seen.size() == 3) three.set_value();
  });
  three.get_future().wait();
  client.cancel(id);
  EXPECT_EQ(result.get().status, Status::cancelled);
  EXPECT_EQ(seen[0].stage, "time");
  EXPECT_EQ(seen[0].fraction, 0.0);
  EXPECT_GT(seen[2].fraction, seen[1].fraction);
}

TEST(Client, EndsWhileARequestRunsAndOthersWait) {
  std::atomic<int> cancelled = 0;
  std::future<Measurement> running_result;
  int pid = 0;
  {
    Client client(options());
    Running running(client, "slow");
    pid = client.worker_pid();
    running_result = std::move(running.result);
    for (int i = 0; i < 100; ++i) {
      client.ask<Measure>({experiment("quick")}, {[&](const Measurement& point) {
                            cancelled += point.status == Status::cancelled ? 1 : 0;
                          }});
    }
  }
  EXPECT_EQ(running_result.get().status, Status::cancelled);
  EXPECT_EQ(cancelled, 100);
  EXPECT_NE(::kill(pid, 0), 0) << "the worker is gone and reaped";
}

TEST(Client, EndsWhileItStartsOrBeforeItDidAnything) {
  { const Client unused(options()); }
  for (int i = 0; i < 20; ++i) {
    std::future<Measurement> result;
    {
      Client client(options({"silent"}));
      result = ask(client, "quick");
      if (i % 2 == 0) std::this_thread::sleep_for(5ms);
    }
    EXPECT_EQ(result.get().status, Status::cancelled);
  }
}

TEST(Client, AnswersThousandsOfRequestsFromSeveralThreadsInOrder) {
  Client client(options());
  constexpr int each = 1000;
  std::atomic<int> done = 0;
  std::promise<void> all;
  std::vector<std::vector<int>> order(3);
  std::vector<std::thread> threads;
  threads.reserve(order.size());
  for (std::size_t thread = 0; thread < order.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < each; ++i) {
        client.ask<Measure>({experiment("quick")}, {[&, thread, i](const Measurement& point) {
                              if (point.status == Status::ok) order[thread].push_back(i);
                              if (++done == each * static_cast<int>(order.size())) all.set_value();
                            }});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  all.get_future().wait();
  for (const std::vector<int>& answered : order) {
    ASSERT_EQ(answered.size(), static_cast<std::size_t>(each));
    EXPECT_TRUE(std::is_sorted(answered.begin(), answered.end()));
  }
}

TEST(Client, CancelsThousandsOfWaitingRequestsOnceEach) {
  Client client(options());
  Running running(client, "slow");
  std::vector<Client::RequestId> ids;
  std::vector<std::future<Measurement>> results(5000);
  for (auto& result : results) result = ask(client, "quick", &ids.emplace_back());
  for (const auto id : ids) client.cancel(id);
  for (auto& result : results) EXPECT_EQ(result.get().status, Status::cancelled);
  client.cancel(running.id);
  EXPECT_EQ(running.result.get().status, Status::cancelled);
}

TEST(Client, MayBeAskedFromItsOwnCallbacks) {
  Client client(options());
  std::promise<Measurement> second;
  client.ask<Measure>({experiment("quick")}, {[&](const Measurement&) {
                        client.ask<Measure>({experiment("exit")},
                                            {[&](Measurement point) { second.set_value(std::move(point)); }});
                      }});
  EXPECT_EQ(second.get_future().get().status, Status::worker_lost);
}

}  // namespace
}  // namespace tilescope::fake_worker
