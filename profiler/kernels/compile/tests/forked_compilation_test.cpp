#include "profiler/kernels/compile/forked_compilation.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace tilescope {
namespace {

TEST(ForkedCompilation, GivesTheOutput) {
  const std::string code(200'000, 'x');
  const CompilerOutput output = compile_in_fork(
      [&] {
        return CompilerOutput{{code.begin(), code.end()}, "ptx", "log"};
      },
      {});
  EXPECT_EQ(std::string(output.cubin.begin(), output.cubin.end()), code);
  EXPECT_EQ(output.ptx, "ptx");
  EXPECT_EQ(output.log, "log");
}

TEST(ForkedCompilation, GivesTheFailureWithItsLog) {
  try {
    compile_in_fork([]() -> CompilerOutput { throw CompileFailed("k.cu(1): error", "whole log"); }, {});
    FAIL();
  } catch (const CompileFailed& failed) {
    EXPECT_STREQ(failed.what(), "k.cu(1): error");
    EXPECT_EQ(failed.log, "whole log");
  }
}

TEST(ForkedCompilation, ACrashIsAFailure) {
  const auto crash = []() -> CompilerOutput {
    ::kill(::getpid(), SIGKILL);
    return {};
  };
  try {
    compile_in_fork(crash, {});
    FAIL();
  } catch (const CompileFailed& failed) {
    EXPECT_NE(std::string(failed.what()).find("signal 9"), std::string::npos) << failed.what();
  }
}

TEST(ForkedCompilation, IsCancelledAtOnce) {
  const auto sleep = []() -> CompilerOutput {
    ::sleep(100);
    return {};
  };
  int asked = 0;
  EXPECT_THROW(compile_in_fork(sleep, [&] { return ++asked > 2; }), CompileCancelled);
}

}  // namespace
}  // namespace tilescope
