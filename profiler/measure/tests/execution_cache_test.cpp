#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

class Executions : public test_support::ServiceTest {
 protected:
  Executions() {
    installation.executable = std::filesystem::read_symlink("/proc/self/exe");
    experiment.device = "L4";
    control.report = [this](const RequestProgress& progress) {
      if (progress.stage == "interpret") was_executed = true;
    };
  }

  /// By a worker of its own, without what differs from run to run.
  Measurement ask() {
    was_executed = false;
    Measurement point = measure();
    point.provenance.time_utc = "";
    point.provenance.compile_ms = 0;
    point.provenance.binary_from_cache = false;
    return point;
  }
  std::filesystem::path folder() const { return installation.cache / "executions"; }
  bool are_kept() const { return std::filesystem::exists(folder()) && !std::filesystem::is_empty(folder()); }

  bool was_executed = false;
};

TEST_F(Executions, AreTakenForTheSamePointAlone) {
  const Measurement first = ask();
  ASSERT_EQ(first.status, Status::ok) << first.reason;
  EXPECT_TRUE(first.prediction && was_executed);
  EXPECT_EQ(ask(), first);
  EXPECT_FALSE(was_executed);
  const Experiment same = experiment;
  experiment.seed = 2;
  EXPECT_NE(ask().error, first.error);
  EXPECT_TRUE(was_executed);
  experiment = same;
  experiment.blocks = {BlockChoice::Kind::all, 0};
  EXPECT_EQ(ask().memory->blocks_run, ask().memory->blocks_total);
  experiment = same;
  experiment.shape.Sk = 256;
  ask();
  EXPECT_TRUE(was_executed);
  experiment = same;
  experiment.device = "RTX 4090";
  ask();
  EXPECT_TRUE(was_executed) << "the same code for another device";
}

TEST_F(Executions, OfAnotherProgramAreNotTaken) {
  ask();
  std::ofstream(scratch / "program") << "another build";
  installation.executable = scratch / "program";
  ask();
  EXPECT_TRUE(was_executed);
}

TEST_F(Executions, OfAnIncorrectKernelAreNotKept) {
  experiment.kernel =
      edited_copy("  extern __shared__", "  if (blockIdx.x == 0) return;\n  extern __shared__").string();
  const Measurement point = ask();
  EXPECT_EQ(point.status, Status::wrong_result) << point.reason;
  EXPECT_FALSE(are_kept());
}

TEST_F(Executions, ThatAreDamagedAreDoneAgain) {
  const Measurement first = ask();
  ASSERT_TRUE(are_kept());
  for (const auto& file : std::filesystem::directory_iterator(folder()))
    std::ofstream(file.path(), std::ios::trunc) << "{}";
  EXPECT_EQ(ask(), first);
  EXPECT_TRUE(was_executed);
}

}  // namespace
}  // namespace tilescope
