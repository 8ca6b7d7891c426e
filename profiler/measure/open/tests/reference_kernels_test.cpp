// Results of opened kernels held against what another kernel of their file leaves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "profiler/measure/open/tests/opened_files.hpp"

namespace tilescope {
namespace {

using test_support::says;

// A product in two ways. `last` of gemm_tiled: the number of tiles less this one; 0 is right.
std::string products(int last) {
  return fmt::format(
      "#define TILE 8\n"
      "__global__ void gemm(int M, int N, int K, const float* A, const float* B, float* C) {{\n"
      "  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float sum = 0;\n"
      "  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n"
      "  C[row * N + col] = sum;\n}}\n"
      "__global__ void gemm_tiled(int m, int n, int k, const float* a, const float* b, float* c) {{\n"
      "  __shared__ float ta[TILE][TILE], tb[TILE][TILE];\n"
      "  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;\n"
      "  float sum = 0;\n"
      "  for (int t = 0; t + {} < k; t += TILE) {{\n"
      "    ta[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];\n"
      "    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];\n"
      "    __syncthreads();\n"
      "    for (int i = 0; i < TILE; ++i) sum = fmaf(ta[threadIdx.y][TILE - 1 - i], tb[TILE - 1 - i]"
      "[threadIdx.x], sum);\n"
      "    __syncthreads();\n  }}\n"
      "  c[row * n + col] = sum;\n}}\n"
      "__global__ void trapped(int M, int N, int K, const float* A, const float* B, float* C) {{\n"
      "  C[threadIdx.x] = A[threadIdx.x] + B[threadIdx.x];\n  __trap();\n}}\n"
      "__global__ void clear(float* d) {{ d[threadIdx.x] = 0; }}\n"
      "void run(float* A, float* B, float* C, float* D) {{\n"
      "  int M = 32, N = 48, K = 64;\n"
      "  gemm<<<dim3(N / 16, M / 4), dim3(16, 4)>>>(M, N, K, A, B, C);\n"
      "  gemm_tiled<<<dim3(N / TILE, M / TILE), dim3(TILE, TILE)>>>(M, N, K, A, B, C);\n"
      "  clear<<<1, 32>>>(D);\n}}\n",
      last);
}

class ReferenceKernels : public test_support::OpenedFiles {
 protected:
  OpenedPoint compared(const std::string& text, std::map<std::string, std::string> chosen) {
    OpenFile::Params params;
    params.subject.entry = "gemm_tiled";
    params.chosen = std::move(chosen);
    return open_text(text, params);
  }
};

TEST_F(ReferenceKernels, AnEqualResultIsAChecked) {
  const OpenedPoint point = compared(products(0), {{"reference kernel", "gemm"}});
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].name, "c");
  EXPECT_EQ(point.compared[0].elements, 32u * 48u);
  EXPECT_EQ(point.compared[0].wrong, 0u);
  EXPECT_EQ(point.compared[0].reference, "gemm(int, int, int, float const*, float const*, float*)");
  EXPECT_GT(point.compared[0].absolute_tolerance, 1e-4) << "sums of 64 products are larger than 1";
  EXPECT_LT(point.compared[0].absolute_tolerance, 1e-3);
  EXPECT_EQ(guessed(point, "reference grid"), "[3, 8, 1]") << "its own launch, with the same sizes";
}

TEST_F(ReferenceKernels, AWrongResultIsNamedWithTheKernel) {
  const OpenedPoint point = compared(products(8), {{"reference kernel", "gemm"}});
  ASSERT_EQ(point.compared.size(), 1u) << point.reason << fmt::format("{}", fmt::join(point.notes, "; "));
  EXPECT_GT(point.compared[0].wrong, 1400u);
  ASSERT_FALSE(point.findings.empty());
  EXPECT_EQ(point.findings.back().kind, "wrong_value");
  EXPECT_TRUE(says(point.findings.back().text, "from those of gemm(int")) << point.findings.back().text;
}

TEST_F(ReferenceKernels, OtherSizesAreThoseOfBothKernels) {
  const OpenedPoint point =
      compared(products(0), {{"reference kernel", "gemm"}, {"M", "64"}, {"N", "96"}, {"TILE", "16"}});
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].elements, 64u * 96u);
}

TEST_F(ReferenceKernels, ValuesOfItsLaunchAreChosen) {
  const OpenedPoint point = compared(products(0), {{"reference kernel", "gemm"},
                                                   {"reference block", "8,8"},
                                                   {"reference grid", "6,4"},
                                                   {"reference tolerance", "0"}});
  ASSERT_EQ(point.compared.size(), 1u) << point.reason;
  EXPECT_EQ(point.compared[0].relative_tolerance, 0);
  EXPECT_EQ(point.compared[0].absolute_tolerance, 0);
  const Json reference = Json::parse(point.launch)["reference"];
  EXPECT_EQ(reference["block"], Json({8, 8, 1}));
  EXPECT_EQ(reference["grid"], Json({6, 4, 1}));
  EXPECT_EQ(guessed(point, "reference grid"), "");
}

TEST_F(ReferenceKernels, AKernelMayBeComparedWithItselfInAnotherLaunch) {
  OpenFile::Params params;
  params.subject.entry = "gemm";
  params.chosen = {{"reference kernel", "gemm("}, {"reference block", "4,4"}, {"reference grid", "12,8"}};
  const OpenedPoint point = open_text(products(0), params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].wrong, 0u);
}

