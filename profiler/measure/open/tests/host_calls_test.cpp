// Calls of a file's host code that a program makes: its sizes, its tensors and what it should get back.
#include <cstring>

#include "profiler/measure/files/npy_file.hpp"
#include "profiler/measure/open/tests/opened_files.hpp"

namespace tilescope {
namespace {

using test_support::says;

constexpr const char* source = R"(#include <torch/extension.h>
__global__ void scale_kernel(const float* in, float* out, int rows, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * n) out[i] = a * in[i];
}
__global__ void other(float* out) { out[threadIdx.x] = 1; }
void run_other(torch::Tensor y) { other<<<1, 32>>>(y.data_ptr<float>()); }
torch::Tensor scale(const torch::Tensor& x, double factor) {
  auto y = torch::empty_like(x);
  const int n = x.size(-1);
  scale_kernel<<<(x.numel() + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size( 0 ), n, factor);
  return y;
}
)";

SentArray array_of(const std::string& name, const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {name, {"/nowhere/" + name, npy_file(*element_named("f32"), {3, 40}, bytes)}};
}

class HostCalls : public test_support::OpenedFiles {
 protected:
  // scale(x, 3) with x of [3, 40], and what it should return.
  static OpenFile::Params called(float factor_of_result) {
    std::vector<float> in(120), out(120);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i) - 50;
      out[i] = factor_of_result * in[i];
    }
    HostCall call;
    call.function = "scale";
    call.caller = "model.py";
    call.arguments = {{HostTensor{"f32", {3, 40}, {40, 1}, "x.npy"}, std::nullopt}, {std::nullopt, 3.0}};
    call.results = {{"f32", {3, 40}, {40, 1}, "result.npy"}};
    OpenFile::Params params;
    params.calls = {call};
    params.subject.arrays = {array_of("x.npy", in), array_of("result.npy", out)};
    return params;
  }
};

TEST_F(HostCalls, GiveSizesTensorsAndTheResult) {
  const OpenedPoint point = open_text(source, called(3));
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.grid, (std::array<std::uint32_t, 3>{2, 1, 1})) << "120 elements";
  EXPECT_EQ(guessed(point, "rows"), "3");
  EXPECT_EQ(guessed(point, "n"), "40");
  EXPECT_EQ(guessed(point, "a"), "3.0");
  EXPECT_EQ(guessed(point, "in: fill"), "its tensor");
  EXPECT_EQ(guessed(point, "in: elements"), "120");
  const auto rows = std::ranges::find(point.guesses, "rows", &LaunchGuess::what);
  EXPECT_TRUE(says(rows->reason, "(model.py)")) << rows->reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].name, "out");
  EXPECT_EQ(point.compared[0].wrong, 0u);
}

TEST_F(HostCalls, FindAWrongResult) {
  const OpenedPoint point = open_text(source, called(2));
  EXPECT_TRUE(finds(point, "wrong_value"));
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].wrong, 119u) << "all but the 0";
}

TEST_F(HostCalls, ChooseTheKernelThatTheirFunctionLaunches) {
  EXPECT_EQ(open_text(source).entry.find("scale_kernel"), std::string::npos)
      << "the file launches the other one first";
  EXPECT_NE(open_text(source, called(3)).entry.find("scale_kernel"), std::string::npos);
}

TEST_F(HostCalls, LeaveTheResultAloneThatNobodyKnows) {
  OpenFile::Params params = called(3);
  params.calls[0].results.clear();
  const OpenedPoint point = open_text(source, params);
  EXPECT_EQ(point.status, Status::unchecked);
  EXPECT_TRUE(says(point.reason, "model.py does more with it")) << point.reason;
  params = called(3);
  params.calls[0].results[0].shape = {7};
  EXPECT_TRUE(says(open_text(source, params).reason, "None of the buffers that the launch writes"))
      << open_text(source, params).reason;
}

TEST_F(HostCalls, GoBehindTheValuesOfTheUser) {
  OpenFile::Params params = called(3);
  params.chosen = {{"a", "3"}, {"out: expected", "3 * in"}, {"in: fill", "iota"}, {"in: elements", "120"}};
  const OpenedPoint point = open_text(source, params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(guessed(point, "in: fill"), "");
}

TEST_F(HostCalls, BuffersBeginAsTheHostCodeFillsThem) {
  const OpenedPoint point = open_text(R"(#include <torch/extension.h>
__global__ void highest(const float* x, float* most, int n) {
  for (int i = 0; i < n; ++i) most[threadIdx.x] = fmaxf(most[threadIdx.x], x[i * 32 + threadIdx.x]);
}
void run(int n) {
  auto x = torch::ones({n, 32});
  auto most = torch::full({32}, -INFINITY);
  highest<<<1, 32>>>(x.data_ptr<float>(), most.data_ptr<float>(), n);
}
)");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "most: fill"), "-inf");
  EXPECT_EQ(guessed(point, "x: fill"), "random") << "an input of equal numbers shows less";
}

TEST_F(HostCalls, OfAFunctionThatIsNotThereChangeNothing) {
  OpenFile::Params params = called(3);
  params.calls[0].function = "nothing";
  EXPECT_EQ(guessed(open_text(source, params), "n"), "");
}

}  // namespace
}  // namespace tilescope
