#include "profiler/worker/client.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tilescope {
namespace {

using namespace std::chrono_literals;

WorkerClient::Options options(std::vector<std::string> arguments = {}) {
  WorkerClient::Options made;
  made.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
  made.command.insert(made.command.end(), arguments.begin(), arguments.end());
  made.time_limit = 60s;  // Far beyond what anything here takes, also under sanitizers.
  made.cancel_grace = 60s;
  return made;
}

Experiment experiment(const std::string& kernel) {
  Experiment made;
  made.kernel = kernel;
  made.shape.Sq = 77;
  return made;
}

std::future<Measurement> ask(WorkerClient& client, const std::string& kernel,
                             WorkerClient::RequestId* id = nullptr, WorkerClient::Progress progress = {}) {
  const auto promise = std::make_shared<std::promise<Measurement>>();
  const auto request = client.measure(
      experiment(kernel), [promise](Measurement point) { promise->set_value(std::move(point)); },
      std::move(progress));
  if (id != nullptr) *id = request;
  return promise->get_future();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A request that is seen running: its first progress has come.
struct Running {
  Running(WorkerClient& client, const std::string& kernel) {
    result = ask(client, kernel, &id, [started = started](const MeasureProgress&) {
      if (!started->second.exchange(true)) started->first.set_value();
    });
    started->first.get_future().wait();
  }
  std::shared_ptr<std::pair<std::promise<void>, std::atomic<bool>>> started =
      std::make_shared<std::pair<std::promise<void>, std::atomic<bool>>>();
  WorkerClient::RequestId id = 0;
  std::future<Measurement> result;
};

TEST(Client, MeasuresAndLists) {
  WorkerClient client(options());
  EXPECT_EQ(client.worker_pid(), 0) << "no worker before the first request";
  const Measurement point = ask(client, "quick").get();
  EXPECT_EQ(point.status, Status::ok);
  EXPECT_EQ(point.kernel, "quick");
  EXPECT_EQ(point.shape.Sq, 77);
  EXPECT_EQ(client.list_devices().get()["devices"][0]["name"], "L4");
  EXPECT_EQ(client.list_kernels().get()["pid"], client.worker_pid());
}

TEST(Client, Traces) {
  WorkerClient client(options());
  std::promise<Measurement> answer;
  client.trace(experiment("quick"), Tracing{true, 5},
               [&](Measurement point) { answer.set_value(std::move(point)); });
  const Measurement point = answer.get_future().get();
  EXPECT_EQ(point.status, Status::ok);
  ASSERT_EQ(point.notes.size(), 3U);
  EXPECT_EQ(point.notes[1], "seed 5");
  EXPECT_EQ(point.notes[2], "limit 60");
}

/// A calibration whose first progress is awaited.
struct Calibrating {
  Calibrating(WorkerClient& client, const std::string& device) {
    id = client.calibrate(
        device, [this](Json document) { answer.set_value(std::move(document)); },
        [this](const MeasureProgress& progress) {
          if (!std::exchange(seen, true)) started.set_value(progress);
        });
  }
  WorkerClient::RequestId id = 0;
  bool seen = false;
  std::promise<MeasureProgress> started;
  std::promise<Json> answer;
};

TEST(Client, CalibratesWithProgress) {
  WorkerClient client(options());
  Calibrating calibrating(client, "gpu:0");
  const MeasureProgress progress = calibrating.started.get_future().get();
  EXPECT_EQ(progress.stage, "ffma");
  EXPECT_EQ(progress.fraction, 0.5);
  EXPECT_EQ(calibrating.answer.get_future().get(),
            (Json{{"status", "ok"}, {"reason", ""}, {"device", "gpu:0"}, {"limit_s", 60.0}}));
}

TEST(Client, ACalibrationIsCancelled) {
  WorkerClient client(options());
  Calibrating calibrating(client, "slow");
  calibrating.started.get_future().wait();
  client.cancel(calibrating.id);
  EXPECT_EQ(calibrating.answer.get_future().get().at("status"), "cancelled");
}

TEST(Client, AWorkerThatDiesInACalibrationIsASentenceAndTheNextOneGoesOn) {
  WorkerClient client(options());
  Calibrating dying(client, "exit");
  const Json lost = dying.answer.get_future().get();
  EXPECT_EQ(lost.at("status"), "worker_lost");
  EXPECT_TRUE(has(lost.at("reason"), "a microbenchmark faulted")) << lost;
  Calibrating lying(client, "wrong_answer");
  EXPECT_EQ(lying.answer.get_future().get().at("status"), "worker_lost");
  Calibrating again(client, "gpu:0");
  EXPECT_EQ(again.answer.get_future().get().at("status"), "ok");
}

/// What a window's request gives, piece by piece.
struct Window {
  Window(WorkerClient& client, const std::string& kernel, std::uint64_t count) {
    WindowSelection selection;
    selection.first = 7;
    selection.count = count;
    id = client.trace_window(
        experiment(kernel), selection,
        [this](const Json& events) {
          for (const Json& event : events) seen.push_back(event.get<std::uint64_t>());
          if (seen.size() == 3) three.set_value();
        },
        [this](WindowSummary done) { summary.set_value(std::move(done)); });
  }
  WorkerClient::RequestId id = 0;
  std::vector<std::uint64_t> seen;
  std::promise<void> three;
  std::promise<WindowSummary> summary;
};

TEST(Client, StreamsAWindowInOrderBeforeItsSummary) {
  WorkerClient client(options());
  Window window(client, "quick", 500);
  const WindowSummary summary = window.summary.get_future().get();
  EXPECT_EQ(summary.status, Status::ok);
  EXPECT_EQ(summary.sent, 500U);
  ASSERT_EQ(window.seen.size(), 500U);
  for (std::size_t i = 0; i < window.seen.size(); ++i) ASSERT_EQ(window.seen[i], 7 + i);
}

TEST(Client, CancelsAWindowAndNamesAWorkerThatIsLostInOne) {
  WorkerClient client(options());
  Window slow(client, "slow", 100'000);
  slow.three.get_future().wait();
  client.cancel(slow.id);
  EXPECT_EQ(slow.summary.get_future().get().status, Status::cancelled);
  Window lost(client, "exit", 3);
  const WindowSummary summary = lost.summary.get_future().get();
  EXPECT_EQ(summary.status, Status::worker_lost);
  EXPECT_TRUE(has(summary.reason, "7")) << summary.reason;
}

TEST(Client, PassesLogsOfMegabytesAndBytesThatAreNotUtf8) {
  WorkerClient client(options());
  EXPECT_EQ(ask(client, "log").get().compiler_log.size(), std::size_t{3} << 20);
  EXPECT_EQ(ask(client, "bytes").get().compiler_log, "not UTF-8: \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Client, ReportsProgress) {
  WorkerClient client(options());
  std::vector<MeasureProgress> seen;
  WorkerClient::RequestId id = 0;
  std::promise<void> three;
  auto result = ask(client, "slow", &id, [&](const MeasureProgress& progress) {
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

TEST(Client, CancelsARunningRequestAndKeepsTheWorker) {
  WorkerClient client(options());
  Running running(client, "slow");
  const int pid = client.worker_pid();
  client.cancel(running.id);
  const Measurement point = running.result.get();
  EXPECT_EQ(point.status, Status::cancelled);
  EXPECT_EQ(point.kernel, "slow");
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
  EXPECT_EQ(client.worker_pid(), pid);
}

TEST(Client, CancelsAWaitingRequestAtOnce) {
  WorkerClient client(options());
  Running running(client, "slow");
  WorkerClient::RequestId id = 0;
  auto waiting = ask(client, "quick", &id);
  client.cancel(id);
  client.cancel(id);
  client.cancel(4711);
  EXPECT_EQ(waiting.get().status, Status::cancelled);
  EXPECT_EQ(running.result.wait_for(0s), std::future_status::timeout) << "the running one goes on";
  client.cancel(running.id);
  running.result.get();
}

TEST(Client, KillsAWorkerThatDoesNotHeedACancel) {
  auto impatient = options();
  impatient.cancel_grace = 100ms;
  WorkerClient client(impatient);
  const Measurement before = ask(client, "quick").get();
  Running hanging(client, "hang");
  client.cancel(hanging.id);
  const Measurement point = hanging.result.get();
  EXPECT_EQ(point.status, Status::cancelled);
  EXPECT_TRUE(has(point.reason, "did not heed it within 0.1 s")) << point.reason;
  EXPECT_NE(ask(client, "quick").get().notes, before.notes) << "a fresh worker has another pid";
}

TEST(Client, TimesOutAHangAndGoesOnWithAFreshWorker) {
  auto impatient = options();
  impatient.time_limit = 2s;
  WorkerClient client(impatient);
  auto hanging = ask(client, "hang");
  auto after = ask(client, "quick");
  const Measurement point = hanging.get();
  EXPECT_EQ(point.status, Status::timed_out);
  EXPECT_TRUE(has(point.reason, "No answer within 2 s")) << point.reason;
  EXPECT_EQ(point.shape.Sq, 77) << "it says what was asked";
  EXPECT_EQ(after.get().status, Status::ok);
}

TEST(Client, NamesTheExitCodeAndTheLastWords) {
  WorkerClient client(options());
  const Measurement point = ask(client, "exit").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "exit code 7")) << point.reason;
  EXPECT_TRUE(has(point.reason, "the disk is full")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, NamesTheSignal) {
  WorkerClient client(options());
  const Measurement point = ask(client, "signal").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "signal 11 (Segmentation fault)")) << point.reason;
  EXPECT_TRUE(has(point.reason, "about to fault")) << point.reason;
}

TEST(Client, SurvivesAKillFromOutsideInTheMiddleOfASweep) {
  WorkerClient client(options());
  Running running(client, "slow");
  std::vector<std::future<Measurement>> rest;
  rest.reserve(20);
  for (int i = 0; i < 20; ++i) rest.push_back(ask(client, "quick"));
  ASSERT_EQ(::kill(client.worker_pid(), SIGKILL), 0);
  const Measurement point = running.result.get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "signal 9")) << point.reason;
  for (auto& result : rest) EXPECT_EQ(result.get().status, Status::ok);
}

TEST(Client, GoesOnAfterAnIdleWorkerHasDied) {
  WorkerClient client(options());
  ask(client, "quick").get();
  const int pid = client.worker_pid();
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  while (client.worker_pid() == pid) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, KillsAWorkerThatPrintsRubbish) {
  WorkerClient client(options());
  const Measurement point = ask(client, "rubbish").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "not JSON-RPC")) << point.reason;
  EXPECT_TRUE(has(point.reason, "Segfault at \\u0001")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, BoundsTheLineThatItReads) {
  WorkerClient client(options());
  const Measurement point = ask(client, "huge_line").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "more than 64 MiB")) << point.reason;
  EXPECT_LT(point.reason.size(), 2000U);
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, RefusesAnAnswerThatIsNoMeasurement) {
  WorkerClient client(options());
  const Measurement point = ask(client, "wrong_answer").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "cannot be read")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, RefusesAnAnswerToWhatWasNotAsked) {
  WorkerClient client(options());
  const Measurement point = ask(client, "other_id").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "not asked")) << point.reason;
}

