#include "profiler/explanation/diagnose/parameter_change.hpp"

#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope {
namespace {

using test_support::conflicting_point;
using test_support::sample_kernel;

class ChangesOfSample : public testing::Test {
 protected:
  std::vector<std::string> changes(const std::string& parameter) const {
    std::vector<std::string> words;
    for (const ParameterChange& change :
         changes_of({point, kernel, &device}, *kernel.find_parameter(parameter)))
      words.push_back(to_string(change));
    return words;
  }
  std::string beyond(const ParameterChange& change) const {
    const auto further = step_beyond({point, kernel, &device}, change);
    return further ? to_string(*further) : "";
  }

  Measurement point = conflicting_point();
  KernelDeclaration kernel = sample_kernel();
  DeviceModel device = test_support::sample_device();
};

using Words = std::vector<std::string>;

TEST(ParameterChanges, KindsAreReadFromNames) {
  const auto kind = [](const char* name, std::vector<ParameterValue> values) {
    return kind_of({name, values, values.front(), ""});
  };
  const ParameterValue zero = std::int64_t{0}, one = std::int64_t{1}, two = std::int64_t{2};
  EXPECT_EQ(kind("SMEM_LAYOUT", {std::string("a"), std::string("b")}), ChangeKind::layout);
  EXPECT_EQ(kind("K_TILE", {std::string("row_major"), std::string("padded")}), ChangeKind::layout);
  EXPECT_EQ(kind("swizzle", {zero, one}), ChangeKind::layout);
  EXPECT_EQ(kind("ASYNC", {zero, one}), ChangeKind::choice);
  EXPECT_EQ(kind("REDUCE", {std::string("shuffle"), std::string("shared")}), ChangeKind::choice);
  EXPECT_EQ(kind("STAGES", {one, two}), ChangeKind::step);
}

TEST_F(ChangesOfSample, AreOneStepOfANumberAndEveryOtherValueOfAChoice) {
  EXPECT_EQ(changes("TILE"), (Words{"TILE=32", "TILE=8"}));
  EXPECT_EQ(changes("ASYNC"), Words{"ASYNC=1"});
  EXPECT_EQ(changes("ORDER"), Words{"ORDER=columns"});
  EXPECT_EQ(changes("K_PAD"), Words{"K_PAD=8"}) << "a constraint refuses 4";
  EXPECT_EQ(changes_of({point, kernel}, kernel.parameters[3]).size(), 2U) << "without a device all are valid";
  point.parameters["TILE"] = std::int64_t{64};
  EXPECT_EQ(changes("TILE"), Words{"TILE=32"}) << "the end of the values";
}

TEST_F(ChangesOfSample, AStepSkipsInvalidValues) {
  kernel.constraints.push_back({"TILE != 32 && TILE != 8", "no tiles of 8 or 32"});
  EXPECT_EQ(changes("TILE"), Words{"TILE=64"});
}

TEST_F(ChangesOfSample, TheStepBeyondGoesOnInItsDirection) {
  EXPECT_EQ(beyond({"TILE", std::int64_t{32}}), "TILE=64");
  EXPECT_EQ(beyond({"TILE", std::int64_t{64}}), "");
  EXPECT_EQ(beyond({"TILE", std::int64_t{8}}), "");
  EXPECT_EQ(beyond({"K_PAD", std::int64_t{4}}), "") << "every value of a layout is a step away";
}

TEST(ParameterChanges, TheExperimentHasOneParameterChanged) {
  const Measurement point = conflicting_point();
  Experiment experiment = with_change(point, {"TILE", std::int64_t{32}});
  EXPECT_EQ(experiment.parameters.at("TILE"), ParameterValue(std::int64_t{32}));
  experiment.parameters["TILE"] = std::int64_t{16};
  EXPECT_EQ(experiment, experiment_of(point));
}

}  // namespace
}  // namespace tilescope
