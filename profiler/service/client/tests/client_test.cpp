#include "profiler/service/client/client.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "profiler/service/client/wait.hpp"
#include "profiler/service/requests/calibrate.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/devices.hpp"
#include "profiler/service/requests/kernels.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

Client::Options options(std::vector<std::string> arguments = {}) {
  Client::Options made;
  made.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
  made.is_own_worker = arguments.empty();
  made.command.insert(made.command.end(), arguments.begin(), arguments.end());
  made.start_limit = 60s;  // Far beyond what anything here takes, also under sanitizers.
  made.cancel_grace = 60s;
  return made;
}

Experiment experiment(const std::string& kernel) {
  Experiment made;
  made.kernel = kernel;
  made.shape.Sq = 77;
  return made;
}

std::future<Measurement> ask(Client& client, const std::string& kernel, Client::RequestId* id = nullptr,
                             std::function<void(RequestProgress)> progress = {},
                             std::chrono::milliseconds limit = 60s) {
  const auto promise = std::make_shared<std::promise<Measurement>>();
  Client::Callbacks<Measure> callbacks{[promise](Measurement point) { promise->set_value(std::move(point)); },
                                       std::move(progress)};
  const auto request = client.ask<Measure>({experiment(kernel)}, std::move(callbacks), limit);
  if (id != nullptr) *id = request;
  return promise->get_future();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A request that is seen running: its first progress has come.
struct Running {
  Running(Client& client, const std::string& kernel) {
    result = ask(client, kernel, &id, [started = started](const RequestProgress&) {
      if (!started->second.exchange(true)) started->first.set_value();
    });
    started->first.get_future().wait();
  }
  std::shared_ptr<std::pair<std::promise<void>, std::atomic<bool>>> started =
      std::make_shared<std::pair<std::promise<void>, std::atomic<bool>>>();
  Client::RequestId id = 0;
  std::future<Measurement> result;
};

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

TEST(Client, CancelsARunningRequestAndKeepsTheWorker) {
  Client client(options());
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
  Client client(options());
  Running running(client, "slow");
  Client::RequestId id = 0;
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
  Client client(impatient);
  const Measurement before = ask(client, "quick").get();
  Running hanging(client, "hang");
  client.cancel(hanging.id);
  const Measurement point = hanging.result.get();
  EXPECT_EQ(point.status, Status::cancelled);
  EXPECT_TRUE(has(point.reason, "did not stop within 0.1 s")) << point.reason;
  EXPECT_NE(ask(client, "quick").get().notes, before.notes) << "a fresh worker has another pid";
}

TEST(Client, TimesOutAHangAndGoesOnWithAFreshWorker) {
  Client client(options());
  auto hanging = ask(client, "hang", nullptr, {}, 2s);
  auto after = ask(client, "quick");
  const Measurement point = hanging.get();
  EXPECT_EQ(point.status, Status::timed_out);
  EXPECT_TRUE(has(point.reason, "The timing of the kernel did not end within 2 s")) << point.reason;
  EXPECT_EQ(point.shape.Sq, 77) << "it says what was asked";
  EXPECT_EQ(after.get().status, Status::ok);
}

/// The limit of a request is for the request: neither a worker that starts slowly nor a queue takes of it.
TEST(Client, TheTimeLimitRunsFromTheStartOfTheRequest) {
  Client client(options());
  Running first(client, "slow");
  auto waiting = ask(client, "quick", nullptr, {}, 500ms);
  std::this_thread::sleep_for(700ms);
  client.cancel(first.id);
  EXPECT_EQ(waiting.get().status, Status::ok);
}

TEST(Client, NamesTheExitCodeAndTheLastWords) {
  Client client(options());
  const Measurement point = ask(client, "exit").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "exit code 7")) << point.reason;
  EXPECT_TRUE(has(point.reason, "the disk is full")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, NamesTheSignal) {
  Client client(options());
  const Measurement point = ask(client, "signal").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "signal 11 (Segmentation fault)")) << point.reason;
  EXPECT_TRUE(has(point.reason, "about to fault")) << point.reason;
}

TEST(Client, SurvivesAKillFromOutsideInTheMiddleOfASweep) {
  Client client(options());
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
  Client client(options());
  ask(client, "quick").get();
  const int pid = client.worker_pid();
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  while (client.worker_pid() == pid) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, KillsAWorkerThatPrintsMalformedOutput) {
  Client client(options());
  const Measurement point = ask(client, "malformed").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "not JSON-RPC")) << point.reason;
  EXPECT_TRUE(has(point.reason, "Segfault at \\u0001")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, BoundsTheLineThatItReads) {
  Client client(options());
  const Measurement point = ask(client, "huge_line").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "more than 64 MiB")) << point.reason;
  EXPECT_LT(point.reason.size(), 2000U);
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, RefusesAnAnswerThatIsNoMeasurement) {
  Client client(options());
  const Measurement point = ask(client, "wrong_answer").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "cannot be read")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().status, Status::ok);
}

TEST(Client, RefusesAnAnswerToWhatWasNotAsked) {
  Client client(options());
  const Measurement point = ask(client, "other_id").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "not asked")) << point.reason;
}