TEST_F(ReferenceKernels, TheLaunchThatIsAnsweredComparesAgain) {
  OpenFile::Params params;
  params.subject.entry = "gemm_tiled";
  params.subject.launch =
      SentFile{"/gemm.launch.json", compared(products(0), {{"reference kernel", "gemm"}}).launch};
  const OpenedPoint right = open_text(products(0), params);
  EXPECT_EQ(right.status, Status::ok) << right.reason;
  EXPECT_EQ(right.compared.size(), 1u);
  const OpenedPoint wrong = open_text(products(8), params);
  ASSERT_EQ(wrong.compared.size(), 1u);
  EXPECT_GT(wrong.compared[0].wrong, 0u);
}

TEST_F(ReferenceKernels, AReferenceCanBeAddedToALaunchFile) {
  OpenFile::Params params;
  params.subject.entry = "gemm_tiled";
  params.subject.launch = SentFile{"/gemm.launch.json", compared(products(0), {}).launch};
  params.chosen = {{"reference kernel", "gemm"}};
  const OpenedPoint point = open_text(products(0), params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.compared.size(), 1u);
}

TEST_F(ReferenceKernels, GetsTheVariableThatTheHostPassesToBoth) {
  OpenFile::Params params;
  params.subject.entry = "scaled";
  params.chosen = {{"reference kernel", "plain"}};
  const OpenedPoint point = open_text(
      "__global__ void plain(float* to, const float* from, int n) {\n"
      "  for (int i = 0; i < n; ++i) to[i] = 3 * from[i];\n}\n"
      "__global__ void scaled(const float* a, float factor, float* b) {\n"
      "  b[threadIdx.x] = factor * a[threadIdx.x];\n}\n"
      "int main() {\n  float *x, *y;\n  cudaMalloc(&x, 256);\n  cudaMalloc(&y, 256);\n"
      "  scaled<<<1, 64>>>(x, 3.0f, y);\n  plain<<<1, 1>>>(y, x, 64);\n}\n",
      params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].name, "b");
  EXPECT_EQ(point.compared[0].wrong, 0u);
}

TEST_F(ReferenceKernels, OneThatCannotBeItIsRefusedWithAReason) {
  for (const auto& [kernel, words] : {std::pair{"clear", "its argument 'd' has no buffer in the launch"},
                                      {"nothing", "has no kernel 'nothing'"}}) {
    const OpenedPoint point = compared(products(0), {{"reference kernel", kernel}});
    EXPECT_NE(point.status, Status::ok) << kernel;
    EXPECT_TRUE(says(point.reason, words)) << point.reason;
  }
  const OpenedPoint point = compared(products(0), {{"reference grid", "4"}});
  EXPECT_TRUE(says(point.reason, "'reference kernel'")) << point.reason;
}

TEST_F(ReferenceKernels, AFaultOfTheReferenceLeavesThePointUnchecked) {
  const OpenedPoint point = compared(products(0), {{"reference kernel", "trapped"}});
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_GT(point.warp_instructions, 0);
  EXPECT_TRUE(std::ranges::any_of(point.notes, [](const std::string& note) {
    return says(note, "was not compared with the one of 'trapped(int");
  })) << fmt::format("{}", fmt::join(point.notes, "\n"));
}

TEST_F(ReferenceKernels, AnUncheckedPointNamesAKernelWithTheSameArguments) {
  const OpenedPoint point = open_text(
      "__global__ void first(const float* x, float* y) { int i = threadIdx.x; y[i] = x[i] * x[i] - 0.3f; }\n"
      "__global__ void other(float* y) { y[threadIdx.x] = 1; }\n"
      "__global__ void second(const float* x, float* y) { int i = threadIdx.x; y[i] = x[i] * x[i] - 0.3f; }\n"
      "void run(float* x, float* y) { first<<<1, 64>>>(x, y); other<<<1, 64>>>(y); second<<<1, 64>>>(x, y); "
      "}\n",
      [] {
        OpenFile::Params params;
        params.subject.entry = "second";
        return params;
      }());
  EXPECT_EQ(point.status, Status::unchecked);
  EXPECT_EQ(guessed(point, "reference kernel"), "first(float const*, float*)");
  EXPECT_TRUE(says(point.reason, "compare it with 'first(float const*, float*)'")) << point.reason;
}

TEST_F(ReferenceKernels, AKernelWhoseOutputHasAnotherSizeIsNotOffered) {
  const auto with_sizes = [&](const char* sums, const char* maxima) {
    OpenFile::Params params;
    params.subject.entry = "largest";
    return open_text(
        fmt::format(
            "__global__ void sums(const float* x, float* y) {{ y[threadIdx.x] = x[threadIdx.x] + 0.3f; }}\n"
            "__global__ void largest(const float* x, float* y) {{ y[threadIdx.x] = x[threadIdx.x] - 0.3f; "
            "}}\n"
            "int main() {{\n  float *x, *s, *m;\n  cudaMalloc(&x, 64 * sizeof(float));\n"
            "  cudaMalloc(&s, {} * sizeof(float));\n  cudaMalloc(&m, {} * sizeof(float));\n"
            "  sums<<<1, 64>>>(x, s);\n  largest<<<1, 64>>>(x, m);\n}}\n",
            sums, maxima),
        params);
  };
  EXPECT_EQ(guessed(with_sizes("64", "64"), "reference kernel"), "sums(float const*, float*)");
  const OpenedPoint point = with_sizes("128", "64");
  EXPECT_EQ(point.status, Status::unchecked);
  EXPECT_EQ(guessed(point, "reference kernel"), "");
  EXPECT_FALSE(says(point.reason, "takes the same arguments")) << point.reason;
}

}  // namespace
}  // namespace tilescope
