#include "profiler/sass/child_program.hpp"

#include <gtest/gtest.h>

#include <csignal>

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

TEST(ChildProgram, WhatCannotBeDoneIsASentence) {
  EXPECT_NE(failure({{"/no/such/program"}}).find("/no/such/program cannot be started"), std::string::npos);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(failure({{"/bin/sleep", "30"}, {}, 100ms}).find("did not end within 0.1 s"), std::string::npos);
  EXPECT_NE(failure({{"/usr/bin/yes"}, {}, 10s, 1 << 20}).find("wrote more than 1 MB"), std::string::npos);
  // Its child keeps the pipes open after it was killed.
  EXPECT_NE(failure({{"/bin/sh", "-c", "sleep 5; true"}, {}, 100ms}).find("did not end"), std::string::npos);
  // The same of one that ended by itself.
  EXPECT_NE(failure({{"/bin/sh", "-c", "sleep 5 & true"}, {}, 100ms}).find("did not end"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4s);
}

}  // namespace
}  // namespace tilescope
