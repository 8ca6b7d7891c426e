// The real worker, killed and stopped in the middle of a sweep: the point in flight reports it, the sweep continues
// with a new worker, and the session file is valid.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

class WorkerFaults : public testing::Test {
 protected:
  void start(std::chrono::milliseconds time_limit) {
    // An empty cache, so that every point is compiled and can be interrupted. The downloads stay.
    const std::filesystem::path dependencies = find_installation().dependencies;
    std::filesystem::create_directories(scratch / "cache/tilescope");
    std::filesystem::create_directory_symlink(dependencies, scratch / "cache/tilescope/dependencies");
    setenv("XDG_CACHE_HOME", (scratch / "cache").c_str(), 1);
    setenv("XDG_DATA_HOME", (scratch / "data").c_str(), 1);
    const Installation place = find_installation();
    Client::Options worker;
    worker.command = {REAL_WORKER, "worker"};
    explorer = std::make_unique<Explorer>(place, worker, std::function<void()>(), time_limit);
    ASSERT_TRUE(wait_for([&] { return explorer->jobs().current_point() != nullptr; }));
    ASSERT_EQ(explorer->jobs().current_point()->status, Status::ok)
        << explorer->jobs().current_point()->reason;
    ASSERT_TRUE(explorer->points().save_session(file));
  }

  void TearDown() override {
    explorer.reset();
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_DATA_HOME");
  }

  template <class Condition>
  bool wait_for(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + 240s;
    while (std::chrono::steady_clock::now() < limit) {
      explorer->update();
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  /// A worker that measures a point of the sweep, another one than `former`; 0 for none.
  int measuring_worker(int former) const {
    const bool measures = explorer->jobs().sweep() && explorer->activity().starts_with("sweep: ");
    const int pid = explorer->jobs().worker_pid();
    return measures && pid != former ? pid : 0;
  }

  /// Sends `signal` to the worker while it measures a point of a sweep, and to the next ones up to a number of strikes,
  /// and lets the sweep end.
  void strike_in_a_sweep(int signal, int strikes = 1) {
    explorer->jobs().start_sweep({{"BLOCK_M", {}}, {"VEC_WIDTH", {}}});
    ASSERT_TRUE(wait_for([&] { return explorer->jobs().sweep() != nullptr; }));
    const std::size_t total = explorer->jobs().sweep()->total();
    ASSERT_TRUE(wait_for([&] { return explorer->jobs().sweep()->done() >= 4; }));
    int struck = 0;
    for (int strike = 0; strike < strikes; ++strike) {
      ASSERT_TRUE(wait_for([&] { return measuring_worker(struck) != 0; }));
      struck = measuring_worker(struck);
      ASSERT_EQ(kill(struck, signal), 0);
    }
    ASSERT_TRUE(wait_for([&] { return explorer->jobs().sweep() == nullptr; }));
    EXPECT_NE(explorer->jobs().worker_pid(), struck);
    EXPECT_EQ(explorer->points().list().size(), total);
  }

  /// Exactly one point has the status, with a reason, all others are ok; the same points are kept on the disk.
  void expect_one(Status status) const {
    const auto& points = explorer->points().list();
    const auto count = [&](Status wanted) {
      return std::count_if(points.begin(), points.end(), [&](const auto& p) { return p->status == wanted; });
    };
    EXPECT_EQ(count(status), 1);
    EXPECT_EQ(count(Status::ok), static_cast<std::ptrdiff_t>(points.size()) - 1);
    for (const auto& point : points) EXPECT_EQ(point->status == Status::ok, point->reason.empty());
    explorer->points().document().flush();
    const Session session = load_session(explorer->points().document().autosave_file());
    ASSERT_EQ(session.points.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(*session.points[i], *points[i]);
    EXPECT_FALSE(session.sources.empty());
  }

  ScratchFolder scratch;
  std::filesystem::path file = scratch / "swept.json";
  std::unique_ptr<Explorer> explorer;
};

TEST_F(WorkerFaults, APointIsMeasuredAgainWhereTheCompilerMayHaveKilledItsWorker) {
  ASSERT_NO_FATAL_FAILURE(start(120s));
  ASSERT_NO_FATAL_FAILURE(strike_in_a_sweep(SIGKILL));
  for (const SharedMeasurement& point : explorer->points().list())
    EXPECT_EQ(point->status, Status::ok) << point->reason;
}

TEST_F(WorkerFaults, AWorkerThatIsKilledAgainCostsThePointInFlight) {
  ASSERT_NO_FATAL_FAILURE(start(120s));
  ASSERT_NO_FATAL_FAILURE(strike_in_a_sweep(SIGKILL, 2));
  expect_one(Status::worker_lost);
}

TEST_F(WorkerFaults, AHangingWorkerIsEndedAtItsTimeLimit) {
  ASSERT_NO_FATAL_FAILURE(start(10s));
  ASSERT_NO_FATAL_FAILURE(strike_in_a_sweep(SIGSTOP));
  expect_one(Status::timed_out);
}

TEST_F(WorkerFaults, TheLostPointIsMeasuredWhenItIsReturnedTo) {
  ASSERT_NO_FATAL_FAILURE(start(120s));
  ASSERT_NO_FATAL_FAILURE(strike_in_a_sweep(SIGKILL, 2));
  const auto lost = std::find_if(explorer->points().list().begin(), explorer->points().list().end(),
                                 [](const auto& point) { return point->status == Status::worker_lost; });
  ASSERT_NE(lost, explorer->points().list().end());
  explorer->selection().select_point(**lost);
  ASSERT_TRUE(wait_for([&] { return !explorer->jobs().measuring(); }));
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::ok);
}

}  // namespace
}  // namespace tilescope
