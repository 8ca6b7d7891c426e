#include "profiler/kernels/formula/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/formula/formula_function.hpp"

namespace tilescope {
namespace {

SharedArray array(ArrayShape shape, std::vector<double> values) {
  return std::make_shared<const NumberArray>(NumberArray{std::move(shape), std::move(values), {}});
}

// x: 1 to 6, w: 6 values with both signs, M 2, N 3.
const std::map<std::string, SharedArray> known = {
    {"x", array({6}, {1, 2, 3, 4, 5, 6})},
    {"w", array({6}, {1, -1, 0.5, 2, 0, -3})},
    {"g", array({3}, {1, 2, 3})},
    {"M", array({}, {2})},
    {"N", array({}, {3})},
    {"gridDim.x", array({}, {2})},
    {"image", array({16}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})}};

SharedArray named(const std::string& name) {
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

NumberArray value(const std::string& text) {
  return Formula(text).value(named, nullptr);
}

void expect_values(const std::string& text, const ArrayShape& shape, const std::vector<double>& values) {
  const NumberArray result = value(text);
  EXPECT_EQ(result.shape, shape) << text;
  ASSERT_EQ(result.size(), values.size()) << text;
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(result.values[i], values[i], 1e-12) << text << " " << i;
}

std::string error_of(const std::string& text) {
  try {
    value(text);
  } catch (const FormulaError& error) {
    return error.what();
  }
  return "";
}

TEST(Formula, OperatorsWorkByElementWithThePrecedenceOfC) {
  expect_values("y = 2 * x + 1", {6}, {3, 5, 7, 9, 11, 13});
  expect_values("-x * w", {6}, {-1, 2, -1.5, -8, 0, 18});
  expect_values("x % 4 == 0 || x < 2", {6}, {1, 0, 0, 1, 0, 0});
  expect_values("w > 0 ? w : 0.f", {6}, {1, 0, 0.5, 2, 0, 0});
  expect_values("1 << 3 | 1", {}, {9});
  // Each of these is something else as a statement, or with a type's name in parentheses.
  expect_values("M * N", {}, {6});
  expect_values("(M) - N", {}, {-1});
  expect_values("(M) * (N)", {}, {6});
  expect_values("where(x < N, x, (x > 5))", {6}, {1, 2, 0, 0, 0, 1});
  expect_values("M < N && N > M", {}, {1});
  expect_values("!(x > 3)", {6}, {1, 1, 1, 0, 0, 0});
}

TEST(Formula, SubscriptsGiveAShape) {
  expect_values("sum(x[M][N])", {2}, {6, 15});
  expect_values("sum(x[2][3], 0)", {3}, {5, 7, 9});
  expect_values("sum(x[gridDim.x][6 / gridDim.x])", {2}, {6, 15});
  expect_values("sum(x[M * 2])", {}, {10});
  expect_values("y[M][N] = x", {2, 3}, {1, 2, 3, 4, 5, 6});
  // Whole division, as in the source that the size comes from.
  expect_values("x[N / 2]", {1}, {1});
  EXPECT_EQ(Formula("y[M][N] = x").target(), "y");
  const Formula whole("y[M][N] = x + blockDim.y");
  EXPECT_EQ(whole.names(), (std::set<std::string>{"M", "N", "blockDim.y", "x", "y"}));
}

TEST(Formula, AnAssignmentWithAnOperatorTakesTheValuesBefore) {
  expect_values("x += 1", {6}, {2, 3, 4, 5, 6, 7});
  expect_values("x[M][N] *= g", {2, 3}, {1, 4, 9, 4, 10, 18});
}

TEST(Formula, ShapesAreBroadcast) {
  expect_values("x[2][3] + g", {2, 3}, {2, 4, 6, 5, 7, 9});
  expect_values("x[2][3] * w[2][1]", {2, 3}, {1, 2, 3, -4, -5, -6});
  expect_values("y[M][N] = 7", {2, 3}, {7, 7, 7, 7, 7, 7});
}

TEST(Formula, Products) {
  expect_values("matmul(x[2][3], w[3][2])", {2, 2}, {1 + 1 + 0, -1 + 4 - 9, 4 + 2.5 + 0, -4 + 10 - 18});
  expect_values("matmul(x[2][3], transpose(w[2][3]))", {2, 2}, {0.5, -7, 2, -10});
  expect_values("matmul(x[2][3], g)", {2}, {14, 32});
  expect_values("matmul(g, w[3][2])", {2}, {1 + 1 + 0, -1 + 4 - 9});
  expect_values("matmul(x[2][1][3], transpose(w[2][1][3]))", {2, 1, 1}, {0.5, -10});
  expect_values("conv1d(x, g)", {4}, {14, 20, 26, 32});
  expect_values("conv1d(x, g, 2, 1)", {3}, {8, 20, 32});
  expect_values("conv2d(image[1][1][4][4], x[1][1][2][2], 2)", {1, 1, 2, 2},
                {0 + 2 + 12 + 20, 2 + 6 + 18 + 28, 8 + 18 + 36 + 52, 10 + 22 + 42 + 60});
  // A corner of the padding sees one element of the image.
  EXPECT_EQ(value("conv2d(image[1][1][4][4], x[1][1][2][2], 1, 1)").values[0], 0 * 4);
  EXPECT_EQ(value("conv2d(image[1][1][4][4], x[1][1][2][2], 1, 1)").values[1], 0 * 3 + 1 * 4);
}

TEST(Formula, Attention) {
  // One key: its values.
  expect_values("attention(x[2][3], g[1][3], w[1][3])", {2, 3}, {1, -1, 0.5, 1, -1, 0.5});
  // Equal to its parts.
  const NumberArray whole = value("attention(x[2][3], w[2][3], image[2][3], 0.5)");
  const NumberArray parts = value("matmul(softmax(matmul(x[2][3], transpose(w[2][3])) * 0.5), image[2][3])");
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole.values[i], parts.values[i], 1e-12);
  // The first of two queries sees the first of two keys alone.
  const NumberArray causal = value("attention(x[2][3], w[2][3], image[2][3], 0.5, true)");
  EXPECT_EQ(causal.values[0], 0);
  EXPECT_EQ(causal.values[2], 2);
  EXPECT_NEAR(causal.values[5], whole.values[5], 1e-12);
}

TEST(Formula, Rows) {
  const double sum = std::exp(-2.0) + std::exp(-1.0) + 1;
  const std::vector<double> row = {std::exp(-2.0) / sum, std::exp(-1.0) / sum, 1 / sum};
  expect_values("softmax(x[2][3])", {2, 3}, {row[0], row[1], row[2], row[0], row[1], row[2]});
  expect_values("exp(log_softmax(x[2][3])) - softmax(x[2][3])", {2, 3}, {0, 0, 0, 0, 0, 0});
  expect_values("logsumexp(x[2][3])", {2}, {3 + std::log(sum), 6 + std::log(sum)});
  expect_values("mean(x)", {}, {3.5});
  expect_values("var(x)", {}, {35.0 / 12});
  expect_values("prod(x)", {}, {720});
  expect_values("max(w)", {}, {2});
  expect_values("max(w, 0)", {6}, {1, 0, 0.5, 2, 0, 0});
  expect_values("amin(w[2][3], 0)", {3}, {1, -1, -3});
  expect_values("argmax(w[2][3])", {2}, {0, 0});
  expect_values("cumsum(x)", {6}, {1, 3, 6, 10, 15, 21});
  expect_values("exclusive_cumsum(x[2][3])", {2, 3}, {0, 1, 3, 0, 4, 9});
  expect_values("histogram(w, 3)", {3}, {2, 1, 1});
  const double deviation = std::sqrt(2.0 / 3);
  expect_values("layernorm(x[2][3], 0)", {2, 3},
                {-1 / deviation, 0, 1 / deviation, -1 / deviation, 0, 1 / deviation});
  expect_values("layernorm(x[1][3], g, g, 0)", {1, 3}, {1 - 1 / deviation, 2, 3 + 3 / deviation});
  const double root = std::sqrt(14.0 / 3 + 0.5);
  expect_values("rmsnorm(x[1][3], g, 0.5)", {1, 3}, {1 / root, 4 / root, 9 / root});
}

TEST(Formula, ShapesAndElements) {
  expect_values("transpose(x[2][3])", {3, 2}, {1, 4, 2, 5, 3, 6});
  expect_values("permute(x[1][2][3], 2, 0, 1)", {3, 1, 2}, {1, 4, 2, 5, 3, 6});
  expect_values("flatten(x[2][3])", {6}, {1, 2, 3, 4, 5, 6});
  expect_values("reshape(transpose(x[2][3]), 2, 3)", {2, 3}, {1, 4, 2, 5, 3, 6});
  expect_values("slice(x[2][3], 1, 1, 3)", {2, 2}, {2, 3, 5, 6});
  expect_values("concat(g, x[2])", {5}, {1, 2, 3, 1, 2});
  expect_values("concat(x[2][3], w[2][1], 1)", {2, 4}, {1, 2, 3, 1, 4, 5, 6, -1});
  expect_values("repeat(g, 2)", {6}, {1, 1, 2, 2, 3, 3});
  expect_values("shift(g, 1) + shift(g, -1)", {3}, {2, 4, 2});
  expect_values("iota(3)", {3}, {0, 1, 2});
  expect_values("rotary(x[1][2], pi * 0, 1 + iota(1))", {1, 2}, {-2, 1});
  expect_values("rotary_interleaved(x[1][4], iota(2) * 0, 1 + iota(2))", {1, 4}, {-2, 1, -8, 6});
  expect_values("where(x > 3, x, -x)", {6}, {-1, -2, -3, 4, 5, 6});
  expect_values("clamp(x, 2, 4)", {6}, {2, 2, 3, 4, 4, 4});
  expect_values("pow(x, 2) - x * x", {6}, {0, 0, 0, 0, 0, 0});
  expect_values("relu(w)", {6}, {1, 0, 0.5, 2, 0, 0});
  expect_values("gelu(g * 0) + sigmoid(g * 0)", {3}, {0.5, 0.5, 0.5});
}

// The rounding errors of a sum are in proportion to the terms, not to what is left of them.
TEST(Formula, ScalesAreThoseOfTheTerms) {
  EXPECT_EQ(value("x - x").values[5], 0);
  EXPECT_EQ(value("x - x").scales[5], 12);
  EXPECT_EQ(value("sum(w)").scales[0], 7.5);
  EXPECT_EQ(value("matmul(x[2][3], w[3][2])").scales[1], 1 + 4 + 9);
  EXPECT_GE(value("exp(x)").scales[5], 6 * std::exp(6.0));
  EXPECT_EQ(value("transpose((x - x)[2][3])").scales[1], 8);
}

TEST(Formula, WhatIsWrongIsSaid) {
  const auto says = [](const std::string& formula, const std::string& words) {
    EXPECT_NE(error_of(formula).find(words), std::string::npos) << formula << ": " << error_of(formula);
  };
  says("sotfmax(x)", "there is no function 'sotfmax'; there are");
  says("x + z", "no array or number of the launch is named 'z'");
  says("x[4][2]", "x[4][2] is [4][2], and has 6 elements");
  says("y[5] = x", "y[5] has 5 elements, and the right side 6");
  says("x[N - 3]", "N - 3 is not a size: 0");
  says("matmul(x[2][3], w[2][3])", "[2][3] times [2][3]: the 3 columns");
  says("matmul(x[M][N], 3)", "argument 2 needs 2 sizes");
  says("x[2][3] + w[3][2]", "[2][3] and [3][2] do not fit");
  says("softmax()", "softmax(x, axis) takes other arguments: 0 are given");
  says("sum(x, 1)", "axes");
  says("repeat(x, 1e15)", "up to");
  says("permute(x[2][3], 0, 0)", "name each");
  says("y = ", "is not a formula");
  says("x; y", "give one expression");
  says("for (;;) x", "is not a formula");
  says("x &= 1", "operator &=");
  says("*x", "is not");
  says("\"text\"", "is not understood");
  says("iota(1e9)", "too large");
  says(std::string(300, '(') + "x" + std::string(300, ')'), "nested");
  says(std::string(5000, 'x'), "letters");
}

TEST(Formula, ALongComputationEnds) {
  EXPECT_THROW(Formula("matmul(iota(2048)[2048][1], iota(2048)[1][2048])").value(named, [] { return true; }),
               FormulaCancelled);
}

TEST(Formula, EachFunctionHasAUsageThatNamesIt) {
  for (const auto& functions :
       {elementwise_functions(), row_functions(), product_functions(), shape_functions()}) {
    for (const FormulaFunction& function : functions) {
      EXPECT_TRUE(function.usage.starts_with(std::string(function.name) + "(")) << function.usage;
      EXPECT_EQ(formula_function(function.name), &function) << function.name;
    }
  }
}

}  // namespace
}  // namespace tilescope
