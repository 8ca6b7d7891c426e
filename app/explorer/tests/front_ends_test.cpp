// The window and the command line measure through one client: the same experiments give the same points.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <thread>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/explorer_driver.hpp"
#include "base/json.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

/// All of a point that does not depend on when it was made: time and cache, and how long the compiler took.
Json comparable(const Measurement& point) {
  Json json = point;
  static const std::regex compile_time("Compile time = [0-9.]+ ms");
  json["compiler_log"] = std::regex_replace(point.compiler_log, compile_time, "");
  for (const char* key : {"time_utc", "compile_ms", "binary_from_cache"}) json["provenance"].erase(key);
  return json;
}

std::map<std::string, Json> by_identity(const std::vector<SharedMeasurement>& points) {
  std::map<std::string, Json> all;
  for (const SharedMeasurement& point : points) all[identity(experiment_of(*point))] = comparable(*point);
  return all;
}

// Valid and invalid configurations, one kernel that is wrong on purpose among them.
TEST(FrontEnds, GiveTheSamePointsForTheSameSweep) {
  for (const std::string kernel : {"flash_scalar", "missing_barrier"}) {
    const ScratchFolder scratch;
    const auto explorer = start_explorer(scratch, {REAL_WORKER, "worker"});
    ASSERT_TRUE(settle(*explorer));
    Experiment experiment = explorer->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters.clear();
    experiment.device = "L4";
    experiment.shape.Sq = experiment.shape.Sk = 77;
    explorer->points().new_session();
    explorer->selection().set_experiment(experiment);
    const ParameterDeclaration& swept = explorer->selection().kernel().parameters.at(0);
    ASSERT_TRUE(settle(*explorer));
    explorer->jobs().start_sweep({{swept.name, {}}});
    ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().sweep() != nullptr; }));
    ASSERT_TRUE(settle(*explorer));

    const auto file = scratch / "sweep.json";
    const std::string command =
        fmt::format("{} sweep {} --vary {} --device L4 --shape 1,8,77,64 --session {} > /dev/null 2>&1",
                    REAL_WORKER, kernel, swept.name, file.string());
    const int code = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(code) && WEXITSTATUS(code) <= 1) << command;
    const auto in_window = by_identity(explorer->points().list());
    const auto in_terminal = by_identity(load_session(file).points);
    EXPECT_GT(in_terminal.size(), 1U);
    for (const auto& [name, point] : in_terminal) {
      ASSERT_TRUE(in_window.contains(name)) << name;
      EXPECT_EQ(in_window.at(name), point) << name;
    }
    EXPECT_GE(in_window.size(), in_terminal.size());
    EXPECT_LE(in_window.size(), in_terminal.size() + 1)
        << "the one under the sliders may not be of the sweep";
  }
}

// The worker compiles the points of a sweep ahead, several at a time: what they are does not depend on that.
TEST(FrontEnds, ASweepGivesThePointsOfMeasuringOneByOne) {
  const ScratchFolder scratch;
  // Nothing is compiled yet; the compiler itself is where set-up put it.
  const std::filesystem::path cache = scratch / "cache/tilescope";
  const std::filesystem::path dependencies = find_installation().dependencies;
  std::filesystem::create_directories(cache);
  std::filesystem::create_directory_symlink(dependencies, cache / "dependencies");
  setenv("XDG_CACHE_HOME", (scratch / "cache").c_str(), 1);
  const auto explorer = start_explorer(scratch, {REAL_WORKER, "worker"});
  explorer->neighbours().enable(false);
  Experiment experiment = explorer->selection().experiment();
  experiment.device = "L4";
  experiment.shape.Sq = experiment.shape.Sk = 77;
  explorer->selection().set_experiment(experiment);
  ASSERT_TRUE(settle(*explorer));
  explorer->jobs().start_sweep({{"SMEM_LAYOUT", {}}, {"VEC_WIDTH", {}}});
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().sweep() != nullptr; }));
  ASSERT_TRUE(settle(*explorer));
  const auto swept = by_identity(explorer->points().list());
  EXPECT_EQ(swept.size(), 12U);

  std::filesystem::remove_all(cache / "binaries");
  explorer->points().new_session();
  for (const std::string layout : {"row_major", "padded", "xor_swizzle"}) {
    for (const std::int64_t width : {1, 2, 4, 8}) {
      experiment.parameters["SMEM_LAYOUT"] = layout;
      experiment.parameters["VEC_WIDTH"] = width;
      explorer->selection().set_experiment(experiment);
      ASSERT_TRUE(settle(*explorer));
    }
  }
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(by_identity(explorer->points().list()), swept);
}

}  // namespace
}  // namespace tilescope
