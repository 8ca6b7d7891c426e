// Fitting the model of latency to points that were made up with known parameters.
#include "profiler/service/requests/fit.hpp"

#include <stdexcept>

#include "base/json.hpp"
#include "profiler/explanation/model/latency_model.hpp"
#include "profiler/measure/interpret/executed_launch.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

/// Twenty-four launches of the L4, with the latencies that a device of other parameters would have. They are executed
/// once, and compiled kernels are kept from test to test.
class FitTest : public test_support::ServiceTest {
 protected:
  static void SetUpTestSuite() {
    cache_ = std::filesystem::temp_directory_path() / ("tilescope_fit_cache_" + std::to_string(::getpid()));
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(cache_); }

  FitTest() {
    installation.cache = cache_;
    static const Fit::Params made_up = make_up(installation, control);
    params = made_up;
  }

  Fit::Answer fit() const {
    return test_support::ask<Fit>(make_measure_service(installation), params, control);
  }

  Fit::Params params;

 private:
  static Fit::Params make_up(const Installation& installation, const MeasureControl& control) {
    Workbench bench(installation);
    Fit::Params params;
    params.device = *match_device(bench.tables(), "L4");
    params.device.fitted.clear();
    params.source = "made_up.json, 2026-11-23";
    model::ModelParameters truth = model::model_parameters(params.device);
    truth.launch_us = 6;
    for (const std::int64_t length : {32, 64, 128}) {
      for (const std::int64_t warps : {1, 2, 4, 8}) {
        for (const std::int64_t width : {4, 8}) {
          Experiment experiment;
          experiment.kernel = "naive";
          experiment.device = "L4";
          experiment.shape = {1, 1, 1, length, length, 64, DataType::fp16, false};
          experiment.parameters = {{"NUM_WARPS", warps}, {"VEC_WIDTH", width}};
          const ExecutedPoint executed = execute_launch(bench, experiment, control);
          if (!executed.launch) throw std::runtime_error(executed.point.reason);
          const model::LaunchTime time =
              model::launch_time(executed.launch->kernel, executed.launch->plan, truth);
          params.experiments.push_back(experiment);
          params.recorded.push_back({time.us, executed.point.resources->sass_sha256});
        }
      }
    }
    return params;
  }

  static inline std::filesystem::path cache_;
};

TEST_F(FitTest, FindsTheParameterThatIsOtherThanAssumed) {
  const Fit::Answer answer = fit();
  ASSERT_EQ(answer.status, Status::ok) << answer.reason;
  EXPECT_EQ(answer.points, 24);
  EXPECT_TRUE(answer.skipped.empty());
  EXPECT_GT(answer.error_before, 0.2);
  EXPECT_LT(answer.error_after, 0.25 * answer.error_before);
  const MeasuredFigure& launch = answer.device.fitted.at("launch_us");
  EXPECT_GT(launch.value, 2) << "1 is assumed";
  EXPECT_EQ(launch.unit, "us");
  EXPECT_EQ(launch.source, "fitted: made_up.json, 2026-11-23");
  EXPECT_EQ(answer.device.name, "L4");
  EXPECT_EQ(answer.device.sources, params.device.sources);
}

TEST_F(FitTest, OtherCodeAndPointsThatCannotBeExecutedAreSkippedWithTheirReason) {
  params.recorded[3].sass_sha256 = std::string(64, 'a');
  params.recorded[4].sass_sha256 = std::string(64, 'a');
  params.experiments[7].parameters["NUM_WARPS"] = std::int64_t{3};
  const Fit::Answer answer = fit();
  ASSERT_EQ(answer.status, Status::ok) << answer.reason;
  EXPECT_EQ(answer.points, 21);
  ASSERT_EQ(answer.skipped.size(), 2u);
  EXPECT_EQ(answer.skipped[0],
            (Fit::Skipped{"the machine code compiled now differs from the recorded one", 2}));
  EXPECT_EQ(answer.skipped[1].points, 1);
  EXPECT_TRUE(answer.skipped[1].reason.starts_with("invalid_configuration: ")) << answer.skipped[1].reason;
}

TEST_F(FitTest, TooFewPointsAreNotFittedTo) {
  for (std::size_t i = 0; i < 5; ++i) params.recorded[i].sass_sha256 = std::string(64, 'a');
  const Fit::Answer answer = fit();
  EXPECT_EQ(answer.status, Status::unsupported);
  EXPECT_EQ(
      answer.reason,
      "19 of 24 points can be fitted to, and a fit needs 20. 5 x: the machine code compiled now differs "
      "from the recorded one");
  EXPECT_TRUE(answer.device.fitted.empty());
}

TEST_F(FitTest, ACancelEndsItWithoutFigures) {
  int asked = 0;
  control.cancelled = [&asked] { return ++asked > 3; };
  const Fit::Answer answer = fit();
  EXPECT_EQ(answer.status, Status::cancelled);
  EXPECT_TRUE(answer.device.fitted.empty());
}

TEST_F(FitTest, ASourceThatManyExperimentsCarryIsWrittenOnce) {
  const SourceFile source{"naive.cu", "text of the kernel", {{"header.cuh", "text"}}};
  for (Experiment& experiment : params.experiments) experiment.source = source;
  params.experiments[2].source.reset();
  const Json document = params;
  EXPECT_EQ(document.at("sources").size(), 1u);
  Fit::Params read;
  from_json(document, read);
  EXPECT_EQ(read.experiments, params.experiments);
  EXPECT_EQ(read.recorded, params.recorded);
  EXPECT_EQ(to_json_document(read.device), to_json_document(params.device));
}

TEST_F(FitTest, ALatencyIsNeededForEachExperiment) {
  params.recorded.pop_back();
  EXPECT_THROW(fit(), BadParams);
}

}  // namespace
}  // namespace tilescope
