#include "sessions/compare/explanation.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/json.hpp"
#include "sessions/compare/comparison_json.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/compare/tests/compared_points.hpp"

namespace tilescope {
namespace {

using test_support::add_conflicts;
using test_support::make_predicted_side;
using test_support::make_side;
using test_support::make_timed_side;

Measurement with_parts(const std::string& layout, std::vector<PredictionPart> parts,
                       std::vector<Counterfactual> without = {}) {
  Measurement point = make_side(layout);
  Prediction prediction;
  for (const PredictionPart& part : parts) prediction.p50_us += part.microseconds;
  prediction.low_us = prediction.p50_us * 0.8;
  prediction.high_us = prediction.p50_us * 1.25;
  prediction.parts = std::move(parts);
  prediction.without = std::move(without);
  prediction.ratio_error = RatioError{0.1, 0.2};
  point.prediction = prediction;
  return point;
}

/// Timed at `p50_us`, with the prediction of another point.
Measurement timed(const Measurement& point, double p50_us) {
  Measurement made = make_timed_side(to_string(point.parameters.at("SMEM_LAYOUT")), p50_us);
  made.prediction = point.prediction;
  return made;
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Explanation, OfAnUndecidedDifferenceHasNeitherCausesNorShares) {
  Measurement a = make_predicted_side("row", 100, 300), b = make_predicted_side("padded", 395, 3);
  add_conflicts(a, 31'000'000, 31'000'000, 84);
  add_conflicts(b, 0, 0, 84);
  b.occupancy->warps_per_sm = 32;
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.verdict, Verdict::undecided) << "400 and 398 µs";
  EXPECT_EQ(explanation_of(comparison).why, "");
  EXPECT_EQ(explanation_of(comparison).against, "");
  EXPECT_FALSE(has(comparison_paragraph(comparison), "of the difference"));
  EXPECT_TRUE(part_rows(*comparison.difference).empty());
  const Json json = comparison_to_json(comparison);
  ASSERT_EQ(json.at("parts").size(), 2u);
  for (const Json& part : json.at("parts")) {
    EXPECT_TRUE(part.at("share").is_null());
    EXPECT_TRUE(part.at("text").is_null());
    EXPECT_TRUE(part.at("lines").empty());
  }
  EXPECT_DOUBLE_EQ(json.at("parts").at(1).at("microseconds"), -297) << "the figures stay";
}

// Its verdict is withheld, its time is not.
TEST(Explanation, OfAWrongResultThatTakesLessTimeNamesItAsTheShorterOne) {
  Measurement a = with_parts("row", {{"tensor", 100}, {"barriers", 10}});
  Measurement b = with_parts("padded", {{"tensor", 20}, {"barriers", 30}});
  b.findings.emplace_back().kind = "wrong_value";
  b.occupancy->warps_per_sm = 8;
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.verdict, Verdict::undecided);
  EXPECT_EQ(explanation_of(comparison).against,
            "Against B: barriers +20.00 µs. B holds 8 warps per SM instead of 16.");
}

TEST(Explanation, OfTheSameHasNone) {
  Measurement a = timed(make_predicted_side("row", 80, 30), 100),
              b = timed(make_predicted_side("padded", 80, 3), 100.1);
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.verdict, Verdict::same);
  EXPECT_EQ(explanation_text(explanation_of(comparison)), "");
  EXPECT_TRUE(part_rows(*comparison.difference).empty());
}

TEST(Explanation, OfAVerdictWithinTheIntervalHasNone) {
  PairedSeries series{{{99, 100, 101}, Spread{99, 100, 101}},
                      {{79, 80, 81}, Spread{79, 80, 81}},
                      {1.25, 0.9, 1.6},
                      0.004,
                      2,
                      {},
                      {}};
  const Comparison comparison = compare(timed(make_predicted_side("row", 80, 20), 100),
                                        timed(make_predicted_side("padded", 80, 0), 80), series);
  ASSERT_EQ(comparison.verdict, Verdict::faster);
  EXPECT_EQ(explanation_text(explanation_of(comparison)), "");
}

TEST(Explanation, WithoutPredictionsAndADecisionSaysNothing) {
  const Comparison near = compare(make_timed_side("row", 100), make_timed_side("padded", 101, 0.05));
  ASSERT_FALSE(is_decided(near));
  EXPECT_EQ(explanation_of(near).why, "");
  EXPECT_TRUE(has(explanation_of(compare(make_timed_side("row", 100), make_timed_side("padded", 50))).why,
                  "Neither has a prediction"));
}

