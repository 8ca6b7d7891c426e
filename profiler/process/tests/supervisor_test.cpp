#include "profiler/process/supervisor.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "profiler/process/child_program.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  return file.get() != std::ifstream::traits_type::eof();
}

/// The processes whose ids a script writes to a file, one a line.
class ListedProcesses {
 public:
  ListedProcesses() : file_(::testing::TempDir() + "processes_" + std::to_string(::getpid())) {}
  ~ListedProcesses() { std::filesystem::remove(file_); }
  std::string append() const { return "echo $! >> " + file_ + "; "; }
  std::vector<pid_t> wait_for(std::size_t count) const {
    std::vector<pid_t> listed;
    for (const auto end = std::chrono::steady_clock::now() + 20s;
         listed.size() < count && std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(5ms)) {
      listed.clear();
      std::ifstream lines(file_);
      for (pid_t process = 0; lines >> process;) listed.push_back(process);
    }
    return listed;
  }

 private:
  std::string file_;
};

bool all_end(const std::vector<pid_t>& processes) {
  for (const auto end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;
       std::this_thread::sleep_for(5ms)) {
    bool any = false;
    for (const pid_t process : processes) any = any || is_running(process);
    if (!any) return true;
  }
  return false;
}

std::string failure(const ProgramCall& call) {
  try {
    run_program(call);
    return "no failure";
  } catch (const ProgramFailed& failed) {
    return failed.what();
  }
}

// The second one leaves its process group and its session, the third one is started by it.
TEST(Supervisor, EverythingThatAProgramStartedEndsWithItsKilledOwner) {
  const ListedProcesses list;
  const pid_t owner = ::fork();
  if (owner == 0) {
    const std::string script = "sleep 100 & " + list.append() + "setsid sh -c 'sleep 100 & " + list.append() +
                               "sleep 100' & " + list.append() + "while true; do true; done";
    run_program({{"/bin/sh", "-c", script}});
    ::_exit(0);
  }
  const std::vector<pid_t> processes = list.wait_for(3);
  EXPECT_EQ(processes.size(), 3U);
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(all_end(processes));
}

TEST(Supervisor, WhatIsLeftRunningIsEndedWhenNobodyReadsIt) {
  const ListedProcesses list;
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult result =
      run_program({{"/bin/sh", "-c", "sleep 100 >/dev/null 2>&1 & " + list.append() + "exit 5"}});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s) << "it was not waited for";
  EXPECT_TRUE(all_end(list.wait_for(1)));
}

TEST(Supervisor, TheMemoryOfAllProcessesTogetherIsLimited) {
  // tail keeps what it reads until the end of a line comes.
  ProgramCall call{{"/bin/sh", "-c", "head -c 4000000000 /dev/zero | tail -n 1 | wc"}};
  call.memory_limit = std::uint64_t{64} << 20;
  EXPECT_EQ(failure(call), "/bin/sh took more than 64 MiB of memory and was killed");
  call.command = {"/bin/sh", "-c", "head -c 1000000 /dev/zero | tail -n 1 | wc -c"};
  EXPECT_EQ(run_program(call).output, "1000000\n");
}

TEST(Supervisor, AProgramThatCannotBeStartedHasItsErrno) {
  Supervisor supervisor({"/no/such/program"}, 0, Supervisor::Leftovers::killed, 5);
  ASSERT_TRUE(supervisor.is_there());
  std::vector<char*> words;
  for (const std::string& word : supervisor.command()) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, supervisor.child_end(), 5);
  pid_t process = 0;
  ASSERT_EQ(posix_spawn(&process, words.front(), &actions, nullptr, words.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(supervisor.wait_for_start(), ENOENT);
  EXPECT_EQ(::waitpid(process, nullptr, 0), process);
}

}  // namespace
}  // namespace tilescope
