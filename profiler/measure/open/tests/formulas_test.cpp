// Results of opened kernels held against formulas, and formulas that are recognised.
#include "profiler/measure/open/tests/opened_files.hpp"

namespace tilescope {
namespace {

using test_support::says;

class OpenedFormulas : public test_support::OpenedFiles {
 protected:
  static OpenFile::Params with(std::map<std::string, std::string> chosen) {
    OpenFile::Params params;
    params.chosen = std::move(chosen);
    return params;
  }
};

constexpr const char* saxpy =
    "#define N 500\n"
    "__global__ void saxpy(const float* x, float* y, float a, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n}\n"
    "void run(float* x, float* y) { saxpy<<<2, 256>>>(x, y, 2.5f, N); }\n";

TEST_F(OpenedFormulas, ARightResultIsAChecked) {
  const OpenedPoint point = open_text(saxpy, with({{"y: expected", "y[N] = a * x[N] + y[n]"}}));
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].name, "y");
  EXPECT_EQ(point.compared[0].elements, 500u);
  EXPECT_EQ(point.compared[0].formula, "y[N] = a * x[N] + y[n]");
  EXPECT_TRUE(says(point.launch, "\"N\": 500"))
      << "the launch file does not need the source: " << point.launch;
}

TEST_F(OpenedFormulas, TheLaunchThatIsAnsweredComparesAgain) {
  OpenFile::Params params;
  params.subject.launch = SentFile{
      "/saxpy.launch.json", open_text(saxpy, with({{"y: expected", "y[N] = a * x[N] + y[N]"}})).launch};
  const OpenedPoint point = open_text(saxpy, params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.compared.size(), 1u);
}

TEST_F(OpenedFormulas, AWrongResultIsNamedWithItsLine) {
  const OpenedPoint point = open_text(saxpy, with({{"y: expected", "a * x[N] - y[N]"}}));
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_GT(point.compared[0].wrong, 400u);
  ASSERT_FALSE(point.findings.empty());
  EXPECT_EQ(point.findings.back().kind, "wrong_value");
  EXPECT_TRUE(says(point.findings.back().text, "a * x[N] - y[N]") &&
              says(point.findings.back().text, "line 4"))
      << point.findings.back().text;
}

TEST_F(OpenedFormulas, AFormulaThatDoesNotFitIsAFaultOfTheLaunch) {
  for (const auto& [formula, words] : {std::pair{"x +", "is not a formula"},
                                       {"2 * z", "named 'z'"},
                                       {"matmul(x[2][250], x[2][250])", "rows"},
                                       {"sum(x[2][250])", "it gives 2 elements"}}) {
    const OpenedPoint point = open_text(saxpy, with({{"y: expected", formula}}));
    EXPECT_EQ(point.problem, FileProblem::launch) << formula;
    EXPECT_TRUE(says(point.reason, words)) << point.reason;
  }
}

TEST_F(OpenedFormulas, AKnownResultIsRecognisedAndNotTakenForChecked) {
  const OpenedPoint point = open_text(saxpy);
  EXPECT_EQ(point.status, Status::unchecked);
  EXPECT_EQ(guessed(point, "y: expected"), "a * x + y");
  EXPECT_TRUE(says(point.reason, "'y' equals a * x + y")) << point.reason;
  EXPECT_EQ(point.outputs, std::vector<std::string>{"y"});
  EXPECT_TRUE(point.compared.empty());
}

TEST_F(OpenedFormulas, AResultThatIsNothingUsualIsNotRecognised) {
  const char* const text =
      "__global__ void k(const float* x, float* y) { int i = threadIdx.x; y[i] = x[i] * x[i] - 0.3f * x[i]; "
      "}\n"
      "void run(float* x, float* y) { k<<<1, 256>>>(x, y); }\n";
  const OpenedPoint point = open_text(text);
  EXPECT_EQ(guessed(point, "y: expected"), "");
  EXPECT_TRUE(says(point.reason, "Give a formula of 'y' to have it checked")) << point.reason;
  const char* const one_for_all =
      "__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[0]; }\n"
      "void run(float* x, float* y) { k<<<1, 256>>>(x, y); }\n";
  EXPECT_EQ(guessed(open_text(one_for_all), "y: expected"), "") << "equal values say nothing";
}