TEST(Explanation, TheRatioAndItsIntervalHaveOneDirection) {
  const Comparison comparison =
      compare(with_parts("row", {{"tensor", 100}}), with_parts("padded", {{"tensor", 205}}));
  EXPECT_EQ(
      verdict_sentence(comparison),
      "SLOWER: A takes 100.00 µs, B 205.00 µs (predicted, not measured): B takes 2.05 times as long as A "
      "(1.85 to 2.27).");
  EXPECT_EQ(comparison.reason, "The interval of the predicted ratio does not contain 1.");
}

TEST(Explanation, NamesACauseWithWhatItsRemovalBringsBack) {
  Measurement a =
      with_parts("row", {{"issue slots", 80}, {"bank conflicts", 60}}, {{"bank_conflicts", {}, 105}});
  Measurement b = with_parts("padded", {{"issue slots", 80}, {"bank conflicts", 20}});
  add_conflicts(a, 31'000'000, 31'000'000, 84);
  add_conflicts(b, 0, 0, 84);
  EXPECT_EQ(
      explanation_of(compare(a, b)).why,
      "Bank conflicts: -40.00 µs, 100.0 % of the difference. B needs 31.0 M fewer shared-memory wavefronts "
      "in conflicts (0 instead of 31.0 M), all of them on line 84 (K). Without its bank conflicts A would "
      "take 105.00 µs instead of 140.00 µs.");
  const std::string swapped = explanation_of(compare(b, a)).why;
  EXPECT_TRUE(has(swapped, "Without its bank conflicts B would take 105.00 µs instead of 140.00 µs."))
      << swapped;
  const Json part = comparison_to_json(compare(a, b)).at("parts").at(1);
  EXPECT_EQ(part.at("counterfactual"),
            (Json{{"side", "a"}, {"cause", "bank_conflicts"}, {"p50_us", 105.0}, {"instead_of_us", 140.0}}));
}

TEST(Explanation, DoesNotNameAPartThatNoCounterfactualCarries) {
  // A tenth of the difference is 4 µs.
  const Measurement b = with_parts("padded", {{"issue slots", 80}, {"bank conflicts", 20}});
  const auto why = [&](double without_us) {
    return explanation_of(compare(with_parts("row", {{"issue slots", 80}, {"bank conflicts", 60}},
                                             {{"bank_conflicts", {}, without_us}}),
                                  b))
        .why;
  };
  EXPECT_EQ(why(136.5), "No part is confirmed as a cause by a prediction without it.");
  EXPECT_TRUE(has(why(135.5), "Without its bank conflicts A would take 135.50 µs instead of 140.00 µs."));
}

TEST(Explanation, ACauseOfBothSidesCarriesWhatItCostsMore) {
  Measurement a =
      with_parts("row", {{"tensor", 60}, {"L2 and DRAM", 80}}, {{"dram", {}, 90}, {"tensor", {}, 130}});
  Measurement b = with_parts("padded", {{"tensor", 60}, {"L2 and DRAM", 40}}, {{"dram", {}, 52}});
  EXPECT_FALSE(has(explanation_of(compare(a, b)).why, "DRAM bandwidth")) << "50 µs of A and 48 µs of B";
  b.prediction->without = {{"dram", {}, 95}};
  EXPECT_TRUE(has(explanation_of(compare(a, b)).why,
                  "With unlimited DRAM bandwidth A would take 90.00 µs instead of 140.00 µs."));
}

TEST(Explanation, OfTheCausesOfAPartNamesTheOneThatCarriesMost) {
  const Measurement a =
      with_parts("row", {{"L2 and DRAM", 140}},
                 {{"l2", {}, 130}, {"excess_sectors", {}, 101}, {"dram", {}, 139}, {"barriers", {}, 20}});
  const std::string why = explanation_of(compare(a, with_parts("padded", {{"L2 and DRAM", 100}}))).why;
  EXPECT_TRUE(has(why, "Without its excess sectors A would take 101.00 µs instead of 140.00 µs.")) << why;
  EXPECT_FALSE(has(why, "barriers")) << "they are no cause of that part";
}

TEST(Explanation, ACounterfactualOfALineDoesNotStandForTheLaunch) {
  const Measurement a = with_parts("row", {{"bank conflicts", 140}}, {{"bank_conflicts", {84}, 90}});
  EXPECT_FALSE(
      has(explanation_of(compare(a, with_parts("padded", {{"bank conflicts", 100}}))).why, "Without its"));
}