TEST(Client, TellsOfABugInTheServiceAndKeepsTheWorker) {
  WorkerClient client(options());
  const Measurement before = ask(client, "quick").get();
  const Measurement point = ask(client, "throws").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "a bug in the service")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().notes, before.notes);
}

TEST(Client, ReplacesAWorkerThatSaysItIsUnusable) {
  WorkerClient client(options());
  auto poisoned = ask(client, "poison");
  auto after = ask(client, "quick");
  const Measurement first = poisoned.get();
  const Measurement second = after.get();
  EXPECT_EQ(first.status, Status::ok);
  EXPECT_EQ(second.status, Status::ok) << second.reason;
  EXPECT_NE(first.notes, second.notes) << "answered by another process";
}

TEST(Client, KeepsTheProtocolCleanOfWhatLibrariesPrint) {
  WorkerClient client(options());
  const Measurement point = ask(client, "chatty").get();
  EXPECT_EQ(point.status, Status::ok) << point.reason;
}

struct BadWorker {
  std::vector<std::string> command;
  std::vector<std::string> expected;
};

void PrintTo(const BadWorker& worker, std::ostream* out) {
  *out << worker.command.back();
}

class BadWorkers : public testing::TestWithParam<BadWorker> {};

TEST_P(BadWorkers, AreNamedInEveryRequestsReason) {
  auto made = options();
  if (!GetParam().command.empty() && GetParam().command.front().find('/') != std::string::npos) {
    made.command = GetParam().command;
  } else {
    made = options(GetParam().command);
  }
  made.time_limit = 2s;
  WorkerClient client(made);
  auto devices = client.list_devices();
  const Measurement point = ask(client, "quick").get();
  EXPECT_TRUE(point.status == Status::worker_lost || point.status == Status::timed_out);
  for (const std::string& part : GetParam().expected) EXPECT_TRUE(has(point.reason, part)) << point.reason;
  try {
    devices.get();
    ADD_FAILURE() << "a list from a worker that never said hello";
  } catch (const std::runtime_error& failure) {
    for (const std::string& part : GetParam().expected)
      EXPECT_TRUE(has(failure.what(), part)) << failure.what();
  }
  EXPECT_EQ(client.worker_pid(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    FromTheirStart, BadWorkers,
    testing::Values(BadWorker{{"/nowhere/tilescope", "worker"},
                              {"'/nowhere/tilescope worker' cannot be started", "no such file"}},
                    BadWorker{{"/dev/null"}, {"cannot be started", "permission denied"}},
                    BadWorker{{"exit_at_once"}, {"exit code 3", "no such kernels folder"}},
                    BadWorker{{"silent"}, {"No answer within 2 s"}},
                    BadWorker{{"banner"}, {"not JSON-RPC", "Welcome to node 7"}},
                    BadWorker{{"old"}, {"Tilescope 0.0.1 with protocol 0", "Install the same version"}},
                    BadWorker{{"ancient"}, {"of an unknown version", "Install the same version"}},
                    BadWorker{{"closes_output"}, {"closed its output"}},
                    BadWorker{{"closes_input"}, {"no longer reads requests"}}));

TEST(Client, EndsWhileARequestRunsAndOthersWait) {
  std::atomic<int> cancelled = 0;
  std::future<Measurement> running_result;
  int pid = 0;
  {
    WorkerClient client(options());
    Running running(client, "slow");
    pid = client.worker_pid();
    running_result = std::move(running.result);
    for (int i = 0; i < 100; ++i) {
      client.measure(experiment("quick"), [&](const Measurement& point) {
        cancelled += point.status == Status::cancelled ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(running_result.get().status, Status::cancelled);
  EXPECT_EQ(cancelled, 100);
  EXPECT_NE(::kill(pid, 0), 0) << "the worker is gone and reaped";
}

TEST(Client, EndsWhileItStartsOrBeforeItDidAnything) {
  { const WorkerClient unused(options()); }
  for (int i = 0; i < 20; ++i) {
    std::future<Measurement> result;
    {
      WorkerClient client(options({"silent"}));
      result = ask(client, "quick");
      if (i % 2 == 0) std::this_thread::sleep_for(5ms);
    }
    EXPECT_EQ(result.get().status, Status::cancelled);
  }
}

TEST(Client, AnswersThousandsOfRequestsFromSeveralThreadsInOrder) {
  WorkerClient client(options());
  constexpr int each = 1000;
  std::atomic<int> done = 0;
  std::promise<void> all;
  std::vector<std::vector<int>> order(3);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < order.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < each; ++i) {
        client.measure(experiment("quick"), [&, thread, i](const Measurement& point) {
          if (point.status == Status::ok) order[thread].push_back(i);
          if (++done == each * static_cast<int>(order.size())) all.set_value();
        });
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
  WorkerClient client(options());
  Running running(client, "slow");
  std::vector<WorkerClient::RequestId> ids;
  std::vector<std::future<Measurement>> results(5000);
  for (auto& result : results) result = ask(client, "quick", &ids.emplace_back());
  for (const auto id : ids) client.cancel(id);
  for (auto& result : results) EXPECT_EQ(result.get().status, Status::cancelled);
  client.cancel(running.id);
  EXPECT_EQ(running.result.get().status, Status::cancelled);
}

TEST(Client, MayBeAskedFromItsOwnCallbacks) {
  WorkerClient client(options());
  std::promise<Measurement> second;
  client.measure(experiment("quick"), [&](const Measurement&) {
    client.measure(experiment("exit"), [&](Measurement point) { second.set_value(std::move(point)); });
  });
  EXPECT_EQ(second.get_future().get().status, Status::worker_lost);
}

}  // namespace
}  // namespace tilescope
