#include "profiler/explanation/diagnose/parameter_change.hpp"

#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope {
namespace {

using test_support::conflicting_point;
using test_support::sample_kernel;

std::vector<std::string> words_of(const std::vector<ParameterChange>& changes) {
  std::vector<std::string> words;
  words.reserve(changes.size());
  for (const ParameterChange& change : changes) words.push_back(to_string(change));
  return words;
}

const std::vector<ChangeKind> every_kind = {ChangeKind::layout, ChangeKind::choice, ChangeKind::step};

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

TEST(ParameterChanges, LayoutsComeFirstAndNumbersGoOneStep) {
  const auto changes = find_changes(conflicting_point(), sample_kernel(), nullptr, every_kind, 100);
  EXPECT_EQ(words_of(changes), (std::vector<std::string>{"K_PAD=4", "K_PAD=8", "ASYNC=1", "ORDER=columns",
                                                         "TILE=8", "TILE=32"}));
  EXPECT_EQ(find_changes(conflicting_point(), sample_kernel(), nullptr, every_kind, 3).size(), 3U);
}

TEST(ParameterChanges, InvalidOnesAreLeftOutAndDoNotCount) {
  const DeviceModel device = test_support::sample_device();
  const auto changes = find_changes(conflicting_point(), sample_kernel(), &device, every_kind, 3);
  EXPECT_EQ(words_of(changes), (std::vector<std::string>{"K_PAD=8", "ASYNC=1", "ORDER=columns"}));
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