TEST(Client, TellsOfABugInTheServiceAndKeepsTheWorker) {
  Client client(options());
  const Measurement before = ask(client, "quick").get();
  const Measurement point = ask(client, "throws").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "a bug in the service")) << point.reason;
  EXPECT_EQ(ask(client, "quick").get().notes, before.notes);
}

TEST(Client, ReplacesAWorkerThatSaysItIsUnusable) {
  Client client(options());
  auto poisoned = ask(client, "poison");
  auto after = ask(client, "quick");
  const Measurement first = poisoned.get();
  const Measurement second = after.get();
  EXPECT_EQ(first.status, Status::ok);
  EXPECT_EQ(second.status, Status::ok) << second.reason;
  EXPECT_NE(first.notes, second.notes) << "answered by another process";
}

TEST(Client, KeepsTheProtocolCleanOfWhatLibrariesPrint) {
  Client client(options());
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

TEST(Client, NamesTheStageThatATimeLimitEnds) {
  Client client(options());
  const std::pair<const char*, const char*> stages[] = {
      {"hang at compile", "The compiler did not end within 0.5 s"},
      {"hang at disassemble", "nvdisasm did not end within 0.5 s"},
      {"hang at interpret", "The interpreter's execution of the kernel did not end within 0.5 s"},
      {"hang at check", "The comparison with the reference did not end within 0.5 s"},
      {"hang at rest", "The stage 'rest' did not end within 0.5 s"},
      {"hang silently", "No answer within 0.5 s"}};
  for (const auto& [kernel, words] : stages) {
    const Measurement point = ask(client, kernel, nullptr, {}, 500ms).get();
    EXPECT_EQ(point.status, Status::timed_out);
    EXPECT_TRUE(has(point.reason, words)) << point.reason;
  }
}

TEST(Client, SaysThatAWorkerTakesLongToStart) {
  auto made = options({"silent"});
  made.start_patience = 100ms;
  made.start_limit = 400ms;
  std::vector<std::string> notices;
  made.notice = [&](const std::string& sentence) { notices.push_back(sentence); };
  Measurement point;
  {
    Client client(made);
    point = ask(client, "quick").get();
  }
  EXPECT_EQ(point.status, Status::worker_lost);
  EXPECT_TRUE(has(point.reason, "did not answer within 0.4 s of its start")) << point.reason;
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(has(notices[0], "has not answered for 0.1 s; it has 0.4 s to start")) << notices[0];
  EXPECT_TRUE(has(notices[0], "fake_worker silent")) << notices[0];
}

/// The parent of a process that runs, 0 for one that has ended.
pid_t parent_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    if (pid_t parent = 0; word == "PPid:" && status >> parent) return parent;
  }
  return 0;
}

TEST(Client, StartsOnlyAnotherProgramUnderASupervisor) {
  for (const bool is_own : {true, false}) {
    auto made = options();
    made.is_own_worker = is_own;
    Client client(made);
    ASSERT_EQ(ask(client, "quick").get().status, Status::ok);
    EXPECT_EQ(parent_of(client.worker_pid()) == ::getpid(), is_own);
  }
}

TEST(Client, AScriptThatIsKilledTakesWhatItStartedAlong) {
  const std::string list = ::testing::TempDir() + "slept_" + std::to_string(::getpid());
  auto made = options();
  made.is_own_worker = false;
  made.command = {"/bin/sh", "-c", "sleep 100 & echo $! > " + list + "; wait"};
  made.start_limit = 1s;
  {
    Client client(made);
    EXPECT_EQ(ask(client, "quick").get().status, Status::worker_lost);
  }
  pid_t slept = 0;
  std::ifstream(list) >> slept;
  std::filesystem::remove(list);
  ASSERT_GT(slept, 0);
  for (int i = 0; i < 2000 && ::kill(slept, 0) == 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_NE(::kill(slept, 0), 0);
}

TEST_P(BadWorkers, AreNamedInEveryRequestsReason) {
  auto made = options();
  if (!GetParam().command.empty() && GetParam().command.front().find('/') != std::string::npos) {
    made.command = GetParam().command;
  } else {
    made = options(GetParam().command);
  }
  made.start_limit = 2s;
  Client client(made);
  std::promise<Devices::Answer> devices;
  client.ask<Devices>({}, {[&](Devices::Answer answer) { devices.set_value(std::move(answer)); }});
  const Measurement point = ask(client, "quick").get();
  EXPECT_EQ(point.status, Status::worker_lost);
  for (const std::string& part : GetParam().expected) EXPECT_TRUE(has(point.reason, part)) << point.reason;
  const Devices::Answer list = devices.get_future().get();
  EXPECT_EQ(list.status, Status::worker_lost);
  for (const std::string& part : GetParam().expected) EXPECT_TRUE(has(list.reason, part)) << list.reason;
  EXPECT_EQ(client.worker_pid(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    FromTheirStart, BadWorkers,
    testing::Values(BadWorker{{"/nowhere/tilescope", "worker"},
                              {"'/nowhere/tilescope worker' cannot be started", "no such file"}},
                    BadWorker{{"/dev/null"}, {"cannot be started", "permission denied"}},
                    BadWorker{{"exit_at_once"}, {"exit code 3", "no such kernels folder"}},
                    BadWorker{{"silent"}, {"did not answer within 2 s of its start"}},
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
}  // namespace tilescope
