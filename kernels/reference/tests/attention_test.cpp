#include "kernels/reference/attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilescope::reference {
namespace {

float value(const std::vector<std::uint16_t>& tensor, std::int64_t index, Format format) {
  return to_float(tensor[static_cast<std::size_t>(index)], format);
}

// Attention as its definition says it, in another loop order than the reference's, long double throughout.
std::vector<long double> by_definition(const AttentionSizes& s, const AttentionInputs& in) {
  std::vector<long double> output;
  for (std::int64_t b = 0; b < s.B; ++b) {
    for (std::int64_t h = 0; h < s.Hq; ++h) {
      const std::int64_t kv = b * s.Hkv + h * s.Hkv / s.Hq;
      for (std::int64_t i = 0; i < s.Sq; ++i) {
        std::vector<long double> weighted(static_cast<std::size_t>(s.D), 0.0L);
        long double sum = 0;
        for (std::int64_t j = 0; j < s.Sk; ++j) {
          if (s.causal && j > i + s.Sk - s.Sq) continue;
          long double score = 0;
          for (std::int64_t d = 0; d < s.D; ++d) {
            score += static_cast<long double>(value(in.q, ((b * s.Hq + h) * s.Sq + i) * s.D + d, s.format)) *
                     static_cast<long double>(value(in.k, (kv * s.Sk + j) * s.D + d, s.format));
          }
          const long double weight = std::exp(score / std::sqrt(static_cast<long double>(s.D)));
          sum += weight;
          for (std::int64_t d = 0; d < s.D; ++d) {
            weighted[static_cast<std::size_t>(d)] +=
                weight * value(in.v, (kv * s.Sk + j) * s.D + d, s.format);
          }
        }
        for (const long double w : weighted) output.push_back(sum > 0 ? w / sum : 0);
      }
    }
  }
  return output;
}

std::vector<std::uint16_t> rounded(const AttentionReference& reference, Format format) {
  std::vector<std::uint16_t> output;
  output.reserve(reference.output.size());
  for (const double x : reference.output) output.push_back(from_float(static_cast<float>(x), format));
  return output;
}

class AgainstDefinition : public testing::TestWithParam<AttentionSizes> {};

TEST_P(AgainstDefinition, AgreesToFloat64) {
  const AttentionSizes sizes = GetParam();
  const AttentionInputs inputs = make_inputs(sizes, 7);
  const AttentionReference reference = compute_attention(sizes, inputs, sizes.rows());
  const std::vector<long double> expected = by_definition(sizes, inputs);
  ASSERT_EQ(reference.output.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(reference.output[i], static_cast<double>(expected[i]), 1e-12) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AgainstDefinition,
                         testing::Values(AttentionSizes{1, 1, 1, 1, 1, 32, false, Format::fp16},
                                         AttentionSizes{2, 4, 2, 5, 9, 32, false, Format::fp16},
                                         AttentionSizes{2, 4, 1, 5, 9, 64, true, Format::bf16},
                                         AttentionSizes{1, 2, 2, 9, 5, 32, true, Format::fp16}));

TEST(ScoresReference, IsTheScaledProductOfEveryQueryWithEveryKeyOfItsHead) {
  AttentionSizes s{2, 4, 2, 5, 9, 32, true, Format::bf16};  // scores have no mask
  s.result = Result::scores;
  const AttentionInputs in = make_inputs(s, 7);
  const AttentionReference reference = compute_attention(s, in, s.rows());
  ASSERT_EQ(reference.output.size(), static_cast<std::size_t>(s.rows() * s.Sk));
  EXPECT_TRUE(reference.lse.empty());
  for (std::int64_t row = 0; row < s.rows(); ++row) {
    const std::int64_t kv = row / s.Sq / s.Hq * s.Hkv + row / s.Sq % s.Hq * s.Hkv / s.Hq;
    for (std::int64_t j = 0; j < s.Sk; ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < s.D; ++d) {
        score += static_cast<double>(value(in.q, row * s.D + d, s.format)) *
                 static_cast<double>(value(in.k, (kv * s.Sk + j) * s.D + d, s.format));
      }
      EXPECT_NEAR(reference.output[static_cast<std::size_t>(row * s.Sk + j)], score / std::sqrt(32.0), 1e-12);
    }
  }
}

TEST(AttentionReference, RowsThatSeeNoKeyAreZeroWithMinusInfinity) {
  const AttentionSizes sizes{1, 1, 1, 4, 2, 32, true, Format::fp16};  // queries 0 and 1 see no key
  const AttentionReference reference = compute_attention(sizes, make_inputs(sizes, 3), sizes.rows());
  EXPECT_EQ(reference.output[0], 0.0);
  EXPECT_EQ(reference.lse[1], -std::numeric_limits<double>::infinity());
  EXPECT_NE(reference.output[2 * 32], 0.0);
}

TEST(AttentionReference, SamplesRowsEvenlyWithTheFirstAndTheLast) {
  const AttentionSizes sizes{2, 2, 2, 50, 8, 32, false, Format::fp16};
  const AttentionInputs inputs = make_inputs(sizes, 1);
  const AttentionReference all = compute_attention(sizes, inputs, 1000);
  const AttentionReference some = compute_attention(sizes, inputs, 7);
  ASSERT_EQ(some.rows.size(), 7u);
  EXPECT_EQ(some.rows.front(), 0);
  EXPECT_EQ(some.rows.back(), sizes.rows() - 1);
  for (std::size_t r = 0; r < some.rows.size(); ++r) {
    EXPECT_EQ(some.output[r * 32 + 5], all.output[static_cast<std::size_t>(some.rows[r]) * 32 + 5]);
  }
}

TEST(AttentionReference, CancelLeavesNoRows) {
  const AttentionSizes sizes{1, 8, 8, 8, 8, 32, false, Format::fp16};
  EXPECT_TRUE(compute_attention(sizes, make_inputs(sizes, 1), 64, [] { return true; }).rows.empty());
}

TEST(Inputs, DifferBetweenTensorsAndSeedsAndRepeat) {
  const AttentionSizes sizes{1, 2, 2, 64, 64, 32, false, Format::fp16};
  const AttentionInputs a = make_inputs(sizes, 1), b = make_inputs(sizes, 2);
  EXPECT_NE(a.q, a.k);
  EXPECT_NE(a.k, a.v);
  EXPECT_NE(a.q, b.q);
  EXPECT_EQ(a.q, make_inputs(sizes, 1).q);
}

TEST(Inputs, AreNearlyNormal) {
  const AttentionSizes sizes{1, 8, 8, 256, 1, 64, false, Format::fp16};
  const AttentionInputs inputs = make_inputs(sizes, 5);
  double sum = 0, squares = 0;
  for (const std::uint16_t bits : inputs.q) {
    const double x = to_float(bits, Format::fp16);
    sum += x, squares += x * x;
  }
  const auto count = static_cast<double>(inputs.q.size());
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(Compare, RoundedReferenceIsWithinTolerance) {
  const AttentionSizes sizes{1, 2, 2, 33, 70, 64, true, Format::bf16};
  const AttentionReference reference = compute_attention(sizes, make_inputs(sizes, 1), sizes.rows());
  const Comparison result = compare(reference, sizes, rounded(reference, sizes.format));
  EXPECT_TRUE(result.within) << result.max_abs << " > " << result.tolerance;
  EXPECT_GT(result.max_abs, 0);
}

TEST(Compare, OneWrongElementIsFound) {
  const AttentionSizes sizes{1, 2, 2, 33, 70, 64, false, Format::fp16};
  const AttentionReference reference = compute_attention(sizes, make_inputs(sizes, 1), sizes.rows());
  std::vector<std::uint16_t> output = rounded(reference, sizes.format);
  output[64 * 40 + 3] = from_float(to_float(output[64 * 40 + 3], sizes.format) + 0.05f, sizes.format);
  const Comparison result = compare(reference, sizes, output);
  EXPECT_FALSE(result.within);
  EXPECT_EQ(result.worst_row, 40);
  EXPECT_EQ(result.worst_column, 3);
}

TEST(Compare, LeavesOutWhatNobodyWroteWhereThatIsAskedFor) {
  AttentionSizes sizes{1, 1, 1, 4, 8, 32, false, Format::fp16};
  sizes.result = Result::scores;
  const AttentionReference reference = compute_attention(sizes, make_inputs(sizes, 1), sizes.rows());
  std::vector<std::uint16_t> output = rounded(reference, sizes.format);
  output[5] = 0xFFFF;
  std::vector<bool> written(output.size(), true);
  EXPECT_FALSE(compare(reference, sizes, output).within);
  EXPECT_FALSE(compare(reference, sizes, output, &written).within);
  written[5] = false;
  EXPECT_TRUE(compare(reference, sizes, output, &written).within);
  output[6] = 0xFFFF;  // the same bits, but these were written
  EXPECT_FALSE(compare(reference, sizes, output, &written).within);
}

TEST(Compare, NanFailsWhereverItStands) {
  const AttentionSizes sizes{1, 1, 1, 4, 8, 32, false, Format::fp16};
  const AttentionReference reference = compute_attention(sizes, make_inputs(sizes, 1), sizes.rows());
  for (const std::size_t place : {std::size_t{0}, std::size_t{77}, std::size_t{127}}) {
    std::vector<std::uint16_t> output = rounded(reference, sizes.format);
    output[place] = 0x7fff;
    EXPECT_FALSE(compare(reference, sizes, output).within) << place;
  }
}

TEST(Compare, ADifferenceFoundElsewhereIsJudgedAlike) {
  const AttentionSizes sizes{1, 2, 2, 33, 70, 64, false, Format::fp16};
  const AttentionReference reference = compute_attention(sizes, make_inputs(sizes, 1), 9);
  std::vector<std::uint16_t> output(static_cast<std::size_t>(sizes.result_elements()));
  const Comparison compared = compare(reference, sizes, output);
  const auto place = std::find(reference.rows.begin(), reference.rows.end(), compared.worst_row);
  const std::int64_t element = (place - reference.rows.begin()) * 64 + compared.worst_column;
  const Comparison judged = judge_difference(reference, sizes, compared.max_abs, element);
  EXPECT_EQ(judged.worst_row, compared.worst_row);
  EXPECT_EQ(judged.worst_column, compared.worst_column);
  EXPECT_EQ(judged.max_rel, compared.max_rel);
  EXPECT_EQ(judged.tolerance, compared.tolerance);
  EXPECT_FALSE(judged.within);
  AttentionReference maxima = reference;
  maxima.rows.clear();
  EXPECT_EQ(judge_difference(maxima, sizes, 1, 64 * 40 + 3).worst_row, 40) << "all rows";
}

TEST(Compare, ToleranceIsTheRuleOfTheFacts) {
  AttentionReference reference;
  reference.plain_max_error = 0.001;
  reference.max_abs_output = 4;
  EXPECT_DOUBLE_EQ(tolerance(reference, Format::fp16), 0.002 + 4.0 / 2048);
  EXPECT_DOUBLE_EQ(tolerance(reference, Format::bf16), 0.002 + 4.0 / 256);
}

}  // namespace
}  // namespace tilescope::reference