TEST(Explanation, APartWithoutAKnownCauseIsNotNamedBesideCounterfactuals) {
  std::vector<PredictionPart> parts{{"clock", 140}};
  const Measurement b = with_parts("padded", {{"clock", 100}});
  EXPECT_TRUE(has(explanation_of(compare(with_parts("row", parts), b)).why, "Clock: -40.00 µs"));
  EXPECT_FALSE(has(explanation_of(compare(with_parts("row", parts, {{"tail", {}, 139}}), b)).why, "Clock"));
}

TEST(Explanation, WarpsAreAReasonOnlyWhereMoreOfThemSaveTime) {
  Measurement a = with_parts("row", {{"tensor", 140}}, {{"tensor", {}, 60}, {"few_warps", {}, 139}});
  Measurement b = with_parts("padded", {{"tensor", 100}});
  b.occupancy->warps_per_sm = 32;
  EXPECT_FALSE(has(explanation_of(compare(a, b)).why, "warps"));
  a.prediction->without[1].p50_us = 120;
  EXPECT_TRUE(
      has(explanation_of(compare(a, b)).why,
          "B holds 32 warps per SM instead of 16. With twice the resident warps A would take 120.00 µs "
          "instead of 140.00 µs."));
}

TEST(Explanation, TheReasonsAgainstTheFasterSideStandApart) {
  Measurement a = with_parts("row", {{"issue slots", 50}, {"bank conflicts", 90}}),
              b = with_parts("padded", {{"issue slots", 70}, {"bank conflicts", 10}});
  b.occupancy->warps_per_sm = 8;
  const Explanation explanation = explanation_of(compare(a, b));
  EXPECT_EQ(explanation.why, "Bank conflicts: -80.00 µs, 133.3 % of the difference.");
  EXPECT_EQ(explanation.against, "Against B: issue slots +20.00 µs. B holds 8 warps per SM instead of 16.");
  EXPECT_EQ(explanation_of(compare(b, a)).against,
            "Against A: issue slots -20.00 µs. B holds 16 warps per SM instead of 8.");
  b.prediction->without = {{"issue_slots", {}, 62}};
  EXPECT_TRUE(
      has(explanation_of(compare(a, b)).against,
          "issue slots +20.00 µs. With unlimited issue slots B would take 62.00 µs instead of 80.00 µs."));
  b.prediction->without = {{"issue_slots", {}, 79}};
  EXPECT_EQ(explanation_of(compare(a, b)).against, "Against B: B holds 8 warps per SM instead of 16.");
}

TEST(Explanation, PartsThatCancelEachOtherAreNone) {
  // -17.5 and +14.3 of -10: 175 % and -143 %.
  Measurement a = with_parts("row", {{"issue slots", 27.5}, {"L2 and DRAM", 2.7}, {"tensor", 9.8}}),
              b = with_parts("padded", {{"issue slots", 10}, {"L2 and DRAM", 17}, {"tensor", 3}});
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(explanation_of(comparison).why,
            "The parts mostly cancel each other: none of them explains the difference.");
  EXPECT_EQ(explanation_of(comparison).against, "");
  EXPECT_EQ(part_rows(*comparison.difference).front().share, "-");
  a.prediction->without = {{"issue_slots", {}, 31}};
  EXPECT_EQ(explanation_of(compare(a, b)).why,
            "Issue slots: -17.50 µs. With unlimited issue slots A would take 31.00 µs instead of 40.00 µs.");
}

TEST(Explanation, SaysFirstThatTheModelDoesNotExplainAMeasuredDifference) {
  Measurement a = timed(with_parts("row", {{"tensor", 60}, {"bank conflicts", 50}}), 140),
              b = timed(with_parts("padded", {{"tensor", 60}, {"bank conflicts", 38}}), 100);
  b.occupancy->warps_per_sm = 32;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(
      explanation_of(comparison).why,
      "The model does not explain this difference: of -40.00 µs it predicts -12.00 µs, and -28.00 µs are the "
      "residual.");
  EXPECT_EQ(part_rows(*comparison.difference).front().share, "-");
  a.prediction->without = {{"bank_conflicts", {}, 80}};
  EXPECT_EQ(
      explanation_of(compare(a, b)).why,
      "The model does not explain this difference: of -40.00 µs it predicts -12.00 µs, and -28.00 µs are the "
      "residual. Bank conflicts: -12.00 µs. Without its bank conflicts A is predicted to take 80.00 µs "
      "instead "
      "of 110.00 µs.");
}

