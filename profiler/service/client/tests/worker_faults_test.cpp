// Requests that are cancelled or take too long, and workers that die, answer nonsense or do not start.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iosfwd>
#include <string>
#include <thread>
#include <vector>

#include "profiler/service/client/tests/client_fixture.hpp"
#include "profiler/service/client/wait.hpp"
#include "profiler/service/requests/devices.hpp"

namespace tilescope::fake_worker {
namespace {

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

}  // namespace
}  // namespace tilescope::fake_worker