TEST_F(OpenedFormulas, EqualSizesOfAProductAreToldApartByTheirLetters) {
  const std::string multiply =
      "__global__ void gemm(int M, int N, int K, const float* A, const float* B, float* C) {\n"
      "  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;\n"
      "  float sum = 0;\n  if (row >= M || column >= N) return;\n"
      "  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];\n"
      "  C[row * N + column] = sum;\n}\n"
      "void run(int M, int N, int K, float* A, float* B, float* C) {\n"
      "  gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, A, B, C);\n}\n";
  OpenFile::Params params;
  params.chosen = {{"M", "64"}, {"N", "64"}, {"K", "64"}};
  const std::string formula = guessed(open_text(multiply, params), "C: expected");
  EXPECT_EQ(formula, "matmul(A[M][K], B[K][N])");
  params.chosen = {{"M", "32"}, {"N", "64"}, {"K", "64"}, {"C: expected", formula}};
  EXPECT_EQ(open_text(multiply, params).status, Status::ok);
}

TEST_F(OpenedFormulas, TheGalleryIsRecognised) {
  EXPECT_EQ(guessed(open_gallery("gemm.cu"), "C: expected"), "matmul(A[M][K], B[K][N])")
      << "alpha is 1 and beta 0 in its main";
  EXPECT_TRUE(says(guessed(open_gallery("transpose.cu"), "out: expected"), "transpose("));
  EXPECT_TRUE(says(guessed(open_gallery("softmax.cu"), "out: expected"), "softmax("));
  EXPECT_TRUE(says(guessed(open_gallery("layernorm.cu"), "y: expected"), "layernorm("));
  EXPECT_EQ(guessed(open_gallery("add_kernel.ptx"), "argument 2: expected"), "argument_0 + argument_1");
}

// A sample of a grid is compared where its blocks wrote.
TEST_F(OpenedFormulas, ASampleIsComparedWhereItWrote) {
  const std::string scale =
      "__global__ void scale(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 3 * x[i];\n}\n"
      "void run(float* x, float* y) { scale<<<64, 128>>>(x, y, 8192); }\n";
  OpenFile::Params params = with({{"y: expected", "3 * x"}});
  params.blocks = 16;
  const OpenedPoint point = open_text(scale.c_str(), params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].wrong, 0u);
  EXPECT_EQ(point.compared[0].elements, 128u * static_cast<std::uint64_t>(point.memory->blocks_run));
  EXPECT_LT(point.memory->blocks_run, 64);
  EXPECT_TRUE(std::ranges::any_of(
      point.notes, [](const std::string& note) { return says(note, "Of the 8,192 elements"); }));
  params.chosen["y: expected"] = "x";
  const OpenedPoint wrong = open_text(scale.c_str(), params);
  ASSERT_EQ(wrong.compared.size(), 1u);
  EXPECT_GT(wrong.compared[0].wrong, 2000u);
  EXPECT_EQ(wrong.compared[0].elements, point.compared[0].elements) << "what nothing wrote is not compared";
}

TEST_F(OpenedFormulas, ASumByAtomicsOfASampleIsNotCompared) {
  const char* const text =
      "__global__ void total(const float* x, float* y) { atomicAdd(y, x[blockIdx.x * blockDim.x + "
      "threadIdx.x]); }\n"
      "void run(float* x, float* y) { total<<<64, 128>>>(x, y); }\n";
  OpenFile::Params params = with({{"y: expected", "y[1] = sum(x)"}});
  params.blocks = 16;
  const OpenedPoint sampled = open_text(text, params);
  EXPECT_TRUE(sampled.compared.empty());
  EXPECT_TRUE(
      std::ranges::any_of(sampled.notes, [](const std::string& note) { return says(note, "--blocks all"); }));
  params.blocks = OpenFile::all_blocks;
  const OpenedPoint whole = open_text(text, params);
  EXPECT_EQ(whole.status, Status::ok) << whole.reason;
  EXPECT_EQ(whole.memory->blocks_run, 64);
}

}  // namespace
}  // namespace tilescope