TEST(Explanation, AThirdIsTheMostThatAResidualMayBe) {
  const auto why = [](double b_us) {
    return explanation_of(compare(timed(with_parts("row", {{"tensor", 110}}), 140),
                                  timed(with_parts("padded", {{"tensor", 80}}), b_us)))
        .why;
  };
  EXPECT_TRUE(why(96).starts_with("Tensor: -30.00 µs, 68.2 % of the difference.")) << why(96);
  EXPECT_TRUE(
      has(why(96), "Residual, which the model does not explain: -14.00 µs, 31.8 % of the difference."));
  EXPECT_TRUE(why(94).starts_with("The model does not explain this difference")) << "16 of 46: " << why(94);
  EXPECT_TRUE(why(118).starts_with("The model does not explain this difference"))
      << "it predicts more: 8 of 22: " << why(118);
}

Measurement with_instructions(Measurement point, std::int64_t fma, std::int64_t tensor, std::int64_t shared) {
  MemoryCounts counts;
  counts.instructions = {{"fma", fma}, {"lsu", 1000}};
  if (tensor > 0) counts.instructions["tensor"] = tensor;
  counts.shared_instructions = shared;
  point.memory = counts;
  return point;
}

TEST(Explanation, OfKernelsOfTwoKindsSaysSoFirst) {
  const Measurement fma = with_instructions(with_parts("row", {{"FMA and ALU", 140}}), 549'000'000, 0, 10),
                    mma = with_instructions(with_parts("padded", {{"tensor", 40}}), 7'000'000, 4'920'000, 10);
  const std::string to_tensor = explanation_of(compare(fma, mma)).why;
  EXPECT_TRUE(to_tensor.starts_with(
      "B computes its products by mma.sync: 4.92 M tensor instructions instead of 549 M FMA."))
      << to_tensor;
  const std::string to_fma = explanation_of(compare(mma, fma)).why;
  EXPECT_TRUE(to_fma.starts_with(
      "B computes its products by FMA: 549 M FMA instead of 4.92 M tensor instructions (mma.sync)."))
      << to_fma;
  const std::string unexplained = explanation_of(compare(timed(fma, 300), timed(mma, 100))).why;
  EXPECT_TRUE(unexplained.starts_with("The model does not explain"))
      << "their counts are not known: " << unexplained;
}

TEST(Explanation, OfAKernelWithoutSharedMemorySaysSo) {
  const Measurement direct = with_instructions(with_parts("row", {{"L2 and DRAM", 140}}), 100, 0, 0),
                    staged =
                        with_instructions(with_parts("padded", {{"L2 and DRAM", 40}}), 100, 0, 5'000'000);
  EXPECT_TRUE(explanation_of(compare(direct, staged))
                  .why.starts_with(
                      "B stages data in shared memory, A does not: 5.00 M instructions on shared memory."));
  EXPECT_TRUE(
      explanation_of(compare(staged, direct)).why.starts_with("A stages data in shared memory, B does not"));
}

TEST(Explanation, ALongerTailNamesTheLongestBlock) {
  Measurement a = with_parts("row", {{"tensor", 60}, {"tail", 80}}),
              b = with_parts("padded", {{"tensor", 60}});
  const auto why = [&] { return explanation_of(compare(a, b)).why; };
  const std::string unnamed =
      "Tail: -80.00 µs, 100.0 % of the difference. Both grids are 1.50 waves of blocks, and B's "
      "blocks end sooner.";
  EXPECT_EQ(why(), unnamed);
  a.prediction->longest_block = LongestBlock{63, 3.2};
  EXPECT_EQ(why(), unnamed + " A's longest block, 63, has 3.20 times the instructions of the mean block.");
  b.prediction->longest_block = LongestBlock{5, 9};
  EXPECT_FALSE(has(why(), "B's longest block")) << "its tail is the shorter one";
  EXPECT_TRUE(has(explanation_of(compare(b, a)).why, "B's longest block, 63, has 3.20 times"));
  a.prediction->longest_block->over_mean = 1.05;
  EXPECT_EQ(why(), unnamed) << "its blocks are nearly equal";
}

TEST(Explanation, OfOneKindHasNoSuchSentence) {
  const Measurement a = with_instructions(with_parts("row", {{"tensor", 140}}), 100, 900, 10),
                    b = with_instructions(with_parts("padded", {{"tensor", 40}}), 100, 100, 10);
  EXPECT_TRUE(explanation_of(compare(a, b)).why.starts_with("Tensor: -100.00 µs"));
  Measurement undecided = b;
  undecided.prediction->p50_us = 139;
  undecided.memory->instructions.erase("tensor");
  EXPECT_EQ(explanation_of(compare(a, undecided)).why, "") << "nothing is decided";
}

}  // namespace
}  // namespace tilescope
