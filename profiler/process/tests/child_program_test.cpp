#include "profiler/process/child_program.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace tilescope {
namespace {

using namespace std::chrono_literals;

std::string failure(const ProgramCall& call) {
  try {
    run_program(call);
    return "no failure";
  } catch (const ProgramFailed& failed) {
    return failed.what();
  }
}

TEST(ChildProgram, ReadsItsInputAsAFile) {
  const std::string bytes("a\0b\nc", 5);
  const ProgramResult result = run_program({{"/bin/cat", "/dev/stdin", "/dev/stdin"}, bytes});
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.output, bytes + bytes) << "opened twice, it starts at its beginning twice";
}

TEST(ChildProgram, ArgumentsAreNotInterpreted) {
  EXPECT_EQ(run_program({{"/bin/echo", "-n", "$HOME; *", "`date`"}}).output, "$HOME; * `date`");
}

TEST(ChildProgram, LongOutputArrivesWhole) {
  const std::string bytes(3'000'000, 'x');
  EXPECT_EQ(run_program({{"/bin/cat", "/dev/stdin"}, bytes}).output, bytes);
}

TEST(ChildProgram, ItsEndIsReported) {
  const ProgramResult result = run_program({{"/bin/ls", "/no/such/file"}});
  EXPECT_FALSE(result.succeeded());
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.errors.find("/no/such/file"), std::string::npos);
  EXPECT_EQ(run_program({{"/bin/sh", "-c", "kill -9 $$"}}).signal, SIGKILL);
}

TEST(ChildProgram, RunsInItsFolderWithItsVariables) {
  ProgramCall call{{"/bin/sh", "-c", "pwd; echo \"$GREETING $HOME\""}};
  call.folder = "/usr/bin";
  call.environment = {{"GREETING", "hello"}, {"HOME", "/nowhere"}};
  EXPECT_EQ(run_program(call).output, "/usr/bin\nhello /nowhere\n");
  call.environment.clear();
  EXPECT_EQ(run_program(call).output, "/usr/bin\n " + std::string(std::getenv("HOME")) + "\n");
}

bool is_running(pid_t process) {
  // A killed one whose parent has not asked for its end is a zombie: no command line is left.
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  return file.get() != std::ifstream::traits_type::eof();
}

TEST(ChildProgram, ACancelEndsItAndWhatItStarted) {
  const std::string list = ::testing::TempDir() + "child_" + std::to_string(::getpid());
  ProgramCall call{{"/bin/sh", "-c", "sleep 30 & echo $! > " + list + "; sleep 30; true"}};
  const auto start = std::chrono::steady_clock::now();
  call.cancelled = [&] { return std::chrono::steady_clock::now() - start > 300ms; };
  EXPECT_THROW(run_program(call), ProgramCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  pid_t grandchild = 0;
  std::ifstream(list) >> grandchild;
  std::filesystem::remove(list);
  ASSERT_GT(grandchild, 0);
  while (is_running(grandchild) && std::chrono::steady_clock::now() - start < 5s)
    std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(is_running(grandchild));
  call.cancelled = [] { return false; };
  call.command = {"/bin/true"};
  EXPECT_TRUE(run_program(call).succeeded());
}

TEST(ChildProgram, WhatCannotBeDoneIsASentence) {
  EXPECT_NE(failure({{"/no/such/program"}}).find("/no/such/program cannot be started"), std::string::npos);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(failure({{"/bin/sleep", "30"}, {}, 100ms}).find("did not end within 0.1 s"), std::string::npos);
  EXPECT_NE(failure({{"/usr/bin/yes"}, {}, 10s, 1 << 20}).find("wrote more than 1 MB"), std::string::npos);
  // Its child keeps the pipes open after it was killed.
  EXPECT_NE(failure({{"/bin/sh", "-c", "sleep 5; true"}, {}, 100ms}).find("did not end"), std::string::npos);
  // Nor does it matter that a program ended by itself.
  EXPECT_NE(failure({{"/bin/sh", "-c", "sleep 5 & true"}, {}, 100ms}).find("did not end"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4s);
}

}  // namespace
}  // namespace tilescope
