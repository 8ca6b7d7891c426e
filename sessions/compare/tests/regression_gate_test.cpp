#include "sessions/compare/regression_gate.hpp"

#include <gtest/gtest.h>

#include "sessions/compare/tests/compared_points.hpp"

namespace tilescope {
namespace {

using test_support::make_predicted_side;
using test_support::make_timed_side;

Session session_of(const std::vector<Measurement>& points) {
  Session session;
  for (const Measurement& point : points)
    session.points.push_back(std::make_shared<const Measurement>(point));
  return session;
}

GateOutcome outcome_of(const Measurement& baseline, const Measurement& current) {
  const GateReport report = gate(session_of({baseline}), session_of({current}), 0.02);
  return report.points.at(0).outcome;
}

TEST(Gate, FindsWhatBecameSlower) {
  EXPECT_EQ(outcome_of(make_timed_side("row", 100), make_timed_side("row", 103)), GateOutcome::regressed);
  EXPECT_EQ(outcome_of(make_timed_side("row", 100), make_timed_side("row", 97)), GateOutcome::improved);
  EXPECT_EQ(outcome_of(make_timed_side("row", 100), make_timed_side("row", 100.1)), GateOutcome::unchanged);
  EXPECT_EQ(outcome_of(make_timed_side("row", 100), make_timed_side("row", 101.5)), GateOutcome::unchanged)
      << "slower beyond noise, but within what is allowed";
}

TEST(Gate, APointThatIsWrongNowIsBroken) {
  Measurement wrong = make_timed_side("row", 50);
  wrong.status = Status::wrong_result;
  wrong.reason = "an error of 0.28";
  EXPECT_EQ(outcome_of(make_timed_side("row", 100), wrong), GateOutcome::broken);
  wrong.status = Status::worker_lost;
  EXPECT_EQ(outcome_of(make_timed_side("row", 100), wrong), GateOutcome::cannot_decide) << "of the machine";
}

TEST(Gate, TestsItselfFirst) {
  EXPECT_EQ(why_self_test_fails(make_timed_side("row", 100, 0.03)), "");
  const std::string noisy = why_self_test_fails(make_timed_side("row", 100, 0.2));
  EXPECT_NE(noisy.find("slowed down by 5 %, would read"), std::string::npos) << noisy;
  EXPECT_EQ(outcome_of(make_timed_side("row", 100, 0.2), make_timed_side("row", 300, 0.2)),
            GateOutcome::cannot_decide);
  Measurement without_samples = make_timed_side("row", 100);
  without_samples.latency->l2_warm.reset();
  EXPECT_NE(why_self_test_fails(without_samples), "");
}

TEST(Gate, DecidesNothingOfPredictions) {
  EXPECT_EQ(outcome_of(make_predicted_side("row", 100, 0), make_predicted_side("row", 200, 0)),
            GateOutcome::cannot_decide);
}

TEST(Gate, ListsWhatOnlyOneSessionHas) {
  const GateReport report = gate(session_of({make_timed_side("row", 100), make_timed_side("padded", 90)}),
                                 session_of({make_timed_side("row", 100), make_timed_side("xor", 80)}), 0.02);
  EXPECT_EQ(report.points.size(), 1u);
  ASSERT_EQ(report.only_in_baseline.size(), 1u);
  EXPECT_NE(report.only_in_baseline[0].find("padded"), std::string::npos);
  EXPECT_NE(report.only_in_current.at(0).find("xor"), std::string::npos);
}

TEST(Gate, TheNewestTimedPointStandsForAnExperiment) {
  const Matches matches = match_points(
      session_of({make_timed_side("row", 100)}),
      session_of({make_timed_side("row", 90), make_timed_side("row", 95), make_predicted_side("row", 1, 1)}));
  EXPECT_DOUBLE_EQ(matches.pairs.at(0).b->latency->p50_us, 95);
}

}  // namespace
}  // namespace tilescope
