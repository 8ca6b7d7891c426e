#include <gtest/gtest.h>

#include "base/json_reader.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/compare.hpp"
#include "sessions/compare/comparison.hpp"

namespace tilescope {
namespace {

class Compared : public test_support::ServiceTest {
 protected:
  Compared() { experiment.shape = {1, 1, 1, 64, 64, 32, DataType::fp16, false}; }

  Compare::Answer answer(const Experiment& a, const Experiment& b) {
    return test_support::ask<Compare>(make_measure_service(installation), {{a, b}}, control);
  }
  Experiment in_rows() const {
    Experiment rows = experiment;
    rows.parameters = {{"SMEM_LAYOUT", std::string("row_major")}};
    return rows;
  }
};

TEST_F(Compared, WithoutAGpuAreTwoPredictedPoints) {
  const Compare::Answer both = answer(in_rows(), experiment);
  ASSERT_EQ(both.status, Status::ok) << both.reason;
  EXPECT_FALSE(both.series);
  EXPECT_EQ(both.a.parameters.at("SMEM_LAYOUT"), ParameterValue(std::string("row_major")));
  ASSERT_TRUE(both.a.prediction && both.b.prediction);
  const Comparison comparison = compare(both.a, both.b, both.series);
  EXPECT_EQ(comparison.basis, Basis::predicted);
  EXPECT_GT(comparison.ratio->value, 1) << "rows have conflicts";
  EXPECT_NEAR(comparison.difference->residual_us, 0, 1e-9);
}

TEST_F(Compared, APointIsThatOfMeasure) {
  const Measurement alone = measure();
  Measurement beside = answer(in_rows(), experiment).b;
  ASSERT_TRUE(beside.prediction);
  EXPECT_FALSE(beside.prediction->without.empty()) << "a comparison is explained";
  beside.prediction->without.clear();
  beside.prediction->lines.clear();
  EXPECT_EQ(beside.prediction, alone.prediction);
  EXPECT_EQ(beside.memory, alone.memory);
}

TEST_F(Compared, OneThatFailsLeavesTheOtherAsItIs) {
  Experiment invalid = experiment;
  invalid.parameters = {{"BLOCK_M", std::int64_t{7}}};
  const Compare::Answer both = answer(invalid, experiment);
  EXPECT_EQ(both.status, Status::ok);
  EXPECT_EQ(both.a.status, Status::invalid_configuration);
  EXPECT_EQ(both.b.status, Status::ok) << both.b.reason;
  EXPECT_EQ(compare(both.a, both.b).verdict, Verdict::undecided);
}

TEST_F(Compared, OneExperimentIsNoPair) {
  EXPECT_THROW(
      (void)Json({{"budget_s", 0.5}, {"experiments", Json::array({experiment})}}).get<Compare::Params>(),
      DocumentError);
}

}  // namespace
}  // namespace tilescope
