#include "profiler/kernels/compile/compile_threads.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <future>
#include <system_error>
#include <vector>

#include "profiler/kernels/compile/tests/thread_rights.hpp"

namespace tilescope {
namespace {

const auto normal = [] { return CompilePriority::normal; };
const auto later = [] { return CompilePriority::later; };
const auto idle = [] { return CompilePriority::idle; };

int own_nice_value() {
  return ::getpriority(PRIO_PROCESS, 0);
}

void wait_until_own_nice_value_is(int nice) {
  while (own_nice_value() != nice) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(CompileThreads, WhoStartsATaskDoesNotWaitForRoomAndTheMostUrgentRunsNext) {
  std::promise<void> goes_on;
  std::vector<std::string> order;
  {
    CompileThreads threads(1);
    threads.start(normal, [&] { goes_on.get_future().wait(); });
    threads.start(idle, [&] { order.emplace_back("idle"); });
    threads.start(later, [&] { order.emplace_back("later"); });
    threads.start(normal, [&] { order.emplace_back("first"); });
    threads.start(normal, [&] { order.emplace_back("second"); });
    EXPECT_FALSE(threads.is_idle());
    goes_on.set_value();
  }  // which waits for those in line as well
  EXPECT_EQ(order, (std::vector<std::string>{"first", "second", "later", "idle"}));
}

TEST(CompileThreads, ARunningTaskIsLoweredWhenNobodyWaitsForItAnyMore) {
  const int normal_nice = own_nice_value();
  std::atomic<CompilePriority> priority = CompilePriority::normal;
  CompileThreads threads(1);
  threads.start([&] { return priority.load(); },
                [&] {
                  EXPECT_EQ(own_nice_value(), normal_nice);
                  priority = CompilePriority::idle;
                  wait_until_own_nice_value_is(19);
                });
}

TEST(CompileThreads, ARunningTaskIsRaisedWhereTheProcessMayDoSo) {
  const int normal_nice = own_nice_value();
  std::atomic<CompilePriority> priority = CompilePriority::idle;
  CompileThreads threads(1);
  if (!threads.can_raise()) GTEST_SKIP() << "this user may not raise the priority of a thread";
  threads.start([&] { return priority.load(); },
                [&] {
                  EXPECT_EQ(own_nice_value(), 19);
                  priority = CompilePriority::normal;
                  wait_until_own_nice_value_is(normal_nice);
                });
}

TEST(CompileThreads, WithoutRightsItKnowsThatItCannotRaise) {
  test_support::without_rights([] { EXPECT_FALSE(CompileThreads(1).can_raise()); });
}

TEST(CompileThreads, OneThatIsOfALowPriorityStartsTasksOfAHighOne) {
  const int normal_nice = own_nice_value();
  CompileThreads threads(1);
  std::thread([&] {
    make_this_thread_idle();
    threads.start(normal, [normal_nice] { EXPECT_EQ(own_nice_value(), normal_nice); });
  }).join();
}

TEST(CompileThreads, TheTimeOfACoreIsThatOfARunningTask) {
  CompileThreads threads(1);
  std::promise<void> has_begun, goes_on;
  const CompileThreads::TaskId runs = threads.start(normal, [&] {
    has_begun.set_value();
    goes_on.get_future().wait();
  });
  const CompileThreads::TaskId waits = threads.start(normal, [] {});
  has_begun.get_future().wait();
  EXPECT_GT(threads.cpu_time(runs).value(), std::chrono::nanoseconds(0));
  EXPECT_EQ(threads.cpu_time(waits), std::nullopt);
  goes_on.set_value();
  while (!threads.is_idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(threads.cpu_time(runs), std::nullopt);
}

TEST(CompileThreads, WhereTheSystemHasNoThreadLeftEveryTaskRunsAllTheSame) {
  int ran = 0;
  std::atomic<bool> fails = true;
  CompileThreads threads(2, [&fails](CompileThreads::Task task) {
    if (fails) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(task));
  });
  std::promise<void> three_ran;
  for (int i = 0; i < 3; ++i) {
    threads.start(normal, [&] {
      if (++ran == 3) three_ran.set_value();
    });
  }
  three_ran.get_future().wait();
  fails = false;
  std::promise<std::thread::id> other;
  threads.start(normal, [&] { other.set_value(std::this_thread::get_id()); });
  EXPECT_NE(other.get_future().get(), std::this_thread::get_id());
}

}  // namespace
}  // namespace tilescope
