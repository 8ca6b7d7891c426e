// Predictions of files equal the predictions of points.
#include "profiler/measure/files/launch_prediction.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/interpret/problem_launch.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/workbench.hpp"

namespace tilescope {
namespace {

class LaunchPredictionTest : public ::testing::Test {
 protected:
  LaunchPredictionTest() {
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    installation_ = find_installation();
    std::string pattern = (std::filesystem::temp_directory_path() / "tilescope-launch-XXXXXX").string();
    installation_.cache = mkdtemp(pattern.data());
  }
  ~LaunchPredictionTest() override { std::filesystem::remove_all(installation_.cache); }

  // The prediction of the point, and of its launch read from a file.
  struct Both {
    Measurement point;
    Prediction of_file;
  };
  Both predict(const Experiment& experiment) {
    const MeasureControl control{[](const RequestProgress&) {}, [] { return false; }};
    Workbench bench(installation_);
    Both both;
    Preparation made = prepare(bench, experiment, Purpose::interpret, control);
    both.point = std::move(made.point);
    if (!made.kernel) return both;
    const Prepared& kernel = *made.kernel;
    Counted counted = count(bench, kernel, {}, control);
    const std::optional<model::ExecutedLaunch> executed = std::move(counted.launch);
    add_counted(std::move(counted), both.point);
    add_prediction(kernel, executed, false, both.point);
    const auto program = bench.programs().machine_code(kernel.compiled, kernel.kernel.entry);
    const auto problem = kernel.inputs(bench.references());
    ProblemLaunch launch(program, kernel, *problem);
    LaunchPrediction prediction(*program, *kernel.resources, launch.launch(), launch.memory(), kernel.device);
    EXPECT_EQ(prediction.why_none(), "");
    TraceOptions options;
    options.by_instruction = true;
    options.further_observer = [&] { return prediction.make_observer(); };
    const Traced traced = launch.run(options);
    both.of_file = prediction.predict(traced.by_instruction, {}).prediction;
    return both;
  }

  Installation installation_;
};

TEST_F(LaunchPredictionTest, IsThatOfThePoint) {
  Experiment experiment;
  experiment.shape = {1, 2, 2, 128, 128, 64, DataType::fp16, false};
  experiment.device = "H200";
  for (const char* kernel : {"naive", "flash_scalar", "mma_flash"}) {
    experiment.kernel = kernel;
    const Both both = predict(experiment);
    ASSERT_TRUE(both.point.prediction) << kernel << ": " << both.point.reason;
    const Prediction& of_point = *both.point.prediction;
    ASSERT_EQ(both.point.memory->blocks_run, both.point.memory->blocks_total) << "a sample would differ";
    EXPECT_DOUBLE_EQ(both.of_file.p50_us, of_point.p50_us) << kernel;
    EXPECT_GT(both.of_file.high_us, of_point.high_us) << kernel << ": a file's kernel may be any";
    EXPECT_EQ(both.of_file.parts, of_point.parts) << kernel;
    EXPECT_EQ(both.of_file.table_sha256, of_point.table_sha256) << kernel;
    ASSERT_TRUE(both.of_file.roofline_us && of_point.roofline_us);
    EXPECT_LE(*both.of_file.roofline_us, *of_point.roofline_us) << kernel << ": its products are not known";
  }
}

}  // namespace
}  // namespace tilescope
