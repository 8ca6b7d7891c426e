#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "profiler/kernels/compile/tests/compiler_fixture.hpp"
#include "profiler/kernels/compile/tests/thread_rights.hpp"

namespace tilescope {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr CompileGrace no_grace{milliseconds(0), milliseconds(0)}, long_grace{hours(1), hours(1)};

std::shared_ptr<Compilation> compilation(CompileGrace grace) {
  return std::make_shared<Compilation>(CompiledKernel{}, grace);
}

CompilationAsker ask(const std::shared_ptr<Compilation>& asked,
                     CompileGoal goal = CompileGoal::machine_code) {
  return *CompilationAsker::join(asked, goal);
}

// NVRTC takes seconds for it, and does not ask whether to stop while it reads the templates.
std::string slow_source() {
  return "template <int N, int K> struct Sum {"
         "  static constexpr int value = Sum<N - 1, 2 * K>::value + Sum<N - 1, 2 * K + 1>::value; };"
         "template <int K> struct Sum<0, K> { static constexpr int value = K; };"
         "extern \"C\" __global__ void flash_scalar(int* a) { *a = Sum<14, 1>::value; }";
}

class AbandonedCompilations : public test_support::CompilerTest {
 protected:
  KernelDeclaration tiny(const std::string& name) const {
    return kernel_of(name, "extern \"C\" __global__ void flash_scalar(int* a) { *a = 1; }");
  }
};

TEST(AbandonedCompilation, WithinTheTimeOfGraceItGoesOnAndIsJoinedAgain) {
  const auto asked = compilation(long_grace);
  { const CompilationAsker goes = ask(asked); }
  EXPECT_FALSE(asked->stops());
  EXPECT_FALSE(asked->stops_ptx());
  EXPECT_TRUE(CompilationAsker::join(asked, CompileGoal::machine_code));
}

TEST(AbandonedCompilation, AfterThatItIsJoinedUntilItsThreadHasHeardOfTheCancel) {
  const auto asked = compilation(no_grace);
  { const CompilationAsker goes = ask(asked); }
  {
    const CompilationAsker comes_back = ask(asked);
    EXPECT_FALSE(asked->stops());
  }
  EXPECT_TRUE(asked->stops());
  EXPECT_FALSE(CompilationAsker::join(asked, CompileGoal::machine_code));
}

TEST(AbandonedCompilation, ThePtxIsBegunOnceAndAgainAfterItWasStopped) {
  const auto asked = compilation(no_grace);
  {
    const CompilationAsker goes = ask(asked);
    EXPECT_TRUE(asked->begin_ptx());
    EXPECT_FALSE(asked->begin_ptx());
    EXPECT_FALSE(asked->stops_ptx());
  }
  EXPECT_TRUE(asked->stops_ptx());
  const CompilationAsker comes_back = ask(asked, CompileGoal::ptx_first);
  EXPECT_TRUE(asked->begin_ptx());
  asked->set_ptx("the PTX");
  EXPECT_FALSE(asked->begin_ptx());
  EXPECT_EQ(asked->wait_for_ptx({})->ptx, "the PTX");
}

TEST(AbandonedCompilation, ThePriorityIsThatOfTheMostUrgentWhoWaits) {
  const auto asked = compilation({milliseconds(0), hours(1)});
  const CompilationAsker ahead = ask(asked, CompileGoal::prefetch);
  EXPECT_EQ(asked->priority(), CompilePriority::idle);
  {
    const CompilationAsker first = ask(asked, CompileGoal::ptx_first);
    EXPECT_EQ(asked->priority(), CompilePriority::later);
    EXPECT_EQ(asked->ptx_priority(), CompilePriority::normal);
    { const CompilationAsker code = ask(asked); }
    EXPECT_EQ(asked->priority(), CompilePriority::later);
    const CompilationAsker code = ask(asked);
    EXPECT_EQ(asked->priority(), CompilePriority::normal);
  }
  EXPECT_EQ(asked->priority(), CompilePriority::idle);
}

TEST(AbandonedCompilation, ItsPriorityIsLoweredAfterTheTimeOfGrace) {
  const auto kept = compilation(long_grace), lowered = compilation(no_grace);
  { const CompilationAsker one = ask(kept), other = ask(lowered); }
  EXPECT_EQ(kept->priority(), CompilePriority::normal);
  EXPECT_EQ(lowered->priority(), CompilePriority::idle);
  EXPECT_EQ(lowered->ptx_priority(), CompilePriority::idle);
  const CompilationAsker again = ask(kept, CompileGoal::prefetch);
  EXPECT_EQ(kept->priority(), CompilePriority::idle) << "what the earlier request needed is forgotten";
}

// The window stops what is compiled ahead before it asks for the point that it moved to.
TEST_F(AbandonedCompilations, WhoMovesToWhatIsCompiledAheadGoesOnWithIt) {
  const Compiler with = compiler({long_grace});
  const Compilation* begun = nullptr;
  {
    const CompilationAsker ahead = begin(with, CompileGoal::prefetch);
    begun = &*ahead;
  }
  const CompilationAsker moved = begin(with, CompileGoal::ptx_first);
  EXPECT_EQ(&*moved, begun);
  EXPECT_TRUE(moved->wait_for_ptx({}));
}

TEST_F(AbandonedCompilations, WhatEverybodyLeftIsGoneOnWith) {
  const Compiler with = compiler({long_grace});
  const Compilation* begun = nullptr;
  {
    const CompilationAsker goes = begin(with, CompileGoal::machine_code);
    begun = &*goes;
  }
  { const CompilationAsker meanwhile = begin(with, tiny("other"), CompileGoal::prefetch); }
  const CompilationAsker back = begin(with, CompileGoal::machine_code);
  EXPECT_EQ(&*back, begun);
  EXPECT_FALSE(back->wait({}).cubin.empty());
}

TEST_F(AbandonedCompilations, AfterTheTimeOfGraceNvrtcIsStopped) {
  const Compiler with = compiler({no_grace});
  { const CompilationAsker goes = begin(with, CompileGoal::ptx_first); }
  wait_for(with);
  const CompiledKernel compiled = begin(with, CompileGoal::machine_code)->wait({});
  EXPECT_FALSE(compiled.from_cache) << "a cancelled compilation was finished and kept";
}

// On a busy machine this thread may wake up after the machine code is there, too: then another compilation is tried.
TEST_F(AbandonedCompilations, WhoAsksForThePtxOfWhatIsCompiledAheadHasItBeforeTheMachineCode) {
  constexpr int most_tries = 5;
  bool came_first = false;
  for (int i = 0; i < most_tries && !came_first; ++i) {
    std::filesystem::remove_all(cache / "binaries");
    const Compiler with = compiler();
    const CompilationAsker ahead = begin(with, CompileGoal::prefetch);
    const CompilationAsker asked = begin(with, CompileGoal::ptx_first);
    const std::optional<CompiledKernel> first = asked->wait_for_ptx({});
    ASSERT_TRUE(first);
    came_first = first->cubin.empty();
    EXPECT_EQ(first->ptx, asked->wait({}).ptx);
  }
  EXPECT_TRUE(came_first);
}

// Lowering the priority of a thread cannot be undone there.
TEST_F(AbandonedCompilations, WithoutRightsWhatWasJustBegunAheadIsBegunAgain) {
  test_support::without_rights([this] {
    Compiler::Limits limits;
    limits.cheap_to_repeat = hours(1);
    const Compiler with = compiler(limits);
    const CompilationAsker ahead = begin(with, CompileGoal::prefetch);
    while (test_support::threads_with_nice_value(19) == 0) std::this_thread::yield();
    const CompilationAsker asked = begin(with, CompileGoal::machine_code);
    EXPECT_NE(&*asked, &*ahead);
    EXPECT_THROW(ahead->wait({}), CompileCancelled);
    EXPECT_FALSE(asked->wait({}).cubin.empty());
  });
}

TEST_F(AbandonedCompilations, WithoutRightsWhatHasComeFarAheadIsShared) {
  test_support::without_rights([this] {
    Compiler::Limits limits;
    limits.cheap_to_repeat = milliseconds(0);
    const Compiler with = compiler(limits);
    const CompilationAsker ahead = begin(with, CompileGoal::prefetch);
    while (test_support::threads_with_nice_value(19) == 0) std::this_thread::yield();
    EXPECT_EQ(&*begin(with, CompileGoal::machine_code), &*ahead);
  });
}

TEST_F(AbandonedCompilations, ACompilationThatTakesLongHoldsUpNoOther) {
  const Compiler with = compiler({no_grace});
  const auto compile_another = [&](const char* name) {
    EXPECT_FALSE(begin(with, tiny(name), CompileGoal::machine_code)->wait({}).cubin.empty());
  };
  const KernelDeclaration long_one = kernel_of("slow", slow_source());
  std::optional<CompilationAsker> slow(begin(with, long_one, CompileGoal::machine_code));
  compile_another("one");
  EXPECT_FALSE((*slow)->is_done());
  slow.reset();
  compile_another("other");
  EXPECT_FALSE(with.is_idle()) << "NVRTC does not hear of the cancel so soon";
}

TEST_F(AbandonedCompilations, WhoAsksWhileAllThreadsAreBusyIsNotHeldUp) {
  Compiler::Limits limits;
  limits.threads = 1;
  const Compiler with = compiler(limits);
  const CompilationAsker slow = begin(with, kernel_of("slow", slow_source()), CompileGoal::machine_code);
  const CompilationAsker waits = begin(with, CompileGoal::ptx_first);
  EXPECT_FALSE(slow->is_done());
  EXPECT_THROW(waits->wait([] { return true; }), CompileCancelled);
  EXPECT_FALSE(waits->wait({}).cubin.empty()) << "its turn comes";
  EXPECT_TRUE(slow->is_done());
}

TEST_F(AbandonedCompilations, TheFolderOfBinariesIsBoundedWhileTheProgramRuns) {
  Compiler::Limits limits;
  limits.cache = 0;
  limits.kept_between_prunes = 2;
  const Compiler with = compiler(limits);
  const auto compile = [&](const char* name) {
    const CompiledKernel compiled = begin(with, tiny(name), CompileGoal::machine_code)->wait({});
    wait_for(with);
    return compiled.key;
  };
  const std::string one = compile("one");
  EXPECT_TRUE(is_in_cache(one));
  const std::string other = compile("other");
  EXPECT_FALSE(is_in_cache(one));
  EXPECT_FALSE(is_in_cache(other));
}

}  // namespace
}  // namespace tilescope
